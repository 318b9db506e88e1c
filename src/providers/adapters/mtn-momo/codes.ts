import type { Minor } from '../../../kit/money.ts';
import type { PayoutReason } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, isProvenRejection, type Reply } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';

/** The meaning of one of MTN's codes for a collection or a refund, and for a payout. */
export interface Meaning {
  /** `cancelled`: the payer declined. */
  collect: Reason | 'cancelled' | 'pending';
  payout: PayoutReason | 'pending' | null;
}

const STILL_PENDING: Meaning = { collect: 'pending', payout: 'pending' };
/** Includes a wrong PIN, which has no code of its own. */
const PAYER_REFUSED: Meaning = { collect: 'cancelled', payout: null };
const OUR_SETTINGS: Meaning = { collect: 'channel_unavailable', payout: null };
const UNKNOWN: Meaning = { collect: 'unknown', payout: null };

/** Meanings of the `reason` of a failed transaction and of the `code` of an error, which share one vocabulary. */
const MEANINGS = new Map<string, Meaning>(
  Object.entries({
    NOT_ENOUGH_FUNDS: { collect: 'insufficient_funds', payout: null },
    // The name covers three causes. Seen in Cameroon, Benin and Ghana, mostly for insufficient funds.
    LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: { collect: 'insufficient_funds', payout: null },
    INTERNAL_PROCESSING_ERROR: { collect: 'operator_declined', payout: null },
    // The five minutes for approval have passed.
    COULD_NOT_PERFORM_TRANSACTION: { collect: 'authorization_timeout', payout: null },
    EXPIRED: { collect: 'authorization_timeout', payout: null },
    APPROVAL_REJECTED: PAYER_REFUSED,
    REJECTED: PAYER_REFUSED,
    PAYMENT_NOT_APPROVED: PAYER_REFUSED,
    TRANSACTION_CANCELED: PAYER_REFUSED,
    PAYER_NOT_FOUND: { collect: 'invalid_number', payout: null },
    PAYEE_NOT_FOUND: { collect: 'operator_declined', payout: 'recipient_unregistered' },
    // In a collection the payee is the merchant.
    PAYEE_LIMIT_REACHED: { collect: 'operator_declined', payout: 'invalid_recipient' },
    PAYER_LIMIT_REACHED: { collect: 'operator_declined', payout: null },
    SENDER_ACCOUNT_NOT_ACTIVE: { collect: 'operator_declined', payout: null },
    PAYEE_NOT_ALLOWED_TO_RECEIVE: { collect: 'operator_declined', payout: 'invalid_recipient' },
    NOT_ALLOWED: OUR_SETTINGS,
    NOT_ALLOWED_TARGET_ENVIRONMENT: OUR_SETTINGS,
    INVALID_CALLBACK_URL_HOST: OUR_SETTINGS,
    INVALID_CURRENCY: OUR_SETTINGS,
    TRANSFER_TYPE_UNKNOWN: OUR_SETTINGS,
    SERVICE_UNAVAILABLE: { collect: 'channel_unavailable', payout: null },
    ONGOING: STILL_PENDING,
    PENDING: STILL_PENDING,
    DELAYED: STILL_PENDING,
    PAYER_DELAYED: STILL_PENDING,
    PAYEE_DELAYED: STILL_PENDING,
  } satisfies Record<string, Meaning>),
);

/** All known codes. The tests print the meaning of each. */
export const CODES: readonly string[] = [...MEANINGS.keys()];

/**
 * Errors in the account's settings. MTN detects them before it creates anything, although it returns status 500 (common errors).
 * TRANSFER_TYPE_UNKNOWN is not in MTN's list of common errors: with status 500 it proves nothing.
 */
const SETTINGS_AT_FAULT = new Set([
  'NOT_ALLOWED',
  'NOT_ALLOWED_TARGET_ENVIRONMENT',
  'INVALID_CALLBACK_URL_HOST',
  'INVALID_CURRENCY',
]);

/** Codes that reject one of the two parties in the response to a submission. The same request would fail again. */
const PARTY_REFUSED = new Set([
  'PAYER_NOT_FOUND',
  'PAYEE_NOT_FOUND',
  'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  'SENDER_ACCOUNT_NOT_ACTIVE',
  'PAYER_LIMIT_REACHED',
  'PAYEE_LIMIT_REACHED',
  'NOT_ENOUGH_FUNDS',
]);

/** The result of a submission, by what it proves. */
export type Creation =
  | { kind: 'created' }
  /** Our key is already used: an earlier submission arrived. */
  | { kind: 'exists' }
  | { kind: 'refused'; meaning: Meaning; message: string }
  /** Nothing was created. */
  | { kind: 'not_created'; message: string; because: Because }
  /** Something may have been created. */
  | { kind: 'unclear'; message: string };

/** A rejection because of one of the two parties, or of our own float. */
export type Rejection = Extract<Creation, { kind: 'refused' }>;

/** Returns the reason of a failed payout, or null where the recipient is not the cause. */
export function payoutReasonOf({ payout }: Meaning): PayoutReason | null {
  return payout === 'pending' ? null : payout;
}

/**
 * Returns whether a payout or refund failed because our own disbursement float was insufficient: nothing was paid, and
 * FAILED is final. For a collection the same code concerns the payer's wallet.
 */
export function isUnfunded(code: string): boolean {
  return code === 'NOT_ENOUGH_FUNDS';
}

/** Cause of a rejection. `callback`: the callback address. `missing`: the referenced transaction is unknown. */
type Because = 'callback' | 'missing' | null;

/** Classifies the response to a submission. */
export function creationOf(reply: Reply): Creation {
  if (reply.kind === 'unsent') return { kind: 'not_created', message: reply.message, because: null };
  if (reply.kind === 'lost') return { kind: 'unclear', message: reply.message };
  const { status } = reply;
  if (status === 202) return { kind: 'created' };
  const { code, message } = errorOf(reply);
  if (status === 409 || code === 'RESOURCE_ALREADY_EXIST') return { kind: 'exists' };
  // In a 5xx these codes prove nothing, because MTN documents only errors in the settings there. The status query decides.
  if (status >= 400 && status < 500 && PARTY_REFUSED.has(code)) return { kind: 'refused', meaning: meaningOf(code), message };
  if (isProvenRejection(reply) || (status === 500 && SETTINGS_AT_FAULT.has(code))) {
    return { kind: 'not_created', message, because: BECAUSE.get(code) ?? null };
  }
  return { kind: 'unclear', message };
}

const BECAUSE = new Map<string, Because>([
  ['INVALID_CALLBACK_URL_HOST', 'callback'],
  ['RESOURCE_NOT_FOUND', 'missing'],
]);

/** The status of an order. */
export type State =
  | { kind: 'pending' }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; code: string; meaning: Meaning; message: string }
  | { kind: 'not_found' }
  | { kind: 'unreadable'; message: string };

/**
 * Parses the status of an order.
 * @param key the key it was submitted under; provider reference used where the response has no financialTransactionId
 */
export function stateOf(reply: Reply, key: string): State {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const error = errorOf(reply);
  // A 404 of the gateway (a wrong address, an error page) is not a response of the wallet.
  if (reply.status === 404 && error.code === 'RESOURCE_NOT_FOUND') return { kind: 'not_found' };
  const fields = reply.status === 200 ? fieldsOf(reply.body) : {};
  switch (fields.status) {
    case 'PENDING':
      return { kind: 'pending' };
    case 'SUCCESSFUL':
      return successOf(fields, key);
    case 'FAILED': {
      const { code, message } = errorIn(fields.reason);
      return { kind: 'failed', code, meaning: meaningOf(code), message: message || 'FAILED without a reason' };
    }
    default:
      return { kind: 'unreadable', message: error.message };
  }
}

function successOf({ financialTransactionId, amount, currency }: Record<string, unknown>, key: string): State {
  const amount_minor = minorOf(amount);
  if (amount_minor === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    return { kind: 'unreadable', message: 'SUCCESSFUL without a legible amount and currency' };
  }
  const ref = typeof financialTransactionId === 'number' ? String(financialTransactionId) : financialTransactionId;
  return { kind: 'succeeded', provider_ref: typeof ref === 'string' && ref !== '' ? ref : key, amount_minor, currency };
}

function meaningOf(code: string): Meaning {
  return MEANINGS.get(code) ?? UNKNOWN;
}

interface ProviderError {
  /** Empty when there is none. */
  code: string;
  /** Message for logs and operators. */
  message: string;
}

/** Returns the error of a response: its HTTP status, and MTN's code and text where present. */
export function errorOf({ status, body }: Extract<Reply, { kind: 'answered' }>): ProviderError {
  const { code, message } = errorIn(body);
  return { code, message: message ? `HTTP ${status} ${message}` : `HTTP ${status}` };
}

/** Returns the message of a reply for logs and operators. */
export function messageOf(reply: Reply): string {
  return reply.kind === 'answered' ? errorOf(reply).message : reply.message;
}

/** Parses a reason or an error: an object `{code, message}` in MTN's published schema, bare text in most responses. */
function errorIn(value: unknown): ProviderError {
  if (typeof value === 'string') return { code: value.trim(), message: rawMessage(value) };
  const { code, message } = fieldsOf(value);
  return { code: typeof code === 'string' ? code.trim() : '', message: rawMessage(code, message) };
}
