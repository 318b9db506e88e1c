import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseUrls } from '../../src/platform/config/config.ts';
import type { PoolOptions } from '../../src/platform/db/pool.ts';
import type { Worker } from '../../src/platform/work/worker.ts';
import type { Deps } from '../../src/program/deps.ts';
import { startControlWorkers, startStoreWorkers } from '../../src/program/program.ts';

type Database = keyof DatabaseUrls;
type Watch = PoolOptions['watch'];

const WRITES = /^\s*(insert|update|delete|with)\b/i;

/**
 * Background work of a service under test. That of a store starts with the first statement that the service sends to it, that of control with the
 * first that writes: in a database that the service has not used nothing is due, and the first rounds there would cost more than most tests do.
 */
export class WorkersOnDemand {
  /** Those that have started. */
  readonly started: Worker[] = [];
  /** Runs work as if it were called here: the statement that starts workers may be in a transaction, and they are not. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #waiting = new Map<Database, () => Worker[]>();

  /** Wraps the statement listener of a database. */
  watching(database: Database, watch: Watch): NonNullable<Watch> {
    return (statement) => {
      if (database !== 'control' || WRITES.test(statement.text)) this.#start(database);
      return watch?.(statement) ?? null;
    };
  }

  /** Lets work start from now on. */
  await(deps: Deps): void {
    const { sandbox, live } = deps.stores;
    this.#waiting.set('control', () => startControlWorkers(deps));
    this.#waiting.set('sandbox', () => startStoreWorkers(deps, sandbox));
    this.#waiting.set('live', () => startStoreWorkers(deps, live));
  }

  /** Starts what waits, for tests that write to the databases themselves. */
  startAll(): void {
    for (const database of [...this.#waiting.keys()]) this.#start(database);
  }

  async stop(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.started.map((worker) => worker.stop()));
  }

  #start(database: Database): void {
    const start = this.#waiting.get(database);
    if (!start) return;
    this.#waiting.delete(database);
    this.started.push(...this.#outside(start));
  }
}
