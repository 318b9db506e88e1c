import type { Collection, PollPlan } from '../contract.ts';

// Shared by the adapters whose providers return no polling interval: all but pawapay.

/** Assumed lifetime of a payment page where the provider documents none. Integrators of Orange Money Web Payment report ten minutes. */
const PAGE_MS = 30 * 60_000;

/**
 * Returns the delay in milliseconds before the next poll of an open operation. It grows with the age of the operation,
 * by the provider's plan.
 */
export function nextPoll({ first_ms, factor, max_ms }: PollPlan, submitted_at: number | null, now: number): number {
  const age = now - (submitted_at ?? now);
  return Math.min(Math.max(age * (factor - 1), first_ms), max_ms);
}

/**
 * Returns when a payment page can no longer be used: half an hour after the submission, and at the latest when the attempt expires.
 * @returns milliseconds since the epoch
 */
export function pageClosesAt({ submitted_at, expires_at }: Pick<Collection, 'submitted_at' | 'expires_at'>): number {
  return submitted_at === null ? expires_at : Math.min(expires_at, submitted_at + PAGE_MS);
}
