import { blockedCustomer } from '../customers/payer.ts';
import { must } from '../../kit/errors.ts';
import type { Minor } from '../../kit/money.ts';
import type { Db, Queryable, Tx } from '../../kit/sql.ts';
import { inputOf, type Order, paymentOf } from './create.ts';
import { insertWithPayers, seeingCustomers } from './create-store.ts';
import type { PaymentRow } from './schema.ts';
import { findByKey } from './store.ts';

/** Identity of a payment that is created once: a second order with the same key returns the first payment. */
export interface Once {
  route: string;
  key: string;
  hash: Buffer;
}

/** An {@link Order} without an Idempotency-Key of the caller; {@link Once} identifies it. */
export type InnerOrder = Omit<Order, 'idempotency_key'>;

/** Returns the payment created with this key before, or undefined. */
export function findCreatedBefore(db: Queryable, team_id: bigint, { route, key }: Once): Promise<PaymentRow | undefined> {
  return findByKey(db, team_id, route, key);
}

/**
 * Creates a payment in the caller's transaction, together with the rows that lead to it, such as the use of a payment link.
 * POST /payments does not use it: there one statement inserts many payments.
 * @throws Problem 422 blocked customer; a violation for which {@link creating} runs the transaction again
 */
export async function createInTransaction(tx: Tx, order: InnerOrder, amount_minor: Minor, once: Once): Promise<PaymentRow> {
  const keyed = { ...order, idempotency_key: once.key };
  const payment = paymentOf(keyed, amount_minor, null);
  const made = (await insertWithPayers(tx, [inputOf(keyed, payment, once.hash, once.route)])).get(payment.id);
  if (made === 'blocked') throw blockedCustomer();
  return { ...payment, ...must(made, 'the caller looked for an earlier one under its lock') };
}

/**
 * Runs a transaction that contains {@link createInTransaction}, and runs it again when another transaction is creating the payment's
 * customer.
 * @throws any other error, and the last violation after 5 runs
 */
export function creating<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return seeingCustomers(() => db.transaction(work));
}
