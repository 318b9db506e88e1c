import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Payout, PayoutOutcome, Payouts } from '../contract.ts';
import { outcomeOfPayout } from './codes.ts';

/**
 * Returns the payouts of test mode. Like collections, their outcome follows from the number, the submission time and
 * the clock.
 */
export function payouts(clock: Clock, delay_ms: number): Payouts {
  return {
    reaches: () => true,
    submit: async () => ({ kind: 'pending', provider_ref: null, poll_after_ms: delay_ms }),
    read: async (payout) => readPayout(payout, clock.now(), delay_ms),
  };
}

function readPayout(payout: Payout, now: number, delay_ms: number): PayoutOutcome {
  const outcome = outcomeOfPayout(payout.recipient.phone ?? payout.recipient.account_number ?? '');
  const due = delay_ms + (outcome.kind === 'cancelled' ? outcome.after_ms : 0);
  const age = now - (payout.submitted_at ?? now);
  if (age < due) return { kind: 'pending', provider_ref: null, poll_after_ms: due - age };
  const { provider_key, amount_minor, currency } = payout;
  switch (outcome.kind) {
    case 'succeeds':
      return { kind: 'succeeded', provider_ref: `sandbox-${provider_key}`, amount_minor, currency };
    case 'fails':
      return { kind: 'failed', reason: outcome.reason, message: `sandbox: ${outcome.reason}` };
    case 'cancelled':
      return { kind: 'cancelled', message: 'sandbox: cancelled by the provider' };
    default:
      return unreachable(outcome);
  }
}
