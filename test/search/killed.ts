import type { Db, Tx } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';

export class Killed extends Error {}

/** The store of a worker that is killed before its n-th statement. */
export function killedAt({ environment, db }: Store, n: number): Store {
  let left = n;
  const killed = <Work extends (...args: never[]) => Promise<unknown>>(work: Work): Work =>
    ((...args) => {
      if (left-- <= 0) return Promise.reject(new Killed());
      return work(...args);
    }) as Work;
  const counted: Db = {
    ...{ all: killed(db.all) as Db['all'], maybe: killed(db.maybe) as Db['maybe'], run: killed(db.run) },
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work({
          ...tx,
          ...{ all: killed(tx.all) as Tx['all'], maybe: killed(tx.maybe) as Tx['maybe'], run: killed(tx.run) },
        });
        if (left-- <= 0) throw new Killed();
        return result;
      }),
  };
  return { environment, db: counted };
}
