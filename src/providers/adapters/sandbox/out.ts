import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Payout, PayoutOutcome, Payouts, Refund, RefundOutcome, Refunds } from '../contract.ts';
import { fateOfPayout, refundsFail, UNREFUNDABLE } from './outcomes.ts';

/**
 * Returns the payouts of test mode. Like collections, their outcome follows from the number, the submission time and
 * the clock.
 */
export function sandboxPayouts(clock: Clock, delay_ms: number): Payouts {
  return {
    reaches: () => true,
    submit: async () => ({ kind: 'pending', provider_ref: null, poll_after_ms: delay_ms }),
    read: async (payout) => readPayout(payout, clock.now(), delay_ms),
  };
}

function readPayout(payout: Payout, now: number, delay_ms: number): PayoutOutcome {
  const fate = fateOfPayout(payout.recipient.phone ?? payout.recipient.account_number ?? '');
  const due = delay_ms + (fate.kind === 'cancelled' ? fate.after_ms : 0);
  const age = now - (payout.submitted_at ?? now);
  if (age < due) return { kind: 'pending', provider_ref: null, poll_after_ms: due - age };
  const { provider_key, amount_minor, currency } = payout;
  switch (fate.kind) {
    case 'succeeds':
      return { kind: 'succeeded', provider_ref: `sandbox-${provider_key}`, amount_minor, currency };
    case 'fails':
      return { kind: 'failed', reason: fate.reason, message: `sandbox: ${fate.reason}` };
    case 'cancelled':
      return { kind: 'cancelled', message: 'sandbox: cancelled by the provider' };
    default:
      return unreachable(fate);
  }
}

/** Returns the refunds of test mode, which complete immediately (docs/contract/sandbox.md). */
export function sandboxRefunds(): Refunds {
  const decide = async (refund: Refund): Promise<RefundOutcome> =>
    refundsFail(refund.collection.payer ?? '') || refund.collection.provider_ref?.endsWith(UNREFUNDABLE)
      ? { kind: 'failed', reason: 'operator_declined', message: 'sandbox: operator_declined' }
      : { kind: 'succeeded', provider_ref: `sandbox-${refund.provider_key}` };
  return { extent: 'partial', submit: decide, read: decide };
}
