import { Problem } from '../../kit/errors.ts';
import { isReason, payerMessage, type Reason } from '../../providers/adapters/reasons.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import type { PaymentRow } from '../payments/schema.ts';

/** Whether a payment can be charged now: nothing was collected yet, or tranches are missing. */
export function isChargeable(payment: Pick<PaymentRow, 'status'>): boolean {
  return payment.status === 'pending' || payment.status === 'partial';
}

/** Returns the error 402: the payer's money did not move. */
export function declined(reason: Reason, message: string): Problem {
  return new Problem(402, message, { error_code: reason, payer_message: payerMessage(reason) });
}

/** Returns the reason with which an attempt or a payment was closed, from the closed list of reasons. */
export function reasonOf({ reason }: Pick<AttemptRow, 'reason'>): Reason {
  return reason !== null && isReason(reason) ? reason : 'unknown';
}

/** The error 400 while another charge of the payment is under way. It may still turn out to have created nothing. */
export class ChargeUnderWay extends Problem {
  constructor() {
    super(400, 'A charge of this payment is already under way.');
  }
}

/** Returns the error 400 for a payment that cannot be charged in its present state. */
export function wrongState(payment: Pick<PaymentRow, 'status'>): Problem {
  return isChargeable(payment)
    ? new ChargeUnderWay()
    : new Problem(400, `The payment is ${payment.status} and cannot be charged.`);
}

/** Returns the error 400 for a payment whose window is over, before the worker has expired it, or while a charge of it waits for a code. */
export function windowOver(): Problem {
  return new Problem(400, 'The payment window is over, and the payment can no longer be paid.');
}

/**
 * Returns the error 400 for a payment that cannot be charged now; null when it can be.
 * @param held whether a charge is under way, or money waits for a decision
 */
export function chargeFault(payment: Pick<PaymentRow, 'status' | 'expires_at'>, held: boolean, at: number): Problem | null {
  if (held || !isChargeable(payment)) return wrongState(payment);
  return payment.expires_at.getTime() <= at ? windowOver() : null;
}
