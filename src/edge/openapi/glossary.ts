import { VERIFICATIONS } from '../../core/accounts/schema.ts';
import { moment } from '../../kit/schema.ts';
import type { AttemptStatus } from '../../core/attempts/schema.ts';
import { createPaymentBody } from '../../core/payments/schema.ts';
import type { Schema } from './types.ts';

const ATTEMPT_STATUSES = [
  'created',
  'open',
  'unknown',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
  'unavailable',
] as const satisfies AttemptStatus[];

/** A description, or a schema that extends the route's own; `$ref` replaces it with a component. */
type Entry = string | Schema;

/** Generic description of every timestamp; less specific than that of the word. */
const { description: MOMENT } = moment as object as Schema;

const YOURS = 'Your data, returned unchanged.';
const FREE = 'Free-form; returned unchanged.';

/** Words with the same meaning everywhere. They never replace a schema's own description. */
const WORDS: Record<string, Entry> = {
  id: 'Identifier; sorts by creation time. In the sandbox it has `test_` after the prefix.',
  code: { description: 'The HTTP status.', minimum: 200, maximum: 599 },
  status: 'The HTTP reason phrase of `code`.',
  message: 'For logs; never branch on it.',
  error_code: 'Stable machine code.',
  payer_message: 'Message for the payer; show it unchanged.',
  retry_after: 'Seconds to wait; also the `Retry-After` header.',
  retry_after_human: { description: 'The same as HH:MM:SS.', pattern: '^\\d{2,}:\\d{2}:\\d{2}$' },
  items: 'Entries of this page.',
  meta: 'Position of this page in the list.',
  amount: 'Major units: 25000 is 25,000 XAF.',
  currency: 'ISO 4217.',
  reference: 'Your reference; need not be unique.',
  description: 'Description.',
  metadata: YOURS,
  sandbox: 'Whether it was created with a `_test.` key.',
  created_at: { description: 'Creation time; ISO 8601, UTC.', format: 'date-time' },
  updated_at: { description: 'Time of the last change; ISO 8601, UTC.', format: 'date-time' },
  completed_at: { description: 'Time at which it became final; ISO 8601, UTC.', format: 'date-time' },
  closed_at: { description: 'Time of the decision; ISO 8601, UTC.', format: 'date-time' },
  expires_at: { description: 'Expiry time; ISO 8601, UTC.', format: 'date-time' },
  name: 'Name.',
  email: 'E-mail address.',
  company_name: 'Name of the company.',
  phone: 'Phone number.',
  channel: '`<country>.<operator>`; see GET /channels.',
  account_number: 'A phone number on mobile money channels.',
  bank_code: 'See GET /banks.',
  country: 'ISO 3166-1 alpha-2.',
  fee: 'Our fee, in major units.',
  callback: 'URL to which the payer returns.',
  payment: 'Id of the payment.',
  customer_id: 'Id of a customer.',
  search: 'Search text.',
  date_from: 'UTC day, inclusive.',
  date_to: 'UTC day, inclusive; not before `date_from`.',
  amount_min: 'Major units, inclusive.',
  amount_max: 'Major units, inclusive.',
  per_page: 'Maximum number of entries.',
  quantity: 'Quantity.',
  bucket: 'Figure of the balance.',
  page: 'Counted from 1; not together with `cursor`. In lists too long to read and count in 15 seconds it is rejected: use `cursor`.',
  beneficiary: 'Id of a saved beneficiary.',
  url: 'Address.',
  active: 'Whether it can be used.',
  api_version: 'API version of its body.',
  event: 'Type of the event.',
  evidence: 'Evidence that the payment was legitimate.',
  client_ip: "The payer's IP address, for fraud checks.",
  business_profile: FREE,
  split: { $ref: 'Split' },
  settlement: { $ref: 'Settlement' },
  current_page: 'Number of this page.',
  last_page: 'Number of the last page; 1 when the list is empty.',
  total: 'Number of entries on all pages.',
  next_cursor: 'Value of `cursor` for the next page; after the last page it leads to an empty one.',
  prev_cursor: 'Value of `cursor` for the previous page; null on the first page.',
  has_more: 'Whether there is another page.',
  transaction: 'The payment.',
  authorization_url: {
    description: 'The hosted page: send the payer there. Single use; expires with the payment.',
    format: 'uri',
  },
  authorization_token: 'The last part of `authorization_url`.',
  action: { $ref: 'Action' },
};

const ENDPOINT: Record<string, Entry> = {
  url: 'URL to which events are POSTed.',
  events: 'Subscribed event types; `payment.*` for all types of a resource, `*` for all.',
  description: 'Description of the endpoint.',
  active: 'Whether events are sent to it.',
  failing_since: { format: 'date-time' },
  backlog_full_since: { format: 'date-time' },
};

/** Words with another or a more specific meaning, by component. */
const PLACES: Record<string, Record<string, Entry>> = {
  Payment: {
    status: 'Status of the payment.',
    settled: 'Whether the retention of the money is over.',
    reason: {
      $ref: 'FailureReason',
      description:
        'Why it was not paid; branch on it. Set when it failed or the payer cancelled it. Null otherwise, also after `DELETE` and after expiry.',
    },
    message: "The provider's message for `reason`; not stable. Not shown to public keys.",
    channel: 'Channel of the charge; null before a charge.',
    amount_total: 'Amount charged to the payer: includes the fee when the customer bears it. Not shown to public keys.',
    amount_captured: 'Amount collected so far. Not shown to public keys.',
    amount_refunded: 'Amount refunded so far. Not shown to public keys.',
    fee: 'Our fee, in major units. Not shown to public keys.',
    bearer: { description: 'Who bears the fee. Not shown to public keys.', enum: ['merchant', 'customer'] },
    customer: 'Id of the customer. Not shown to public keys.',
    payment_method: 'Id of the saved payment method. Not shown to public keys.',
    account: 'Id of the connected account that receives a share. Not shown to public keys.',
    retry_of: 'Id of the failed payment that this one tries again; null for a first try. Not shown to public keys.',
    retried_by: 'Id of the payment that tries this failed one again; null without one. Not shown to public keys.',
    callback: 'URL to which the payer returns. Not shown to public keys.',
    items: {
      description: 'Items of the order. Not shown to public keys.',
      items: createPaymentBody.properties.items.items as object as Schema,
    },
    address: `${FREE} Not shown to public keys.`,
    shipping: `${FREE} Not shown to public keys.`,
    theming: `${FREE} Not shown to public keys.`,
    attempts: 'Attempts to collect it, oldest first. Not shown to public keys.',
  },
  ListedPayment: { status: 'Status of the payment.', channel: 'Channel of the charge; null before a charge.' },
  CreatedPayment: { status: 'Status at creation, also in a replay.' },
  Attempt: {
    provider: 'Provider of the attempt.',
    status: { description: 'Status of the attempt.', enum: ATTEMPT_STATUSES },
    reason: { $ref: 'FailureReason', description: 'Why it was not paid: set when it is `failed`, `cancelled` or `expired`.' },
  },
  Refund: {
    status: 'Status of the refund.',
    reason: 'Reason given by the merchant.',
    failure_reason: { $ref: 'FailureReason', description: 'Reason of the failure; null unless failed.' },
    message: "The provider's message; not stable.",
    fee: 'Always 0.',
  },
  CreateRefundBody: { reason: 'Reason of the refund.' },
  Transfer: { status: 'Status of the transfer.', fee: 'Our fee, on top of `amount`, in major units.' },
  Beneficiary: { country: 'Country of the channel.', currency: 'A currency of the channel.', type: 'From the channel.' },
  Account: { verification: { description: 'Verification status of its owner.', enum: [...VERIFICATIONS] } },
  Dispute: {
    status: 'Status of the dispute.',
    reason: "Cause given by the payer's bank.",
    due_at: { description: 'Deadline for evidence; ISO 8601, UTC.', format: 'date-time' },
  },
  Invoice: {
    status: 'Status of the invoice.',
    items: { description: 'Lines, each with its rounded total.' },
    sent_at: { format: 'date-time' },
    viewed_at: { format: 'date-time' },
    paid_at: { format: 'date-time' },
    cancelled_at: { format: 'date-time' },
  },
  WebhookEndpoint: ENDPOINT,
  WebhookEndpointWithSecret: ENDPOINT,
  CreateWebhookBody: { description: 'Description of the endpoint.', active: 'Whether events are sent to it.' },
  UpdateWebhookBody: { description: 'Description of the endpoint.', active: 'Whether events are sent to it.' },
  WebhookDelivery: {
    webhook: 'Id of the endpoint.',
    event_id: 'Id of the event.',
    status: 'Succeeded: any 2xx response.',
    response_status: 'HTTP status of the response; null without a response.',
    duration_ms: 'Duration in milliseconds.',
    next_attempt_at: { description: 'Time of the next retry; null when there is none.', format: 'date-time' },
  },
  Event: {
    livemode: 'False in the sandbox, true in live.',
    request: 'Origin of the event.',
    idempotency_key: 'Key of this record; not the Idempotency-Key you sent.',
    id: 'Deduplicate on it: the same event can arrive twice.',
    event: { $ref: 'EventType', description: 'Type of the event.' },
  },
  query: {
    status: 'Only entries with this status.',
    currency: 'ISO 4217.',
    type: 'Only events of this type.',
    payment: 'Only entries of this payment.',
  },
  EventReply: { event: 'The event, as it is delivered.' },
  Bank: { code: 'Value for `bank_code`.' },
  Balance: { currency: 'Currency of all figures.' },
  RetrieveBalanceReply: { currency: 'Currency of all figures.', balance: 'The same figures again.' },
  BalanceHistory: { currency: 'ISO 4217.', bucket: 'Figure of the balance that changed.' },
  Channel: {
    id: '`<country>.<operator>`, as in POST /payments/{id}.',
    name: 'Name shown to payers.',
    kind: 'Kind of payment method.',
    status: 'Current availability.',
  },
  Country: {
    code: 'ISO 3166-1 alpha-2.',
    calling_code: 'Calling code without the plus.',
    currencies: 'Currencies; the first is the default.',
  },
  CurrencyEntry: { code: 'ISO 4217.', decimals: 'Number of decimals of a movement.' },
  CreatePaymentBody: {
    customer: 'The payer, as an object.',
    expires: 'Window in which it can be paid.',
    items: 'Items of the order. Other fields of an item are stored and returned, too.',
    name: "The payer's name.",
  },
  ChargePaymentBody: {
    data: 'Details of the payer that the channel needs.',
    otp: 'One-time code, on the second call of a channel that requires one.',
    phone: 'National or international form.',
    account_number: 'Account of a bank channel.',
  },
};

/**
 * Returns a field's schema with the description of the document.
 * @param owner component that contains the field
 */
export function describe(owner: string, field: string, schema: Schema): Schema {
  const entry = PLACES[owner]?.[field] ?? WORDS[field];
  if (entry === undefined) return schema;
  const { description } = schema;
  const own = description === undefined || description === MOMENT ? {} : { description };
  if (typeof entry === 'string') return { ...schema, description: entry, ...own };
  return { ...schema, ...entry, ...own };
}
