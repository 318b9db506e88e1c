export interface BatchOptions<Item, Result> {
  /** Most items in one run. */
  max: number;
  /** Most runs at once. */
  inFlight: number;
  /** Items with the same text never share a run; null shares with anything. */
  exclusive(item: Item): string | null;
  /** One result for each item, in order. */
  run(items: Item[]): Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Natural batching: an item is run at once while a slot is free; items that come while all slots are busy leave
 * together when one frees. No timer, so a quiet service waits for nothing, and the batch grows with the load
 * (measured: 2 runs in flight and at most 64 items beat 1, 4 and any timer; docs/performance.md).
 * When a run of many fails, its items are run one by one, so that one bad row can not fail its neighbours.
 */
export class Batcher<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];
  #running = 0;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    while (this.#queue.length > 0 && this.#running < this.#options.inFlight) {
      this.#running++;
      void this.#settle(this.#take()).finally(() => {
        this.#running--;
        this.#next();
      });
    }
  }

  #take(): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const seen = new Set<string>();
    for (const waiting of this.#queue) {
      const key = this.#options.exclusive(waiting.item);
      if (taken.length === this.#options.max || (key !== null && seen.has(key))) {
        left.push(waiting);
        continue;
      }
      if (key !== null) seen.add(key);
      taken.push(waiting);
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

  async #settleOneByOne(batch: Waiting<Item, Result>[]): Promise<void> {
    for (const waiting of batch) await this.#settle([waiting]);
  }
}
