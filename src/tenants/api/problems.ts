import { hint } from './hints.ts';

/** An error response as shown in the documentation. */
export interface ProblemText {
  status: number;
  /** When it occurs. */
  when: string;
  message: string;
  error_code?: string;
  errors?: Record<string, string[]>;
  payer_message?: string;
  hint?: string;
  type?: string;
  retry_after?: number;
  retry_after_human?: string;
}

const table = {
  unsupported_api_version: {
    status: 400,
    when: '`X-Service-Version` is not a known version.',
    message: 'API version not supported: use 2026-08-01.',
    error_code: 'unsupported_api_version',
  },
  malformed_body: {
    status: 400,
    when: 'The body is not a JSON object, or larger than 256 KB.',
    message: 'The body is not valid JSON.',
    hint: hint('body_syntax'),
  },
  payment_not_cancellable: {
    status: 400,
    when: 'The payment is no longer pending, or a charge of it is being handed to a provider: its status is then still `pending`. Refund a payment that has succeeded.',
    message: 'The payment is succeeded and cannot be cancelled: use a refund.',
    error_code: 'payment_not_cancellable',
  },
  payment_not_chargeable: {
    status: 400,
    when: 'The payment is final or has an open charge, or its window is over.',
    message: 'The payment is succeeded and cannot be charged.',
  },
  payment_not_refundable: {
    status: 400,
    when: 'The payment has not succeeded, or has an open or lost dispute.',
    message: 'The payment is pending and cannot be refunded.',
    error_code: 'payment_not_refundable',
  },
  dispute_decided: {
    status: 400,
    when: 'The dispute is closed, or evidence was already sent.',
    message: 'The dispute is lost: that is not possible any more.',
  },
  invoice_wrong_state: {
    status: 400,
    when: 'The status of the invoice does not allow it: it was sent, paid or cancelled, or a payment of it is open.',
    message: 'The invoice is paid.',
  },
  webhook_inactive: {
    status: 400,
    when: 'The endpoint is not active.',
    message: 'The webhook endpoint is not active.',
  },
  key_missing: {
    status: 401,
    when: 'No key was sent.',
    message: 'API key missing: send it as the sole value of the Authorization header.',
  },
  key_unknown: {
    status: 401,
    when: 'The key is unknown, revoked, inactive or expired.',
    message: 'API key unknown, revoked, inactive or expired.',
    hint: hint('key_scheme', { scheme: 'Bearer' }),
  },
  merchant_not_verified: {
    status: 402,
    when: 'Live only: the team has not passed verification.',
    message: 'The team is not verified: live payments are not open to it yet.',
    error_code: 'merchant_not_verified',
    payer_message: 'This merchant cannot take payments yet. No money was taken.',
  },
  payment_declined: {
    status: 402,
    when: "The payer's money did not move; `error_code` is the reason. The payment is now failed. If a tranche was captured before, it stays partial; after too many charges (`fraud_blocked`) it is unchanged.",
    message: 'sandbox: insufficient funds',
    error_code: 'insufficient_funds',
    payer_message: 'There is not enough money on the account.',
  },
  secret_key_in_browser: {
    status: 403,
    when: 'A secret key was sent with `Origin` or `Referer`, so it is exposed in a page.',
    message: 'A secret key must never be used in a browser. Revoke it and use a public key there.',
    error_code: 'secret_key_in_browser',
  },
  ip_not_allowed: {
    status: 403,
    when: 'The key has an allow-list and the calling address is not on it.',
    message: 'The calling address is not on the allow-list of this key.',
    error_code: 'ip_not_allowed',
  },
  scope_missing: {
    status: 403,
    when: 'A restricted key lacks the scope of the operation.',
    message: 'The key lacks the scope payment.read.',
    error_code: 'scope_missing',
    hint: hint('scope', { scope: 'payment.read' }),
  },
  live_only_feature: {
    status: 403,
    when: 'A sandbox key was used for a feature that exists in live only.',
    message: 'This feature exists in the live environment only.',
    error_code: 'live_only_feature',
    hint: hint('live_key', { own: 'sk_test.' }),
  },
  payment_not_found: { status: 404, when: 'No such payment for this team and environment.', message: 'Payment Not Found' },
  customer_not_found: { status: 404, when: 'No such customer for this team and environment.', message: 'Customer Not Found' },
  transfer_not_found: { status: 404, when: 'No such transfer for this team and environment.', message: 'Transfer Not Found' },
  beneficiary_not_found: {
    status: 404,
    when: 'No such beneficiary for this team and environment.',
    message: 'Beneficiary Not Found',
  },
  account_not_found: { status: 404, when: 'No such account for this team and environment.', message: 'Account Not Found' },
  invoice_not_found: { status: 404, when: 'No such invoice for this team.', message: 'Invoice Not Found' },
  link_not_found: { status: 404, when: 'No such payment link for this team.', message: 'Link Not Found' },
  resource_not_found: { status: 404, when: 'No such id for this team and environment.', message: 'Resource Not Found' },
  private_key_required: {
    status: 406,
    when: 'A public key was sent where a secret or restricted one is needed, for this route or by the setting of the team.',
    message: 'Private Key Required',
    hint: hint('secret_key', { secret: 'sk_test.', restricted: 'rk_test.', own: 'pk_test.' }),
  },
  reference_taken: {
    status: 409,
    when: 'The team requires unique references, and another payment has this one. Off by default.',
    message: 'The reference already exists on another payment.',
    errors: { reference: ['already exists on another payment'] },
  },
  link_full: {
    status: 409,
    when: 'The payment belongs to a link whose last uses are taken by open charges. It stays pending: retry in a few minutes.',
    message: 'The payment link has no use left while other charges are under way.',
    error_code: 'link_full',
    errors: { link: ['has no use left while other charges are under way'] },
  },
  link_used: {
    status: 409,
    when: 'The payment belongs to a link that has reached `max_uses` successful payments.',
    message: 'The payment link has been paid as often as the merchant wanted.',
    error_code: 'link_used',
    errors: { link: ['has been paid as often as the merchant wanted'] },
  },
  invalid_fields: {
    status: 422,
    when: 'One or more fields are invalid; all are listed.',
    message: 'amount: must be a number in major units, without quotes; customer.email: must be a valid e-mail address',
    errors: {
      amount: ['must be a number in major units, without quotes'],
      'customer.email': ['must be a valid e-mail address'],
    },
  },
  invalid_query: {
    status: 422,
    when: 'A query parameter is not valid.',
    message: 'per_page: must be <= 100',
    errors: { per_page: ['must be <= 100'] },
  },
  raw_card_data_not_accepted: {
    status: 422,
    when: 'The body contains a card number, security code or PIN. Nothing of it is stored.',
    message:
      'Raw card data is not accepted: data.card_number is a field for raw card data, which is never accepted here. Card details are entered on the hosted page only.',
    error_code: 'raw_card_data_not_accepted',
    errors: { 'data.card_number': ['is a field for raw card data, which is never accepted here'] },
  },
  idempotency_key_invalid: {
    status: 422,
    when: 'The Idempotency-Key is not 1 to 255 visible ASCII characters, or looks like it holds a card number.',
    message: 'idempotency_key: must be 1 to 255 visible ASCII characters',
    error_code: 'idempotency_key_invalid',
    errors: { idempotency_key: ['must be 1 to 255 visible ASCII characters'] },
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The Idempotency-Key was used with another payload, more than 24 hours ago, or for a person whose data was erased.',
    message: 'idempotency_key: was already used with a different payload',
    error_code: 'idempotency_key_reused',
    errors: { idempotency_key: ['was already used with a different payload'] },
  },
  channel_not_supported: {
    status: 422,
    when: 'The channel is unknown, or does not support the operation.',
    message: 'channel: is not a channel: GET /channels lists them',
    error_code: 'channel_not_supported',
    errors: { channel: ['is not a channel: GET /channels lists them'] },
  },
  customer_blocked: {
    status: 422,
    when: 'The customer is blocked.',
    message: 'customer: is blocked',
    error_code: 'customer_blocked',
    errors: { customer: ['is blocked'] },
  },
  account_inactive: {
    status: 422,
    when: 'The account of `X-Sync` is deactivated.',
    message: 'account: is not active',
    errors: { account: ['is not active'] },
  },
  invoice_not_mailable: {
    status: 422,
    when: 'The customer of the invoice has no e-mail address to send a reminder to.',
    message: 'customer: has no e-mail address',
    errors: { customer: ['has no e-mail address'] },
  },
  ceiling_exceeded: {
    status: 422,
    when: "Live only: above the limit of the team's verification level for one transaction, a UTC day or a UTC month.",
    message: "amount: is above the team's limit of 500000 XAF for one payment",
    error_code: 'ceiling_exceeded',
    errors: { amount: ["is above the team's limit of 500000 XAF for one payment"] },
  },
  payout_not_verified: {
    status: 422,
    when: 'Live only: the team has not passed verification.',
    message: 'amount: the team is not verified: live payouts are not open to it yet',
    error_code: 'merchant_not_verified',
    errors: { amount: ['the team is not verified: live payouts are not open to it yet'] },
  },
  rate_limited: {
    status: 429,
    when: 'Too many requests in this window of 60 seconds; `type` names the limit. Wait for `Retry-After`.',
    message: 'Too many requests: at most 120 in 60 seconds.',
    type: 'team',
    retry_after: 12,
    retry_after_human: '00:00:12',
  },
  payout_limited: {
    status: 429,
    when: 'More than 20 payouts and beneficiaries were written in this window; applies to every plan.',
    message: 'Merchant limit 20',
    retry_after: 12,
    retry_after_human: '00:00:12',
  },
  invoice_reminded: {
    status: 429,
    when: 'The invoice was mailed less than 24 hours ago.',
    message: 'The invoice was mailed less than 24 hours ago.',
    type: 'endpoint',
    retry_after: 43_200,
    retry_after_human: '12:00:00',
  },
  internal_error: {
    status: 500,
    when: 'Internal error. Retry with the same Idempotency-Key.',
    message: 'Something went wrong on our side. Try again; the request id helps us to find the cause.',
  },
  not_in_live: {
    status: 501,
    when: 'The operation is not available in live.',
    message: 'Not available in the live environment.',
  },
  provider_unavailable: {
    status: 502,
    when: 'No provider was available; none executed it. Retry later.',
    message: 'No payment provider could take the charge. The payment is still pending: try again.',
  },
} as const satisfies Record<string, ProblemText>;

/** Names by which routes list their problems. */
export type ProblemName = keyof typeof table;

/** All problems of requests, one entry per cause. */
export const PROBLEMS: Record<ProblemName, ProblemText> = table;
