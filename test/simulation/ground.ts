import type { Db, Tx } from '../../src/kit/sql.ts';
import type { Scheduler } from './scheduler.ts';
import { outside } from './virtual.ts';

/** A database for those outside the nodes: while a statement of theirs runs, nothing else does, so that a run repeats. */
export function groundDb(db: Db, scheduler: Scheduler): Db {
  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      let settle = () => {};
      const run = () =>
        outside(work).then(
          (value) => {
            settle = () => resolve(value);
          },
          (error) => {
            settle = () => reject(error);
          },
        );
      scheduler.add({ owner: null, label: 'a statement from outside', run, resume: () => settle() });
    });
  return {
    all: (statement) => alone(() => db.all(statement)),
    maybe: (statement) => alone(() => db.maybe(statement)),
    run: (statement) => alone(() => db.run(statement)),
    transaction: <T>(work: (tx: Tx) => Promise<T>) => alone(() => db.transaction(work)),
  };
}
