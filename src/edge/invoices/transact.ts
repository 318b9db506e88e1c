import { creatingCustomers } from '../../core/customers/find-or-create.ts';
import { retried } from '../../kit/retried.ts';
import type { Db, Tx } from '../../kit/sql.ts';

const MAX_RUNS = 5;

/** Another payment of the invoice was created between two reads of it. */
export class Moved extends Error {}

/** Runs a transaction that changes invoices. Retries it after a conflict with a concurrent change. */
export function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retried(
    MAX_RUNS,
    (error) => error instanceof Moved,
    () => creatingCustomers(db, work),
  );
}
