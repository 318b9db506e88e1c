import type { PollPlan } from '../contract.ts';

// Shared by the adapters whose providers return no polling interval: all but pawapay.

/**
 * Returns the delay in milliseconds before the next poll of an open operation. It grows with the age of the operation,
 * by the provider's plan.
 */
export function nextPoll({ first_ms, factor, max_ms }: PollPlan, submitted_at: number | null, now: number): number {
  const age = now - (submitted_at ?? now);
  return Math.min(Math.max(age * (factor - 1), first_ms), max_ms);
}
