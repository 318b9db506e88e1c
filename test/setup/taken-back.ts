import { must } from '../../src/kit/errors.ts';
import type { Db, Tx } from '../../src/kit/sql.ts';

const TAKEN_BACK = new Error('taken back');

/** Runs work in a transaction that is rolled back, and returns what the work returned. */
export async function takenBack<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  let done: { result: T } | undefined;
  await db
    .transaction(async (tx) => {
      done = { result: await work(tx) };
      throw TAKEN_BACK;
    })
    .catch((error: unknown) => {
      if (error !== TAKEN_BACK) throw error;
    });
  return must(done, 'the work ended').result;
}

/** From here on in the transaction, rows come in the order of the table, so that a missing "order by" shows. */
export async function inTableOrder(tx: Tx): Promise<void> {
  for (const scan of ['indexscan', 'indexonlyscan', 'bitmapscan']) {
    await tx.run({ text: `set local enable_${scan} = off`, values: [] });
  }
}
