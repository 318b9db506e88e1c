import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from '../../src/kit/environment.ts';
import type { Db } from '../../src/kit/sql.ts';
import type { OpenStores, Store, WholeStore } from '../../src/platform/db/stores.ts';

/** Files that may do so. A payout waits for floats for a quarter of a second at most, and is then routed without them. */
const BOUNDED = ['/src/providers/float/book.ts'];

interface Running {
  environment: Environment;
  /** What the transaction started, such as the loop of a worker, may go on after its end. */
  isOver: boolean;
}

/** The transaction that the code runs in. */
const current = new AsyncLocalStorage<Running>();

/**
 * Stores that note every statement which a transaction of the service sends to its own store, but not through itself. It takes a second
 * connection from the same pool: when every connection is in such a transaction, each waits for another. What a test does in a transaction
 * that it opened itself is not noted.
 */
export class OneConnection {
  /** Where they were sent. */
  readonly #second = new Set<string>();

  guard(stores: OpenStores): OpenStores {
    return { ...stores, sandbox: this.#whole(stores.sandbox), live: this.#whole(stores.live) };
  }

  /** @throws when a transaction used a second connection */
  verify(): void {
    assert.deepEqual([...this.#second], [], 'a transaction uses a second connection of its pool');
  }

  #whole(store: WholeStore): WholeStore {
    const whole: WholeStore = {
      ...this.#store(store),
      get whole() {
        return whole;
      },
      of: (team_id) => ({ ...this.#store(store.of(team_id)), whole }),
    };
    return whole;
  }

  #store({ environment, db }: Store): Pick<Store, 'environment' | 'db'> {
    const noted = (): Db => {
      const running = current.getStore();
      if (!running || running.isOver || running.environment !== environment) return db;
      const frames = framesOf(new Error()).join('\n');
      if (!BOUNDED.some((file) => frames.includes(file))) this.#second.add(frames);
      return db;
    };
    const guarded: Db = {
      all: (statement) => noted().all(statement),
      maybe: (statement) => noted().maybe(statement),
      run: (statement) => noted().run(statement),
      transaction: (work, manner) => {
        const [, opener] = framesOf(new Error());
        const isOurs = opener?.includes('/src/') ?? false;
        if (!isOurs) return noted().transaction(work, manner);
        const running = { environment, isOver: false };
        const whole = () => noted().transaction((tx) => current.run(running, () => work(tx)), manner);
        return whole().finally(() => {
          running.isOver = true;
        });
      },
    };
    return { environment, db: guarded };
  }
}

function framesOf({ stack }: Error): string[] {
  return (stack ?? '').split('\n').slice(1);
}
