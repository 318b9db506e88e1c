import { Problem } from '../kit/errors.ts';
import { isReason, payerMessage, type Reason } from '../providers/reasons.ts';
import type { AttemptRow, PaymentRow } from './schema.ts';

/** A payment that can be charged now: nothing was collected yet, or pieces are missing. */
export function isChargeable(payment: Pick<PaymentRow, 'status'>): boolean {
  return payment.status === 'pending' || payment.status === 'partial';
}

/** 402: the payer's money did not move. */
export function declined(reason: Reason, message: string): Problem {
  return new Problem(402, message, { error_code: reason, payer_message: payerMessage(reason) });
}

/** The reason an attempt or a payment was closed with, one of the closed list. */
export function reasonOf({ reason }: Pick<AttemptRow, 'reason'>): Reason {
  return reason !== null && isReason(reason) ? reason : 'unknown';
}

export function wrongState(payment: Pick<PaymentRow, 'status'>): Problem {
  return new Problem(
    400,
    isChargeable(payment)
      ? 'A charge of this payment is already under way.'
      : `The payment is ${payment.status} and can not be charged.`,
  );
}
