import { blockedCustomer } from '../customers/payer.ts';
import { must } from '../kit/errors.ts';
import type { Minor } from '../kit/money.ts';
import { CHECK_VIOLATION, type Db, pgCode, pgConstraint, type Queryable, type Tx } from '../kit/sql.ts';
import { inputOf, type Order, paymentOf } from './create.ts';
import { insertWithPayers } from './create-store.ts';
import type { PaymentRow } from './schema.ts';
import { findByKey } from './store.ts';

/** Others may be making the same customer at this moment; it is there for the second run. */
const MOST_RUNS = 5;

/** What makes a payment once: a second order under the same name is the first one's payment. */
export interface Once {
  route: string;
  key: string;
  hash: Buffer;
}

/** An {@link Order} without a key of the caller's: {@link Once} says what it is known by. */
export type InnerOrder = Omit<Order, 'idempotency_key'>;

/** The payment that was made under this name before. */
export function madeBefore(db: Queryable, team_id: bigint, { route, key }: Once): Promise<PaymentRow | undefined> {
  return findByKey(db, team_id, route, key);
}

/**
 * Makes a payment in the caller's transaction, beside what leads to it, such as the use of a payment link. POST /payments
 * goes another way: what it writes is one statement that many share.
 * @throws Problem 422 blocked customer; a violation that {@link creating} runs the transaction again for
 */
export async function createWithin(tx: Tx, order: InnerOrder, amount_minor: Minor, once: Once): Promise<PaymentRow> {
  const keyed = { ...order, idempotency_key: once.key };
  const payment = paymentOf(keyed, amount_minor, null);
  const made = (await insertWithPayers(tx, [inputOf(keyed, payment, once.hash, once.route)])).get(payment.id);
  if (made === 'blocked') throw blockedCustomer();
  return { ...payment, ...must(made, 'the caller looked for an earlier one under its lock') };
}

/** Runs a transaction with {@link createWithin} in it; again where another one is just making the payment's customer. */
export async function creating<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      const unseen = pgCode(error) === CHECK_VIOLATION && pgConstraint(error) === 'payments_customer_seen';
      if (!unseen || run === MOST_RUNS) throw error;
    }
  }
}
