import { DatabaseUnavailable } from './database-unavailable.ts';
import { pgCode, QUERY_CANCELED } from './sql.ts';

/** Maximum number of items that may reach the statement deadline on their own before the rest of the run fails. */
const MAX_LATE = 2;

export interface BatchOptions<Item, Result> {
  /** Maximum number of items in one run. */
  max: number;
  /** Maximum number of concurrent runs. */
  inFlight: number;
  /** Returns the exclusivity keys of an item. Items with a common key never share a run; one without keys shares a run with any. */
  exclusive(item: Item): readonly string[];
  /** Processes a batch. Returns one result for each item, in the same order. */
  run(items: Item[]): Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Natural batching: while a slot is free, the items that arrived in one turn of the event loop run together; items that arrive
 * while all slots are busy run together when a slot frees. There is no timer, so an idle service adds no delay and the batch
 * size grows with the load. Measured: 2 concurrent runs of at most 64 items beat 1, 4 and any timer (docs/performance/post.md).
 * When a run of several items fails, its items are retried one by one, so that one invalid row cannot fail the others. The retries
 * end early when the database is unavailable, or when {@link MAX_LATE} items reach the statement deadline.
 */
export class Batcher<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Waits for the end of this turn of the event loop, so that the first of its requests does not take a slot alone. */
  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#running === this.#options.inFlight) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#next();
    });
  }

  #next(): void {
    while (this.#queue.length > 0 && this.#running < this.#options.inFlight) {
      this.#running++;
      void this.#settle(this.#take()).finally(() => {
        this.#running--;
        this.#schedule();
      });
    }
  }

  #take(): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const seen = new Set<string>();
    for (const waiting of this.#queue) {
      const keys = this.#options.exclusive(waiting.item);
      const left_out = taken.length === this.#options.max || keys.some((key) => seen.has(key));
      (left_out ? left : taken).push(waiting);
      // The keys of an item that stays in the queue count too: items that share one must not overtake it.
      for (const key of keys) seen.add(key);
    }
    this.#queue = left;
    return taken;
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => {
        resolve(results[i] as Result);
      });
    } catch (error) {
      if (batch.length > 1) await this.#settleOneByOne(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /**
   * Runs the items of a failed batch one by one. When the database is unavailable, the other items fail with the same error, also
   * those that wait for a slot: each would wait for the same deadline in turn. After several late items, only the rest of this run fails.
   */
  async #settleOneByOne(batch: Waiting<Item, Result>[]): Promise<void> {
    let late = 0;
    for (const [i, { item, resolve, reject }] of batch.entries()) {
      try {
        const [result] = await this.#options.run([item]);
        resolve(result as Result);
      } catch (error) {
        reject(error);
        const down = error instanceof DatabaseUnavailable;
        if (pgCode(error) === QUERY_CANCELED) late++;
        if (!down && late < MAX_LATE) continue;
        for (const other of [...batch.slice(i + 1), ...(down ? this.#queue.splice(0) : [])]) other.reject(error);
        return;
      }
    }
  }
}
