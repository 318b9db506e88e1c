import type { Store } from '../../src/platform/db/stores.ts';
import { type Db, type Sql, sql, type Tx } from '../../src/kit/sql.ts';

/** Thrown where the process "died": nothing after it happens. */
export class Crash extends Error {}

/** Counts the steps of a flow (statements, commits, calls of providers) and dies at one of them. */
export class Fuse {
  steps = 0;
  readonly #at: number;

  /** @param at the step to die at, from 1; 0 never dies */
  constructor(at: number) {
    this.#at = at;
  }

  get blown(): boolean {
    return this.#at > 0 && this.steps >= this.#at;
  }

  /** Before each step. The dead stay dead: every later step of the flow dies as well. */
  step(): void {
    this.steps++;
    if (this.blown) throw new Crash(`died at step ${this.#at}`);
  }
}

/**
 * A store whose user dies at a step. A statement inside a transaction dies by having its backend terminated, so that
 * PostgreSQL itself does the rolling back; a commit dies once before and once after it.
 */
export function crashingStore(store: Store, fuse: Fuse): Store {
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    fuse.step();
    return run();
  };
  const db: Db = {
    all: (statement) => guarded(() => store.db.all(statement)),
    maybe: (statement) => guarded(() => store.db.maybe(statement)),
    run: (statement) => guarded(() => store.db.run(statement)),
    transaction: async (work) => {
      const result = await store.db
        .transaction(async (tx) => {
          const value = await work(crashingTx(tx, fuse));
          await die(tx, fuse);
          return value;
        })
        .catch((error) => {
          // Of statements that are sent together, another may hear of the end first.
          throw fuse.blown ? new Crash('died in a transaction', { cause: error }) : error;
        });
      // The commit went through, and nobody is left to hear of it.
      fuse.step();
      return result;
    },
  };
  return { environment: store.environment, db };
}

function crashingTx(tx: Tx, fuse: Fuse): Tx {
  const guarded = async <T>(statement: Sql, run: (statement: Sql) => Promise<T>): Promise<T> => {
    await die(tx, fuse);
    return run(statement);
  };
  return {
    inTransaction: true,
    all: (statement) => guarded(statement, (one) => tx.all(one)),
    maybe: (statement) => guarded(statement, (one) => tx.maybe(one)),
    run: (statement) => guarded(statement, (one) => tx.run(one)),
  };
}

async function die(tx: Tx, fuse: Fuse): Promise<void> {
  try {
    fuse.step();
  } catch (crash) {
    // The role of a scope may end no connection, not even its own.
    await tx.run(sql`select set_config('role', 'none', true)`).catch(() => {});
    await tx.run(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => {});
    throw crash;
  }
}
