import type { PayoutOutcome, PayoutReason, Reading } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, isTurnedAway, listOf, type Reply, textOf } from '../wire/reply.ts';
import { rawWords } from '../wire/words.ts';

/** `last_payment_error.code`: why the payer's last try came to nothing. */
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

/** What judges the recipient of a payout: the same request would fail again. */
const PAYOUT_REASONS = new Map<string, PayoutReason>(
  [
    ...['recipient-minor', 'recipient-account-blocked', 'recipient-account-inactive', 'recipient-limit-exceeded'],
    ...['country-mismatch', 'currency-mismatch'],
  ].map((code) => [code, 'invalid_recipient']),
);

/** What ends a refund (Checkout API, refund a session), beside what judges the recipient. */
const REFUND_REFUSED = new Set(['blocked-account', 'checkout-refund-failed']);

const PAYMENT_STATUSES = new Set<unknown>(['processing', 'cancelled', 'succeeded']);

/** Every word we know: the tests print what becomes of each. */
export const WORDS = { payment: [...PAYMENT_REASONS.keys()], payout: [...PAYOUT_REASONS.keys()] };

/** What became of asking for a checkout session. */
export type Made = { kind: 'made'; id: string; wave_launch_url: string } | { kind: 'not_made'; message: string };

/** Whatever else came back, no page was told: nobody can pay on it. */
export function madeOf(reply: Reply): Made {
  if (reply.kind !== 'answered') return { kind: 'not_made', message: rawWords('no checkout session', reply.message) };
  const fields = fieldsOf(reply.body);
  const [id, wave_launch_url] = [textOf(fields.id), textOf(fields.wave_launch_url)];
  // The id becomes part of an address.
  if (reply.status >= 300 || !id || !/^[\w-]{1,100}$/.test(id) || !wave_launch_url) {
    return { kind: 'not_made', message: wordingOf(reply).message };
  }
  return { kind: 'made', id, wave_launch_url };
}

/** What a checkout session says of the attempt with this key. */
export function sessionReading(reply: Reply, key: string, poll_after_ms: number): Reading {
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawWords('no answer from Wave', reply.message) };
  if (reply.status !== 200) return { kind: 'unreadable', message: wordingOf(reply).message };
  return readingOf(reply.body, key, poll_after_ms);
}

/** The same, from the session itself: in an answer or in a webhook. */
export function readingOf(value: unknown, key: string, poll_after_ms: number): Reading {
  const session = fieldsOf(value);
  if (session.client_reference !== key) return { kind: 'unreadable', message: 'Wave tells of another session' };
  const { checkout_status, payment_status } = session;
  if (!PAYMENT_STATUSES.has(payment_status)) {
    return { kind: 'unreadable', message: rawWords('Wave tells of a payment we can not read', payment_status) };
  }
  if (payment_status === 'succeeded') return successOf(session);
  switch (checkout_status) {
    // A try that failed does not end an open session: the payer may try again.
    case 'open':
      return { kind: 'pending', poll_after_ms };
    case 'complete':
      return payment_status === 'cancelled' ? failureOf(session, 'operator_declined') : { kind: 'pending', poll_after_ms };
    // A session that nobody has paid says "processing" too.
    case 'expired':
      return session.last_payment_error ? failureOf(session, 'unknown') : { kind: 'expired' };
    default:
      return { kind: 'unreadable', message: rawWords('Wave tells of a session we can not read', checkout_status) };
  }
}

function successOf({ id, transaction_id, amount, currency }: Record<string, unknown>): Reading {
  const amount_minor = minorOf(amount);
  const provider_ref = textOf(transaction_id) ?? textOf(id);
  if (amount_minor === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) || !provider_ref) {
    return { kind: 'unreadable', message: 'Wave tells of a success without its amount' };
  }
  return { kind: 'succeeded', provider_ref, amount_minor, currency };
}

/** @param otherwise the reason where Wave gives none, or one we do not know */
function failureOf({ last_payment_error }: Record<string, unknown>, otherwise: Reason): Reading {
  const { code, message } = fieldsOf(last_payment_error);
  const reason = PAYMENT_REASONS.get(String(code)) ?? otherwise;
  return { kind: 'failed', reason, message: rawWords(code, message) || 'the payment was cancelled' };
}

/** What giving up a session came to. */
export function expiryOf(reply: Reply): 'given_up' | 'over' | 'unclear' {
  if (reply.kind !== 'answered') return 'unclear';
  if (reply.status === 200) return 'given_up';
  return reply.status === 409 ? 'over' : 'unclear';
}

/** What the answer to a payout says; only what is documented as refused proves that nothing was created. */
export function payoutOf(reply: Reply, key: string, poll_after_ms: number): PayoutOutcome {
  if (reply.kind === 'unsent') return { kind: 'unavailable', message: rawWords('Wave was not reached', reply.message) };
  if (reply.kind === 'lost') return { kind: 'unknown', message: rawWords('no answer from Wave', reply.message) };
  if (reply.status === 200 || reply.status === 201) return payoutReading(reply.body, key, poll_after_ms);
  const { code, message } = wordingOf(reply);
  const reason = isClientError(reply.status) ? PAYOUT_REASONS.get(code) : undefined;
  if (reason) return { kind: 'failed', reason, message };
  // A 429 leaves it open whether a retry underneath went through: the same key is asked about.
  return isNotExecuted(reply, code) && reply.status !== 429 ? { kind: 'unavailable', message } : { kind: 'unknown', message };
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500;
}

/**
 * Whether nothing was executed: the request was turned away by its status, or our own wallet lacks the money, which does
 * not keep another provider from paying (Payout API, errors). A code that is not known proves nothing.
 */
function isNotExecuted(reply: Extract<Reply, { kind: 'answered' }>, code: string): boolean {
  return isTurnedAway(reply) || (isClientError(reply.status) && code === 'insufficient-funds');
}

/** What a search by our key found. */
export function payoutFound(reply: Reply, key: string, poll_after_ms: number): PayoutOutcome {
  if (reply.kind !== 'answered') return { kind: 'unknown', message: rawWords('no answer from Wave', reply.message) };
  const { result } = fieldsOf(reply.body);
  if (reply.status !== 200 || !Array.isArray(result)) return { kind: 'unknown', message: wordingOf(reply).message };
  const found = listOf(result);
  if (found.length > 1) return { kind: 'unknown', message: 'Wave knows several payouts under one key' };
  return found.length === 0 ? { kind: 'not_found' } : payoutReading(found[0], key, poll_after_ms);
}

function payoutReading(value: unknown, key: string, poll_after_ms: number): PayoutOutcome {
  const payout = fieldsOf(value);
  const provider_ref = textOf(payout.id);
  if (payout.client_reference !== key || !provider_ref) return { kind: 'unknown', message: 'Wave tells of another payout' };
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
      const message = rawWords(error_code, error_message) || 'the payout failed';
      return { kind: 'failed', reason: PAYOUT_REASONS.get(String(error_code)) ?? null, message };
    }
    // It had succeeded, and the money came back.
    case 'reversed':
      return { kind: 'failed', reason: null, message: 'the payout was reversed' };
  }
  return { kind: 'unknown', message: rawWords('Wave tells of a payout we can not read', payout.status) };
}

/** What the answer to a refund proves. */
export type GivenBack =
  | { kind: 'done' }
  | { kind: 'not_done'; message: string }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unclear'; message: string };

export function givenBackOf(reply: Reply): GivenBack {
  if (reply.kind === 'unsent') return { kind: 'not_done', message: rawWords('Wave was not reached', reply.message) };
  if (reply.kind === 'lost') return { kind: 'unclear', message: rawWords('no answer from Wave', reply.message) };
  // Documented as empty: anything else is not Wave's word.
  if (reply.status === 200 && reply.body === undefined) return { kind: 'done' };
  const { code, message } = wordingOf(reply);
  if (code === 'checkout-session-not-found') return { kind: 'refused', reason: 'provider_error', message };
  if (PAYOUT_REASONS.has(code) || REFUND_REFUSED.has(code)) return { kind: 'refused', reason: 'operator_declined', message };
  return isNotExecuted(reply, code) ? { kind: 'not_done', message } : { kind: 'unclear', message };
}

/** Whether a session was given back. Null: the answer does not tell. */
export function isGivenBack(reply: Reply, key: string): boolean | null {
  if (reply.kind !== 'answered' || reply.status !== 200) return null;
  const { client_reference, checkout_status, when_refunded } = fieldsOf(reply.body);
  if (client_reference !== key || checkout_status !== 'complete') return null;
  if (when_refunded === undefined || when_refunded === null) return false;
  return textOf(when_refunded) === null ? null : true;
}

/**
 * For logs and people: the status, and Wave's code and text where it has them. A request that was not understood is
 * answered with `code` and `message`, one that could not be executed with `error_code` and `error_message` (Payout API, errors).
 */
export function wordingOf({ status, body }: Extract<Reply, { kind: 'answered' }>): { code: string; message: string } {
  const { error_code, error_message, code = error_code, message = error_message } = fieldsOf(body);
  return { code: textOf(code) ?? '', message: rawWords(`HTTP ${status}`, code, message) };
}
