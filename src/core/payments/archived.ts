import type { Queryable, Tx } from '../../kit/sql.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { type AttemptReference, attemptsOf, findAttempt, findBySubject } from '../attempts/store.ts';
import { archivedAttempts, paymentsOfCustomer, findArchived, withArchived } from './archived-store.ts';
import type { PaymentRow } from './schema.ts';
import { isFinal } from './states.ts';
import { findStored, lockPayments, type PaymentRef } from './store.ts';

/**
 * Returns a payment with the rows of its attempts, archived or not. Attempts are read before the payment, so that a payment without
 * charges is never shown beside attempts that have ended since.
 */
export async function findWithRows(
  db: Queryable,
  ref: PaymentRef,
): Promise<{ payment: PaymentRow; attempts: AttemptRow[] } | undefined> {
  const attempts = await attemptsOf(db, [ref]);
  const stored = await findStored(db, ref.team_id, ref.id);
  if (!stored) return undefined;
  const { archived } = stored;
  if (archived) {
    const [payment] = (await withArchived(db, [stored])) as [PaymentRow];
    return { payment, attempts: await archivedAttempts(db, { ...ref, archived }) };
  }
  // It may have been restored between the two statements.
  const restored = attempts.length === 0 && isFinal(stored.status) ? await attemptsOf(db, [ref]) : attempts;
  return { payment: stored, attempts: restored };
}

/**
 * Locks all payments of a customer, in the order of their ids, and restores those that are archived. None of them is archived before
 * the transaction ends.
 */
export async function lockPaymentsOf(tx: Tx, customer: { team_id: bigint; id: string }, batch: number): Promise<void> {
  for (let after = ''; ; ) {
    const refs = await paymentsOfCustomer(tx, customer, after, batch);
    const last = refs.at(-1);
    if (!last) return;
    await lockPayments(tx, refs);
    after = last.id;
  }
}

/** Returns an attempt. The payment of one that is archived is locked and restored. */
export async function restoreAttempt(tx: Tx, team_id: bigint, id: string): Promise<AttemptRow | undefined> {
  return (await findAttempt(tx, team_id, id)) ?? (await restored(tx, team_id, id, () => findAttempt(tx, team_id, id)));
}

/** Returns the newest attempt of a provider account that a callback identifies. The payment of one that is archived is restored. */
export async function restoreBySubject(
  store: Store,
  team_id: bigint,
  account_id: string,
  subject: AttemptReference,
): Promise<AttemptRow | undefined> {
  const find = (db: Queryable) => findBySubject(db, team_id, account_id, subject);
  const known = await find(store.db);
  // A provider reference finds only an open attempt, and an open attempt is never archived.
  if (known || subject.by === 'provider_ref') return known;
  const refs = await findArchived(store.db, team_id, subject.value);
  if (refs.length === 0) return find(store.db);
  return store.db.transaction((tx) => restored(tx, team_id, subject.value, () => find(tx)));
}

async function restored(
  tx: Tx,
  team_id: bigint,
  key: string,
  find: () => Promise<AttemptRow | undefined>,
): Promise<AttemptRow | undefined> {
  const refs = await findArchived(tx, team_id, key);
  if (refs.length > 0) await lockPayments(tx, refs);
  // Read again even when nothing archived was found: another transaction may have restored the attempt since.
  return find();
}
