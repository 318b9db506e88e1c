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

const YOURS = 'Yours, returned as it was sent.';
const FREE = 'Free-form; returned as it was sent.';

/** Words with the same meaning everywhere. They never replace a schema's own description. */
const WORDS: Record<string, Entry> = {
  id: 'Ours; sorts by time. In the sandbox it has `test_` after the prefix.',
  code: { description: 'The HTTP status.', minimum: 200, maximum: 599 },
  status: 'The HTTP reason phrase of `code`.',
  message: 'For logs; never branch on it.',
  error_code: 'Stable machine code.',
  payer_message: 'To be shown to the payer as it is.',
  retry_after: 'Seconds to wait; also the `Retry-After` header.',
  retry_after_human: { description: 'The same as HH:MM:SS.', pattern: '^\\d{2,}:\\d{2}:\\d{2}$' },
  items: 'The entries of this page.',
  meta: 'Where this page stands in the list.',
  amount: 'Major units: 25000 is 25,000 XAF.',
  currency: 'ISO 4217.',
  reference: 'Yours; may repeat.',
  description: 'What it is for.',
  metadata: YOURS,
  sandbox: 'True when it was made with a `_test.` key.',
  created_at: { description: 'When it was made; ISO 8601, UTC.', format: 'date-time' },
  updated_at: { description: 'When it last changed; ISO 8601, UTC.', format: 'date-time' },
  completed_at: { description: 'When it became final; ISO 8601, UTC.', format: 'date-time' },
  closed_at: { description: 'When it was decided; ISO 8601, UTC.', format: 'date-time' },
  expires_at: { description: 'When it expires; ISO 8601, UTC.', format: 'date-time' },
  name: 'Name.',
  email: 'E-mail address.',
  company_name: 'Name of the company.',
  phone: 'Phone number.',
  channel: '`<country>.<operator>`; see GET /channels.',
  account_number: 'A phone number on mobile money channels.',
  bank_code: 'See GET /banks.',
  country: 'ISO 3166-1 alpha-2.',
  fee: 'Ours, in major units.',
  callback: 'Where the payer is sent back to.',
  payment: 'Id of the payment.',
  customer_id: 'Id of a customer.',
  search: 'Text to look for.',
  date_from: 'UTC day, inclusive.',
  date_to: 'UTC day, inclusive; not before `date_from`.',
  amount_min: 'Major units, inclusive.',
  amount_max: 'Major units, inclusive.',
  per_page: 'How many at most.',
  quantity: 'How many.',
  bucket: 'Which figure of the balance.',
  page: 'Counted from 1; not together with `cursor`.',
  beneficiary: 'Id of a saved beneficiary.',
  url: 'Address.',
  active: 'Whether it can be used.',
  api_version: 'Version at which it was serialised.',
  event: 'Type of the event.',
  evidence: 'What was sent to show that the payment was right.',
  client_ip: "The payer's address, for fraud checks.",
  business_profile: FREE,
  split: { $ref: 'Split' },
  settlement: { $ref: 'Settlement' },
  current_page: 'The page this is.',
  last_page: '1 when there is nothing.',
  total: 'How many there are on all pages.',
  next_cursor: 'What `cursor` takes to go on; after the last page it leads to an empty one.',
  prev_cursor: 'What `cursor` takes to go back; null on the first page.',
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
  url: 'Where events are POSTed to.',
  events: 'Types it gets; `payment.*` for all types of a resource, `*` for everything.',
  description: 'What the endpoint is for.',
  active: 'Whether events are sent to it.',
  failing_since: { format: 'date-time' },
};

/** Words with another or a more specific meaning, by component. */
const PLACES: Record<string, Record<string, Entry>> = {
  Payment: {
    status: 'Where the payment stands.',
    settled: 'Whether the money is past its retention hold.',
    reason: { $ref: 'FailureReason', description: 'Why it failed; branch on it. Null while it has not.' },
    message: "The provider's words beside `reason`; they change. Not shown to public keys.",
    channel: 'How it was paid; null before a charge.',
    amount_total: 'What the payer is charged: with the fee when the customer bears it. Not shown to public keys.',
    amount_captured: 'What has been collected so far. Not shown to public keys.',
    amount_refunded: 'What has been given back. Not shown to public keys.',
    fee: 'Ours, in major units. Not shown to public keys.',
    bearer: { description: 'Who bears the fee. Not shown to public keys.', enum: ['merchant', 'customer'] },
    customer: 'Id of the customer. Not shown to public keys.',
    payment_method: 'Id of the saved payment method. Not shown to public keys.',
    account: 'Id of the connected account it is split with. Not shown to public keys.',
    callback: 'Where the payer is sent back to. Not shown to public keys.',
    items: {
      description: 'What is paid for. Not shown to public keys.',
      items: createPaymentBody.properties.items.items as object as Schema,
    },
    address: `${FREE} Not shown to public keys.`,
    shipping: `${FREE} Not shown to public keys.`,
    theming: `${FREE} Not shown to public keys.`,
    attempts: 'Every try to collect it, oldest first. Not shown to public keys.',
  },
  ListedPayment: { status: 'Where the payment stands.', channel: 'How it was paid; null before a charge.' },
  CreatedPayment: { status: 'Always as it was at creation, also in a replay.' },
  Attempt: {
    provider: 'Who was asked to collect.',
    status: { description: 'What became of it.', enum: ATTEMPT_STATUSES },
    reason: { $ref: 'FailureReason', description: 'Why it failed; null while it has not.' },
  },
  Refund: {
    status: 'Where the refund stands.',
    reason: 'Why the merchant refunds.',
    failure_reason: { $ref: 'FailureReason', description: 'Why it failed; null while it has not.' },
    message: "The provider's words; they change.",
    fee: 'Always 0.',
  },
  CreateRefundBody: { reason: 'Why you refund.' },
  Transfer: { status: 'Where the transfer stands.', fee: 'Ours, on top of `amount`, in major units.' },
  Beneficiary: { country: 'That of the channel.', currency: 'One of the channel.', type: 'From the channel.' },
  Account: { verification: { description: 'How far the check of its owner has come.', enum: [...VERIFICATIONS] } },
  Dispute: {
    status: 'Where the dispute stands.',
    reason: "What the payer's bank gives as the cause.",
    due_at: { description: 'Until when evidence is taken; ISO 8601, UTC.', format: 'date-time' },
  },
  Invoice: {
    status: 'Where the invoice stands.',
    items: { description: 'The lines, each with its rounded total.' },
    sent_at: { format: 'date-time' },
    viewed_at: { format: 'date-time' },
    paid_at: { format: 'date-time' },
    cancelled_at: { format: 'date-time' },
  },
  WebhookEndpoint: ENDPOINT,
  WebhookEndpointWithSecret: ENDPOINT,
  CreateWebhookBody: { description: 'What the endpoint is for.', active: 'Whether events are sent to it.' },
  UpdateWebhookBody: { description: 'What the endpoint is for.', active: 'Whether events are sent to it.' },
  WebhookDelivery: {
    webhook: 'Id of the endpoint.',
    event_id: 'Id of the event.',
    status: 'Succeeded is any 2xx answer.',
    response_status: 'HTTP status of the answer; null when there was none.',
    duration_ms: 'How long it took, in milliseconds.',
    next_attempt_at: { description: 'When it is tried again; null when it is not.', format: 'date-time' },
  },
  Event: {
    livemode: 'False in the sandbox, true in live.',
    request: 'What the event came from.',
    idempotency_key: 'Made for this record; not the Idempotency-Key you sent.',
    id: 'Deduplicate on it: the same event can arrive twice.',
    event: { $ref: 'EventType', description: 'Type of the event.' },
  },
  query: {
    status: 'Only those in this status.',
    currency: 'ISO 4217.',
    type: 'Only events of this type.',
    payment: 'Only those of this payment.',
  },
  EventReply: { event: 'The event, as its deliveries carry it.' },
  Bank: { code: 'What `bank_code` takes.' },
  Balance: { currency: 'Of all figures.' },
  RetrieveBalanceReply: { currency: 'Of all figures.', balance: 'The same figures once more.' },
  BalanceHistory: { currency: 'ISO 4217.', bucket: 'Which figure of the balance changed.' },
  Channel: {
    id: '`<country>.<operator>`: what POST /payments/{id} takes.',
    name: 'What payers know it by.',
    kind: 'What it moves money with.',
    status: 'Whether it works at the moment.',
  },
  Country: { code: 'ISO 3166-1 alpha-2.', calling_code: 'Without the plus.', currencies: 'The first is the usual one.' },
  CurrencyEntry: { code: 'ISO 4217.', decimals: 'How many a movement of it can have.' },
  CreatePaymentBody: {
    customer: 'The payer, in another form.',
    expires: 'The window in which it can be paid.',
    items: 'What is paid for.',
    name: "The payer's name.",
  },
  ChargePaymentBody: {
    data: 'What the channel needs to know of the payer.',
    otp: 'One-time code, on the second call of a channel that asks for one.',
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
