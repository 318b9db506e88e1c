import type { PollPlan } from '../contract.ts';

/** A prompt lives for some minutes; what pawaPay still has not settled then may take hours. */
export const POLLS: PollPlan = { first_ms: 3_000, factor: 1.5, longest_ms: 300_000 };
/** What pawaPay itself is settling with an operator, or keeps in a queue. */
const SLOW_MS = 60_000;

/** When to ask again: after a third of the time that has passed. */
export function pollAfter(submitted_at: number | null, now: number, slow = false): number {
  const age = submitted_at === null ? 0 : Math.max(0, now - submitted_at);
  return Math.min(Math.max(age / 3, slow ? SLOW_MS : POLLS.first_ms), POLLS.longest_ms);
}
