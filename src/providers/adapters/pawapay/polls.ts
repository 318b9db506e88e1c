import type { PollPlan } from '../contract.ts';

/** A prompt expires after some minutes. An operation that pawaPay has not completed by then may take hours. */
export const POLLS: PollPlan = { first_ms: 3_000, factor: 1.5, longest_ms: 300_000 };
/** Minimum interval for an operation that pawaPay is resolving with an operator or keeps in a queue. */
const SLOW_MS = 60_000;

/**
 * Returns the delay before the next poll: a third of the elapsed time, within the limits.
 * @returns milliseconds
 */
export function pollAfter(submitted_at: number | null, now: number, slow = false): number {
  const age = submitted_at === null ? 0 : Math.max(0, now - submitted_at);
  return Math.min(Math.max(age / 3, slow ? SLOW_MS : POLLS.first_ms), POLLS.longest_ms);
}
