import { creatingCustomers } from '../../core/customers/find-or-create.ts';
import type { Db, Tx } from '../../kit/sql.ts';

const MAX_RUNS = 5;

/** Another payment of the invoice was created between two reads of it. */
export class Moved extends Error {}

/** Runs a transaction that changes invoices. Retries it after a conflict with a concurrent change. */
export async function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await creatingCustomers(db, work);
    } catch (error) {
      if (!(error instanceof Moved) || run === MAX_RUNS) throw error;
    }
  }
}
