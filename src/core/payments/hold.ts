import { must } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { apply, type ApplyContext } from './apply.ts';
import { attemptsOf } from '../attempts/store.ts';
import { isOpen } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';
import { isFinal } from './states.ts';
import { lockPayments, type PaymentRef } from './store.ts';

/** A payment that is locked until the transaction ends. */
export interface Held {
  payment: PaymentRow;
  /** free: no attempt has started; under_way: money may be moving; final: only a refund can change it. */
  standing: 'free' | 'under_way' | 'final';
}

/**
 * Locks a payment and returns its standing. Callers that also lock rows belonging to payments lock the payment first, so that
 * they cannot deadlock.
 */
export async function holdPayment(tx: Tx, ref: PaymentRef): Promise<Held> {
  const payment = must((await lockPayments(tx, [ref]))[0], 'what it was made for names it');
  if (isFinal(payment.status)) return { payment, standing: 'final' };
  const begun = payment.status !== 'pending' || (await attemptsOf(tx, [ref])).some(isOpen);
  return { payment, standing: begun ? 'under_way' : 'free' };
}

/** Cancels a locked payment whose standing is free, in the caller's transaction. */
export async function withdrawPayment(tx: Tx, context: ApplyContext, { payment }: Held): Promise<void> {
  const { team_id, id } = payment;
  await apply(tx, context, [{ team_id, payment_id: id, occurrences: [{ kind: 'merchant_cancelled' }] }]);
}
