import { entryOf } from '../../../kit/entry-of.ts';
import type { Minor } from '../../../kit/money.ts';
import type { PayoutReason } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, isProvenRejection, type Reply, textOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';

/** Failure reasons of deposits by code (docs.pawapay.io/v2/docs/failure_codes). */
const PAYMENT_REASONS: Record<string, Reason> = {
  INVALID_PHONE_NUMBER: 'invalid_number',
  PAYER_NOT_FOUND: 'invalid_number',
  // An approval timeout, a rejection and a wrong PIN have the same code.
  PAYMENT_NOT_APPROVED: 'authorization_timeout',
  INSUFFICIENT_BALANCE: 'insufficient_funds',
  PAYER_LIMIT_REACHED: 'operator_declined',
  WALLET_LIMIT_REACHED: 'operator_declined',
  PAYMENT_IN_PROGRESS: 'operator_declined',
  TRANSACTION_ALREADY_IN_PROCESS: 'operator_declined',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'channel_unavailable',
  UNSPECIFIED_FAILURE: 'operator_declined',
  OTHER_ERROR: 'operator_declined',
  UNKNOWN_ERROR: 'operator_declined',
};

/** Failure reasons of payouts by code, where the public contract has one. */
const PAYOUT_REASONS: Record<string, PayoutReason> = {
  INVALID_PHONE_NUMBER: 'invalid_recipient',
  RECIPIENT_NOT_FOUND: 'recipient_unregistered',
  PAYER_LIMIT_REACHED: 'invalid_recipient',
  WALLET_LIMIT_REACHED: 'invalid_recipient',
  RECIPIENT_LIMIT_REACHED: 'invalid_recipient',
};

/** Failure reasons of refunds by code, besides {@link PAYMENT_REASONS}. */
const REFUND_REASONS: Record<string, Reason> = {
  RECIPIENT_NOT_FOUND: 'payer_not_registered',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'provider_error',
  RECIPIENT_LIMIT_REACHED: 'limit_exceeded',
  AMOUNT_OUT_OF_BOUNDS: 'limit_exceeded',
};

/**
 * Failures of a refund that contradict our books: the deposit was refunded outside this service, in full or in part, or differs from what
 * pawaPay has confirmed. Only manual resolution can determine what the payer has received, so the money is neither returned in another
 * way nor given back to the merchant.
 */
const OTHER_BOOKS = new Set(['DEPOSIT_ALREADY_REFUNDED', 'AMOUNT_TOO_LARGE', 'INVALID_STATE', 'NOT_FOUND']);

/** Returns whether a refund failed because pawaPay's books differ from ours. */
export function contradictsBooks(code: string): boolean {
  return OTHER_BOOKS.has(code);
}

/** Rejections that a later refund of the same amount would receive again. No other provider can refund the deposit. */
const NEVER_REFUNDED = new Set(['AMOUNT_OUT_OF_BOUNDS', 'INVALID_AMOUNT', 'INVALID_CURRENCY', 'INVALID_PROVIDER']);

/** Returns whether a rejection of a refund is final although it would not be final for a deposit. */
export function isNeverRefunded(code: string | undefined): code is string {
  return code !== undefined && NEVER_REFUNDED.has(code);
}

/**
 * Rejections that are not caused by the payer: the operator is unavailable, or this account cannot perform the
 * operation. Nothing was created, and another provider or a later attempt may succeed.
 */
const NOT_HERE = new Set([
  'PROVIDER_TEMPORARILY_UNAVAILABLE',
  'AMOUNT_OUT_OF_BOUNDS',
  'INVALID_AMOUNT',
  'INVALID_CURRENCY',
  'INVALID_PROVIDER',
  'DEPOSITS_NOT_ALLOWED',
  'PAYOUTS_NOT_ALLOWED',
  'REFUNDS_NOT_ALLOWED',
  'REFUND_IN_PROGRESS',
  // Our own wallet has insufficient funds, which is not the recipient's fault (failure codes, payouts and refunds).
  'PAWAPAY_WALLET_OUT_OF_FUNDS',
]);

/** The result of a submission, for deposits, payouts and refunds. */
export type Acceptance =
  | { kind: 'accepted'; next_step: string | null }
  | { kind: 'duplicate' }
  | { kind: 'rejected'; code: string; message: string }
  /** `malformed`: HTTP 400, as opposed to an error about the account or the rate of its requests. */
  | { kind: 'unavailable'; message: string; code?: string; malformed?: true }
  | { kind: 'unknown'; message: string };

/** Classifies the response to a submission. */
export function acceptanceOf(reply: Reply): Acceptance {
  if (reply.kind === 'unsent') return { kind: 'unavailable', message: rawMessage('pawaPay was not reached', reply.message) };
  if (reply.kind === 'lost') return { kind: 'unknown', message: rawMessage('no response from pawaPay', reply.message) };
  const { status, nextStep, failureReason } = fieldsOf(reply.body);
  const { code, message } = failureOf(failureReason);
  if (isProvenRejection(reply)) {
    const malformed = reply.status === 400 ? ({ malformed: true } as const) : {};
    return { kind: 'unavailable', message: rawMessage(`HTTP ${reply.status}`, message), ...malformed };
  }
  if (reply.status !== 200) return { kind: 'unknown', message: rawMessage(`HTTP ${reply.status}`, message) };
  switch (status) {
    case 'ACCEPTED':
    case 'ENQUEUED':
      return { kind: 'accepted', next_step: textOf(nextStep) };
    case 'DUPLICATE_IGNORED':
      return { kind: 'duplicate' };
    case 'REJECTED':
      return NOT_HERE.has(code) ? { kind: 'unavailable', message, code } : { kind: 'rejected', code, message };
    default:
      return { kind: 'unknown', message: rawMessage('pawaPay responded without a known status', status) };
  }
}

/** The status in a response or a callback, for deposits, payouts and refunds. */
export type Status =
  | { kind: 'pending'; slow: boolean; authorization_url: string | null }
  | { kind: 'completed'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'not_found' }
  | { kind: 'unreadable'; message: string };

export type IdField = 'depositId' | 'payoutId' | 'refundId';

/**
 * Parses the response of `GET …/{id}`.
 * @param key our key of the operation; a response about another operation is unreadable
 */
export function statusOf(reply: Reply, id_field: IdField, key: string): Status {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawMessage('no response from pawaPay', reply.message) };
  const { status, data, failureReason } = fieldsOf(reply.body);
  if (reply.status !== 200) {
    return { kind: 'unreadable', message: rawMessage(`HTTP ${reply.status}`, failureOf(failureReason).message) };
  }
  if (status === 'NOT_FOUND') return { kind: 'not_found' };
  if (status !== 'FOUND') return { kind: 'unreadable', message: rawMessage('pawaPay responded without a known status', status) };
  return fieldsOf(data)[id_field] === key
    ? statusInData(data, id_field)
    : { kind: 'unreadable', message: 'pawaPay responded about another key' };
}

/** Parses the data object of a status response or a callback. */
export function statusInData(value: unknown, id_field: IdField): Status {
  const data = fieldsOf(value);
  switch (data.status) {
    case 'ACCEPTED':
    case 'SUBMITTED':
    case 'PROCESSING':
    case 'ENQUEUED':
    case 'IN_RECONCILIATION':
      return {
        ...{ kind: 'pending', slow: data.status === 'IN_RECONCILIATION' || data.status === 'ENQUEUED' },
        authorization_url: textOf(data.authorizationUrl),
      };
    case 'COMPLETED': {
      const amount_minor = minorOf(data.amount);
      const currency = textOf(data.currency);
      const provider_ref = textOf(data.providerTransactionId) ?? textOf(data[id_field]);
      if (amount_minor === null || !currency || !/^[A-Z]{3}$/.test(currency) || !provider_ref) {
        return { kind: 'unreadable', message: 'pawaPay reported a success without its amount' };
      }
      return { kind: 'completed', provider_ref, amount_minor, currency };
    }
    case 'FAILED':
      return { kind: 'failed', ...failureOf(data.failureReason) };
    default:
      return { kind: 'unreadable', message: rawMessage('pawaPay reported an unknown status', data.status) };
  }
}

/** Returns the reason of a failed deposit. */
export function paymentReason(code: string): Reason {
  return entryOf(PAYMENT_REASONS, code) ?? 'unknown';
}

/** Returns the reason of a failed payout, or null where the public contract has none. */
export function payoutReason(code: string): PayoutReason | null {
  return entryOf(PAYOUT_REASONS, code) ?? null;
}

/** Returns the reason of a failed refund. */
export function refundReason(code: string): Reason {
  return entryOf(REFUND_REASONS, code) ?? paymentReason(code);
}

/** Returns whether the operation was cancelled manually, on pawaPay's dashboard or by its API. */
export function isCancelled(code: string): boolean {
  return code === 'MANUALLY_CANCELLED';
}

/**
 * Returns whether our own wallet had insufficient funds: nothing was paid, and FAILED is final (failure codes; payouts
 * and refunds, status).
 */
export function isUnfunded(code: string): boolean {
  return code === 'PAWAPAY_WALLET_OUT_OF_FUNDS';
}

function failureOf(value: unknown): { code: string; message: string } {
  const { failureCode, failureMessage } = fieldsOf(value);
  const code = textOf(failureCode) ?? 'no failure code';
  return { code, message: rawMessage(code, failureMessage) };
}
