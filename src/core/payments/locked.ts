import { must } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { apply } from './apply.ts';
import type { ApplyContext } from './change.ts';
import { attemptsOf } from '../attempts/store.ts';
import { isUnderWay } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';
import { hasUndecidedMoney } from './retry.ts';
import { isFinal } from './states.ts';
import { lockPayments, type PaymentRef } from './store.ts';

/** A payment that is locked until the transaction ends. */
export interface LockedPayment {
  payment: PaymentRow;
  /** not_started: no attempt is or was under way; under_way: money may be moving; final: only a refund can change it. */
  progress: 'not_started' | 'under_way' | 'final';
}

/**
 * Locks a payment and returns its progress. Callers that also lock rows belonging to payments lock the payment first, so that
 * they cannot deadlock.
 */
export async function lockPaymentProgress(tx: Tx, ref: PaymentRef): Promise<LockedPayment> {
  const payment = must((await lockPayments(tx, [ref]))[0], 'the row that led to it names it');
  if (isFinal(payment.status)) return { payment, progress: 'final' };
  const attempts = await attemptsOf(tx, [ref]);
  const started = payment.status !== 'pending' || attempts.some(isUnderWay) || (await hasUndecidedMoney(tx, attempts));
  return { payment, progress: started ? 'under_way' : 'not_started' };
}

/** Cancels a locked payment on which no charge has started, in the caller's transaction. */
export async function cancelLockedPayment(tx: Tx, context: ApplyContext, { payment }: LockedPayment): Promise<void> {
  const { team_id, id } = payment;
  await apply(tx, context, [{ team_id, payment_id: id, occurrences: [{ kind: 'merchant_cancelled' }] }]);
}
