import type { PayoutOutcome, PayoutReason, Reading } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, isProvenRejection, listOf, type Reply, textOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';

/** Reasons by `last_payment_error.code`, the error of the payer's last failed attempt. */
const PAYMENT_REASONS = new Map<string, Reason>(
  Object.entries({
    'insufficient-funds': 'insufficient_funds',
    'blocked-account': 'operator_declined',
    'payer-mobile-mismatch': 'invalid_number',
    'cross-border-payment-not-allowed': 'operator_declined',
    'customer-age-restricted': 'operator_declined',
    'kyb-limits-exceeded': 'channel_unavailable',
    'payment-failure': 'operator_declined',
  } satisfies Record<string, Reason>),
);

/** Codes that reject the recipient of a payout. The same request would fail again. */
const PAYOUT_REASONS = new Map<string, PayoutReason>(
  [
    ...['recipient-minor', 'recipient-account-blocked', 'recipient-account-inactive', 'recipient-limit-exceeded'],
    ...['country-mismatch', 'currency-mismatch'],
  ].map((code) => [code, 'invalid_recipient']),
);

/** Codes that reject a refund (Checkout API, refund a session), besides those that reject the recipient. */
const REFUND_REFUSED = new Set(['blocked-account', 'checkout-refund-failed']);

/**
 * Our own wallet has insufficient funds, which does not prevent another provider from paying (Payout API, errors). Wave repeats the
 * result of a key, also after the wallet was topped up (Business API, idempotency), so the next submission needs another key.
 */
const UNFUNDED = 'insufficient-funds';

const PAYMENT_STATUSES = new Set<unknown>(['processing', 'cancelled', 'succeeded']);

/** All known codes. The tests print the meaning of each. */
export const CODES = { payment: [...PAYMENT_REASONS.keys()], payout: [...PAYOUT_REASONS.keys()] };

/** The result of creating a checkout session. */
export type Made = { kind: 'made'; id: string; wave_launch_url: string } | { kind: 'not_made'; message: string };

/** Parses the response to session creation. Any other response means that no page was returned, so it cannot be paid. */
export function madeOf(reply: Reply): Made {
  if (reply.kind !== 'answered') return { kind: 'not_made', message: rawMessage('no checkout session', reply.message) };
  const fields = fieldsOf(reply.body);
  const [id, wave_launch_url] = [textOf(fields.id), textOf(fields.wave_launch_url)];
  // The id becomes part of an address.
  if (reply.status >= 300 || !id || !/^[\w-]{1,100}$/.test(id) || !wave_launch_url) {
    return { kind: 'not_made', message: errorOf(reply).message };
  }
  return { kind: 'made', id, wave_launch_url };
}

/**
 * Parses the response of the session endpoint.
 * @param key our key of the attempt; a session of another attempt is unreadable
 */
export function sessionReading(reply: Reply, key: string, poll_after_ms: number): Reading {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawMessage('no response from Wave', reply.message) };
  if (reply.status !== 200) return { kind: 'unreadable', message: errorOf(reply).message };
  return readingOf(reply.body, key, poll_after_ms);
}

/** Parses a checkout session, from a response or from a webhook. */
export function readingOf(value: unknown, key: string, poll_after_ms: number): Reading {
  const session = fieldsOf(value);
  if (session.client_reference !== key) return { kind: 'unreadable', message: 'Wave reported another session' };
  const { checkout_status, payment_status } = session;
  if (!PAYMENT_STATUSES.has(payment_status)) {
    return { kind: 'unreadable', message: rawMessage('Wave reported an unknown payment status', payment_status) };
  }
  if (payment_status === 'succeeded') return successOf(session);
  switch (checkout_status) {
    // A failed payment attempt does not end an open session: the payer may try again.
    case 'open':
      return { kind: 'pending', poll_after_ms };
    case 'complete':
      return payment_status === 'cancelled' ? failureOf(session, 'operator_declined') : { kind: 'pending', poll_after_ms };
    // A session that was never paid also has the payment status "processing".
    case 'expired':
      return session.last_payment_error ? failureOf(session, 'unknown') : { kind: 'expired' };
    default:
      return { kind: 'unreadable', message: rawMessage('Wave reported an unknown session status', checkout_status) };
  }
}

function successOf({ id, transaction_id, amount, currency }: Record<string, unknown>): Reading {
  const amount_minor = minorOf(amount);
  const provider_ref = textOf(transaction_id) ?? textOf(id);
  if (amount_minor === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) || !provider_ref) {
    return { kind: 'unreadable', message: 'Wave reported a success without its amount' };
  }
  return { kind: 'succeeded', provider_ref, amount_minor, currency };
}

/**
 * Returns the failure of a session.
 * @param otherwise the reason used where Wave reports none or an unknown one
 */
function failureOf({ last_payment_error }: Record<string, unknown>, otherwise: Reason): Reading {
  const { code, message } = fieldsOf(last_payment_error);
  const reason = PAYMENT_REASONS.get(textOf(code) ?? '') ?? otherwise;
  return { kind: 'failed', reason, message: rawMessage(code, message) || 'the payment was cancelled' };
}

/** Classifies the response to expiring a session. */
export function expiryOf(reply: Reply): 'cancelled' | 'closed' | 'unclear' {
  if (reply.kind !== 'answered') return 'unclear';
  if (reply.status === 200) return 'cancelled';
  return reply.status === 409 ? 'closed' : 'unclear';
}

/** Classifies the response to a payout. Only documented rejections prove that nothing was created. */
export function payoutOf(reply: Reply, key: string, poll_after_ms: number): PayoutOutcome {
  if (reply.kind === 'unsent') return { kind: 'unavailable', message: rawMessage('Wave was not reached', reply.message) };
  if (reply.kind === 'lost') return { kind: 'unknown', message: rawMessage('no response from Wave', reply.message) };
  if (reply.status === 200 || reply.status === 201) return payoutReading(reply.body, key, poll_after_ms);
  const { code, message } = errorOf(reply);
  const reason = isClientError(reply.status) ? PAYOUT_REASONS.get(code) : undefined;
  if (reason) return { kind: 'failed', reason, message };
  if (isClientError(reply.status) && code === UNFUNDED) return { kind: 'unfunded', message };
  return isNotExecuted(reply) ? { kind: 'unavailable', message } : { kind: 'unknown', message };
}

/**
 * Returns whether a payout or refund was provably not executed. A 429 does not prove that an internal retry was not executed, so its status
 * is read.
 */
function isNotExecuted(reply: Extract<Reply, { kind: 'answered' }>): boolean {
  return isProvenRejection(reply) && reply.status !== 429;
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500;
}

/** Parses the result of a search by our key. */
export function payoutFound(reply: Reply, key: string, poll_after_ms: number): PayoutOutcome {
  if (reply.kind !== 'answered') return { kind: 'unknown', message: rawMessage('no response from Wave', reply.message) };
  const { result } = fieldsOf(reply.body);
  if (reply.status !== 200 || !Array.isArray(result)) return { kind: 'unknown', message: errorOf(reply).message };
  const found = listOf(result);
  if (found.length > 1) return { kind: 'unknown', message: 'Wave has several payouts with one key' };
  return found.length === 0 ? { kind: 'not_found' } : payoutReading(found[0], key, poll_after_ms);
}

function payoutReading(value: unknown, key: string, poll_after_ms: number): PayoutOutcome {
  const payout = fieldsOf(value);
  const provider_ref = textOf(payout.id);
  if (payout.client_reference !== key || !provider_ref) return { kind: 'unknown', message: 'Wave reported another payout' };
  switch (payout.status) {
    case 'processing':
      return { kind: 'pending', provider_ref, poll_after_ms };
    case 'succeeded': {
      const amount_minor = minorOf(payout.receive_amount);
      const currency = textOf(payout.currency);
      if (amount_minor === null || !currency || !/^[A-Z]{3}$/.test(currency)) break;
      return { kind: 'succeeded', provider_ref, amount_minor, currency };
    }
    case 'failed': {
      const { error_code, error_message } = fieldsOf(payout.payout_error);
      const message = rawMessage(error_code, error_message) || 'the payout failed';
      if (error_code === UNFUNDED) return { kind: 'unfunded', message };
      return { kind: 'failed', reason: PAYOUT_REASONS.get(textOf(error_code) ?? '') ?? null, message };
    }
    // The payout had succeeded and the money was returned.
    case 'reversed':
      return { kind: 'failed', reason: null, message: 'the payout was reversed' };
  }
  return { kind: 'unknown', message: rawMessage('Wave reported an unknown payout status', payout.status) };
}

/** The result of a refund request, by what it proves. */
export type RefundResult =
  | { kind: 'done' }
  | { kind: 'not_done'; message: string }
  | { kind: 'unfunded'; message: string }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unclear'; message: string };

/** Classifies the response to a refund request. */
export function refundResultOf(reply: Reply): RefundResult {
  if (reply.kind === 'unsent') return { kind: 'not_done', message: rawMessage('Wave was not reached', reply.message) };
  if (reply.kind === 'lost') return { kind: 'unclear', message: rawMessage('no response from Wave', reply.message) };
  // Documented as an empty body. Any other body did not come from Wave.
  if (reply.status === 200 && reply.body === undefined) return { kind: 'done' };
  const { code, message } = errorOf(reply);
  if (!isClientError(reply.status)) return { kind: 'unclear', message };
  if (code === 'checkout-session-not-found') return { kind: 'refused', reason: 'provider_error', message };
  if (PAYOUT_REASONS.has(code) || REFUND_REFUSED.has(code)) return { kind: 'refused', reason: 'operator_declined', message };
  if (code === UNFUNDED) return { kind: 'unfunded', message };
  return isNotExecuted(reply) ? { kind: 'not_done', message } : { kind: 'unclear', message };
}

/** Returns whether a session was refunded. Null when the response does not contain it. */
export function isRefunded(reply: Reply, key: string): boolean | null {
  if (reply.kind !== 'answered' || reply.status !== 200) return null;
  const { client_reference, checkout_status, payment_status, when_refunded } = fieldsOf(reply.body);
  if (client_reference !== key || checkout_status !== 'complete') return null;
  // A session whose payment is no longer `succeeded` may have been refunded or reversed without this field.
  if (when_refunded === undefined || when_refunded === null) return payment_status === 'succeeded' ? false : null;
  return textOf(when_refunded) === null ? null : true;
}

/**
 * Returns the code and the message for logs and operators: the HTTP status, and Wave's code and text where present. An
 * invalid request is answered with `code` and `message`, a request that could not be executed with `error_code` and
 * `error_message` (Payout API, errors).
 */
export function errorOf({ status, body }: Extract<Reply, { kind: 'answered' }>): { code: string; message: string } {
  const { error_code, error_message, code = error_code, message = error_message } = fieldsOf(body);
  return { code: textOf(code) ?? '', message: rawMessage(`HTTP ${status}`, code, message) };
}
