import type { Occurrence } from './change.ts';
import { totalOf } from './present.ts';
import type { PaymentRow } from './schema.ts';
import type { PaymentTrigger } from './states.ts';

/**
 * Returns the trigger for the state table. Whether a capture or refund is full or partial is decided here, under the lock.
 * @returns null when the trigger never changes the status
 */
export function triggerOf(payment: PaymentRow, occurrence: Occurrence): PaymentTrigger | null {
  switch (occurrence.kind) {
    case 'repriced':
    case 'tranche_unsent':
    case 'mismatched':
    case 'reversed':
    case 'return_required':
      return null;
    case 'captured':
      return capturedBy(payment, occurrence.amount_minor);
    case 'refunded':
      return payment.refunded_minor + occurrence.amount_minor < payment.amount_minor ? 'part_refunded' : 'fully_refunded';
    default:
      return occurrence.kind;
  }
}

/**
 * Returns the trigger of a capture. A declined tranche that succeeded after all may exceed the remaining amount: it is then
 * rejected and returned in full.
 */
function capturedBy(payment: PaymentRow, amount_minor: bigint): PaymentTrigger | null {
  const captured_minor = payment.captured_minor + amount_minor;
  const total = totalOf(payment);
  if (captured_minor > total) return null;
  return captured_minor < total ? 'part_captured' : 'captured';
}
