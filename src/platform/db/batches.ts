import { Batcher } from '../../kit/batch.ts';
import type { Db } from '../../kit/sql.ts';
import { partFor, type Store } from './stores.ts';

/** Maximum number of items in one run, as everywhere (docs/performance/post.md). */
const MAX_TOGETHER = 64;

/** Work whose concurrent calls share one statement or transaction. Declared once, as a constant. */
export interface SharedWork<Item, Result> {
  /** Maximum concurrent runs for each store. */
  in_flight: number;
  /** The team whose rows an item reads and writes. */
  teamOf(item: Item): bigint;
  /** Items with a common key never share a run. */
  exclusive?(item: Item): readonly string[];
  /**
   * Processes a batch. The error of a single item should be returned as its result: after a rejection all items run again, one by one.
   * @param db of the team of the items, or of all teams when they belong to several
   * @returns one result for each item, in the same order
   */
  run(db: Db, items: Item[]): Promise<Result[]>;
}

/** Runs concurrent items of the same work together, separately for each store (kit/batch.ts). */
export class Batches {
  readonly #of = new WeakMap<Store, Map<SharedWork<never, unknown>, Batcher<never, unknown>>>();

  /** Processes an item, possibly together with others of the same work. */
  add<Item, Result>(work: SharedWork<Item, Result>, store: Store, item: Item): Promise<Result> {
    const whole: Store = store.whole ?? store;
    const batchers = this.#of.get(whole) ?? new Map<SharedWork<never, unknown>, Batcher<never, unknown>>();
    this.#of.set(whole, batchers);
    const batcher = (batchers.get(work) as Batcher<Item, Result> | undefined) ?? batcherOf(work, store);
    batchers.set(work, batcher as Batcher<never, unknown>);
    return batcher.add(item);
  }
}

function batcherOf<Item, Result>(work: SharedWork<Item, Result>, store: Store): Batcher<Item, Result> {
  return new Batcher({
    max: MAX_TOGETHER,
    inFlight: work.in_flight,
    exclusive: (item) => work.exclusive?.(item) ?? [],
    run: (items) => work.run((store.whole ? partFor(store.whole, items.map(work.teamOf)) : store).db, items),
  });
}
