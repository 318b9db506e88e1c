import type { Db, Tx } from '../../kit/sql.ts';

class RolledBack extends Error {}

/** Runs work in a transaction and rolls it back. */
export async function rolledBack(db: Db, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}
