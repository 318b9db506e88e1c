import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { apply } from './apply.ts';
import { attemptsOf } from '../attempts/store.ts';
import { findWithRows } from './archived.ts';
import type { PaymentDeps } from './deps.ts';
import { type AttemptRow, isUnderWay } from '../attempts/schema.ts';
import { hasUndecidedMoney } from './retry.ts';
import type { PaymentRow } from './schema.ts';
import { findPayment, lockPayments, type PaymentRef } from './store.ts';
import { findWithAttempts, type PaymentWithAttempts } from './view-store.ts';

/**
 * Returns a payment of this team and store, with its attempts.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function getPayment(store: Store, team_id: bigint, id: string): Promise<PaymentWithAttempts> {
  const found = isId('trx', store.environment, id) ? await findWithAttempts(store.db, team_id, id) : undefined;
  if (!found) throw notFound('Payment');
  return found;
}

/**
 * Returns the payment without attempts, for callers that need only the row.
 * @throws Problem 404, as {@link getPayment}
 */
export async function getPaymentRow(store: Store, team_id: bigint, id: string): Promise<PaymentRow> {
  const found = isId('trx', store.environment, id) ? await findPayment(store.db, team_id, id) : undefined;
  if (!found) throw notFound('Payment');
  return found;
}

/**
 * Cancels a payment that is still pending and has no charge under way.
 * @throws Problem 400 `payment_not_cancellable`, 404
 */
export async function cancelPayment(
  deps: PaymentDeps,
  store: Store,
  ref: PaymentRef,
  by: Actor,
): Promise<{ payment: PaymentRow; attempts: AttemptRow[] }> {
  await getPaymentRow(store, ref.team_id, ref.id);
  const applied = await store.db.transaction(async (tx) => {
    const [payment] = await lockPayments(tx, [ref]);
    const attempts = await attemptsOf(tx, [ref]);
    const isBusy = attempts.some(isUnderWay) || (await hasUndecidedMoney(tx, attempts));
    if (payment?.status !== 'pending' || isBusy) throw notCancellable(payment?.status ?? 'gone');
    const context = { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners };
    const changes = await apply(tx, context, [
      { team_id: ref.team_id, payment_id: ref.id, occurrences: [{ kind: 'merchant_cancelled' }] },
    ]);
    await record(tx, by, { team_id: ref.team_id, action: 'payment.cancel', resource_id: ref.id, at: context.at });
    return changes.get(ref.id);
  });
  if (!applied) throw notFound('Payment');
  deps.wake.ring(store.environment);
  return applied;
}

function notCancellable(status: string): Problem {
  const hint = status === 'succeeded' ? ': use a refund' : status === 'pending' ? ': a charge is under way' : '';
  return new Problem(400, `The payment is ${status} and cannot be cancelled${hint}.`, { error_code: 'payment_not_cancellable' });
}

/** Locks a payment until the transaction ends. Every change of its refunds and disputes does this first. */
export async function lockPayment(tx: Tx, team_id: bigint, id: string): Promise<PaymentRow | undefined> {
  return (await lockPayments(tx, [{ team_id, id }]))[0];
}

/** Returns the attempts that captured the payment's money, oldest first, without those whose money must be returned in full. */
export async function capturesOf(db: Queryable, ref: PaymentRef): Promise<AttemptRow[]> {
  return (await attemptsOf(db, [ref])).filter((attempt) => attempt.status === 'succeeded' && !attempt.must_return);
}

/** Returns an attempt with its payment, for callers that return its money. */
export async function getCapture(
  db: Queryable,
  team_id: bigint,
  payment_id: string,
  attempt_id: string,
): Promise<{ payment: PaymentRow; attempt: AttemptRow }> {
  // A closed return is checked again after a callback, and its payment may be archived by then.
  const { payment, attempts } = must(await findWithRows(db, { team_id, id: payment_id }), 'the payment of an attempt exists');
  const attempt = attempts.find(({ id }) => id === attempt_id);
  return { payment, attempt: must(attempt, 'the attempt exists') };
}
