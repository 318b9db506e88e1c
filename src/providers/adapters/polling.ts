import type { Capabilities, Payout, PayoutOutcome, Payouts, PollPlan } from './contract.ts';

/*
 * When providers are polled for outcomes: the same for payments, refunds, payouts and returns.
 */

/** Lease of a submission. A provider that has not responded by then may still have acted, so the result is polled for. */
export const SUBMIT_LEASE_MS = 60_000;
/**
 * Outcome of a payout whose process was paused between the commit of its intent and the request, longer than the lease: since then others
 * may have polled it, resent it or ended it, so it must not be sent any more.
 */
const NOT_SENT = { kind: 'unavailable', message: 'it was not sent in time' } as const satisfies PayoutOutcome;
/** Delay before the first poll where the outcome is unknown; later polls follow {@link pollDelay}. */
export const FIRST_POLL_MS = 2_000;
/** Minimum delay between polls, even for a provider that requests an immediate one. */
export const MIN_POLL_WAIT_MS = 100;
/** Delay between polls of operations that only a person can resolve, and the maximum of {@link backOff}. */
export const MAX_POLL_WAIT_MS = 300_000;
/** Values for a reading that does not come from a provider: from a document, or of an account that can no longer be used. */
export const NO_PROVIDER: Pick<Capabilities, 'polls' | 'not_found_grace_ms'> = {
  polls: { first_ms: MAX_POLL_WAIT_MS, factor: 1, max_ms: MAX_POLL_WAIT_MS },
  not_found_grace_ms: 0,
};
/**
 * Maximum polls of a failed operation for which the provider returns no definite status; another update starts new polls. With
 * {@link backOff} they take about a day.
 */
export const MAX_RECHECKS = 300;
/** Minimum time after which "not found" is evidence, because status endpoints lag (decision 0016). */
const NOT_FOUND_GRACE_MS = 600_000;

/**
 * Sends a payout whose intent is committed, unless that was too long ago.
 * @param now current time, in milliseconds since the epoch
 */
export async function submitInTime(payouts: Payouts, payout: Payout, now: number): Promise<PayoutOutcome> {
  return now - (payout.submitted_at ?? now) >= SUBMIT_LEASE_MS ? NOT_SENT : payouts.submit(payout);
}

/** Returns the delay in milliseconds where no provider, and so no poll plan, is known: exponential, up to five minutes. */
export function backOff(polls: number): number {
  return Math.min(FIRST_POLL_MS * 2 ** Math.min(polls, 10), MAX_POLL_WAIT_MS);
}

/** Returns the delay before the next poll in milliseconds, by the provider's own poll plan. */
export function pollDelay({ first_ms, factor, max_ms }: PollPlan, polls: number): number {
  return Math.min(first_ms * factor ** Math.min(polls, 20), max_ms);
}

/**
 * Returns whether a refund or payout that its provider reports as not found may be sent again with the same key. It may not soon after
 * it was sent, and never to a provider without idempotency: if the first one did arrive, the money would be moved twice. That case is
 * left to manual resolution.
 * @param operation the provider's refund or payout operations, whose idempotency may differ
 * @param sent_at when it was last sent, in milliseconds since the epoch; null: unknown
 * @param now when the provider was queried, in milliseconds since the epoch
 */
export function mayBeSentAgain(
  capabilities: Pick<Capabilities, 'idempotency' | 'not_found_grace_ms'>,
  operation: Partial<Pick<Capabilities, 'idempotency'>> | undefined,
  sent_at: number | null,
  now: number,
): boolean {
  const idempotency = operation?.idempotency ?? capabilities.idempotency;
  return idempotency !== 'none' && sent_at !== null && !mayNotBeShownYet(capabilities, sent_at, now);
}

/** Returns the period after sending in which "not found" proves nothing, in milliseconds, whatever shorter one the provider declares. */
export function notFoundGraceOf({ not_found_grace_ms }: Pick<Capabilities, 'not_found_grace_ms'>): number {
  return Math.max(not_found_grace_ms, NOT_FOUND_GRACE_MS);
}

/**
 * Returns whether "not found" proves nothing about a charge, refund or payout, because it was sent a short time ago.
 * @param sent_at when it was last sent, in milliseconds since the epoch; null: unknown, and assumed to be long ago
 * @param now when the provider was queried, in milliseconds since the epoch
 */
export function mayNotBeShownYet(
  capabilities: Pick<Capabilities, 'not_found_grace_ms'>,
  sent_at: number | null,
  now: number,
): boolean {
  return sent_at !== null && now - sent_at < notFoundGraceOf(capabilities);
}

/**
 * Returns whether another poll was scheduled during a call to the provider: after a callback, or by a worker that claimed the row.
 * @param now current due time of the next poll; null: never
 * @param known due time when the provider was queried
 */
export function isNewPoll(now: Date | null, known: Date | null): boolean {
  return now !== null && now.getTime() !== known?.getTime();
}

/**
 * Returns when an operation is polled next. An earlier poll that was scheduled during a call to the provider is kept: the response may be
 * older than the callback that scheduled it, and the provider does not repeat the callback.
 * @param now current due time of the next poll; null: never
 * @param known due time when the provider was queried
 */
export function nextPoll(wanted: Date, now: Date | null, known: Date | null): Date {
  return now !== null && now < wanted && isNewPoll(now, known) ? now : wanted;
}
