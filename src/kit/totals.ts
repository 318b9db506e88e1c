import type { Environment } from './environment.ts';
import { type IdPrefix, lowestIdAt } from './ids.ts';
import { ALL_IDS, type Ids } from './pages.ts';
import { isFiltered, type PagingQuery } from './paging.ts';

/** Interval after which the watermark advances; the tail counted on each call grows until then. */
const ADVANCE_MS = 300_000;
const MAX_KEPT = 10_000;
/** For this long after a count, no row of it is deleted: what may be deleted until then is counted on each call. */
const UNDELETED_MS = 21_600_000;
/** Clocks of the processes that delete rows may be ahead. */
const SKEW_MS = 60_000;

interface Counted<Mark> {
  /** Where the counted rows begin; null: at the first. */
  start: Mark | null;
  /** Count of all rows from the start up to the watermark. */
  watermark: Mark;
  total: number;
  counted_at: number;
}

/** Queries that count rows. */
interface Counting<Mark> {
  /** Returns the id below which no row is added any more. */
  settled(): Mark | Promise<Mark>;
  /** Counts rows with ids from `from` (null: from the start) up to but excluding `to` (null: to the end). */
  count(from: Mark | null, to: Mark | null): Promise<number>;
  /** Returns the id below which rows may have been deleted at a time (milliseconds). Left out: rows are never deleted. */
  keptFrom?(at: number): Mark;
}

/**
 * Exact totals without counting a million rows on each call: of data that is only appended, and of which at most the oldest rows
 * are deleted. The settled part is counted once, only the tail (and what may be deleted soon) on each call.
 */
export class Totals<Mark> {
  readonly #counted = new Map<string, Counted<Mark>>();

  /**
   * Returns the current total.
   * @param name identifies what is counted
   * @param now milliseconds since the epoch
   */
  async total(name: string, now: number, counting: Counting<Mark>): Promise<number> {
    const known = this.#counted.get(name);
    const counted = known && now - known.counted_at < ADVANCE_MS ? known : await advance(now, known, counting);
    this.#keep(name, counted);
    const [tail, oldest] = await Promise.all([
      counting.count(counted.watermark, null),
      counted.start === null ? 0 : counting.count(null, counted.start),
    ]);
    return oldest + counted.total + tail;
  }

  /** Stores the count as the most recently used one and evicts the least recently used. */
  #keep(name: string, counted: Counted<Mark>): void {
    this.#counted.delete(name);
    if (this.#counted.size >= MAX_KEPT) this.#counted.delete(this.#counted.keys().next().value as string);
    this.#counted.set(name, counted);
  }
}

async function advance<Mark>(
  now: number,
  before: Counted<Mark> | undefined,
  { settled, count, keptFrom }: Counting<Mark>,
): Promise<Counted<Mark>> {
  const watermark = await settled();
  if (!keptFrom) {
    const total = (before?.total ?? 0) + (await count(before?.watermark ?? null, watermark));
    return { start: null, watermark, total, counted_at: now };
  }
  const kept = keptFrom(now + UNDELETED_MS);
  const start = kept < watermark ? kept : watermark;
  // Later, rows of it may have been deleted.
  const known = before && now - before.counted_at < UNDELETED_MS - SKEW_MS ? before : undefined;
  if (!known) return { start, watermark, total: await count(start, watermark), counted_at: now };
  const [added, left] = await Promise.all([count(known.watermark, watermark), count(known.start, start)]);
  return { start, watermark, total: known.total + added - left, counted_at: now };
}

/**
 * Longest time between the moment in an id and the commit of its row, with a margin, where calls to providers come between: each has
 * a deadline of less than a minute.
 */
export const SETTLED_MS = 600_000;

export interface ListTotalsOptions {
  /** Longest time between the moment in an id and the commit of its row; default {@link SETTLED_MS}. */
  settled_ms?: number;
  /** Age at which rows may be deleted; left out: they are never deleted. */
  keep_ms?: number;
}

/** The request for a page, at a time in milliseconds since the epoch. */
interface Request {
  query: PagingQuery;
  at: number;
}

/** Totals of lists whose ids sort by time. */
export class ListTotals {
  readonly #totals = new Totals<string>();
  readonly #prefix: IdPrefix;
  readonly #options: ListTotalsOptions;

  constructor(prefix: IdPrefix, options: ListTotalsOptions = {}) {
    this.#prefix = prefix;
    this.#options = options;
  }

  /**
   * Returns the current total of one list. With filters, its rows are counted.
   * @param owner identifies the list among those of the environment
   */
  of(
    environment: Environment,
    owner: string,
    { query, at: now }: Request,
    count: (ids: Ids) => Promise<number>,
  ): Promise<number> {
    if (isFiltered(query)) return count(ALL_IDS);
    const lowest = (at: number) => lowestIdAt(this.#prefix, environment, at);
    const { keep_ms, settled_ms = SETTLED_MS } = this.#options;
    return this.#totals.total(`${environment} ${owner}`, now, {
      settled: () => lowest(now - settled_ms),
      count: (from, to) => count({ from, to }),
      ...(keep_ms === undefined ? {} : { keptFrom: (at: number) => lowest(at - keep_ms + SKEW_MS) }),
    });
  }
}
