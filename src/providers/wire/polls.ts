import type { PollPlan } from '../contract.ts';

// Shared by the adapters whose providers name no time themselves: all but pawapay.

/** When to ask again about something still open, by the provider's plan: the older it is, the later. */
export function nextPoll({ first_ms, factor, longest_ms }: PollPlan, submitted_at: number | null, now: number): number {
  const age = now - (submitted_at ?? now);
  return Math.min(Math.max(age * (factor - 1), first_ms), longest_ms);
}
