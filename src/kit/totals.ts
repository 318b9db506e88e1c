/** Interval after which the watermark advances; the tail counted on each call grows until then. */
const ADVANCE_MS = 60_000;
const MAX_KEPT = 10_000;
/** The settled part begins with rows that cannot be deleted within this time. */
const UNDELETED_MS = 21_600_000;
/** The aging part begins with rows that cannot be deleted within this time. Older rows are counted on each call. */
const SOON_MS = 300_000;
/** Maximum time by which the clock of a process that deletes rows may be ahead. */
export const SKEW_MS = 60_000;
/** Maximum number of rows at one end of a list that are counted on each call. A larger count is reused for {@link REUSED_MS}. */
const MAX_COUNTED = 10_000;
const REUSED_MS = 10_000;

/** Where the settled part of a list ends. */
export interface Settled<Mark> {
  mark: Mark;
  /** Whether no more rows can be added below the mark. Otherwise the part is counted again once a mark is final. */
  is_final: boolean;
}

interface Counted<Mark> {
  is_final: boolean;
  /** Where the aging part begins, then the settled part (`start`) and the tail (`watermark`). Null: at the first row. */
  aging: Mark | null;
  start: Mark | null;
  watermark: Mark;
  aging_total: number;
  total: number;
  counted_at: number;
  /** Reused counts of ends that are too large to count on each call: rows that may be deleted soon, and the tail up to a row. */
  oldest?: { total: number; counted_at: number };
  tail?: { total: number; to: Mark; counted_at: number };
  /** Whether the tail was too large at the last count. */
  is_long?: boolean;
}

/** Queries that count rows. */
interface Counting<Mark> {
  settled(): Promise<Settled<Mark>>;
  /** Counts rows with ids from `from` (null: from the start) up to but excluding `to` (null: to the end). */
  count(from: Mark | null, to: Mark | null): Promise<number>;
  /** Returns the id below which rows may have been deleted at a time (milliseconds). Absent: rows are never deleted. */
  keptFrom?(at: number): Mark;
  /** Returns the id below which rows are seldom added. Absent: the whole tail is counted on each call. */
  seldom?(): Mark;
}

/**
 * Totals without counting a million rows on each call. The data is append-only, except that the oldest rows may be deleted. The
 * settled part is counted once; only the tail, and rows that may be deleted soon, are counted on each call. Totals are exact. When
 * more than 10,000 rows would be counted on each call, deletions and rows that were added late are included within ten seconds.
 */
export class Totals<Mark> {
  readonly #counted = new Map<string, Counted<Mark>>();
  readonly #max_counted: number;

  constructor(max_counted = MAX_COUNTED) {
    this.#max_counted = max_counted;
  }

  /**
   * Returns the current total.
   * @param name identifies what is counted
   * @param now milliseconds since the epoch
   */
  async total(name: string, now: number, counting: Counting<Mark>): Promise<number> {
    const stored = this.#counted.get(name);
    // After the clock was set back, new ids may be below those already counted. Times of overlapping requests differ by less than this.
    const known = stored && now >= stored.counted_at - SKEW_MS ? stored : undefined;
    const isCurrent = known && now - known.counted_at < ADVANCE_MS;
    const counted = isCurrent ? known : { ...(await advance(now, known, counting)), is_long: known?.is_long ?? false };
    this.#keep(name, counted);
    const [tail, oldest] = await Promise.all([this.#tail(counted, now, counting), this.#oldest(counted, now, counting)]);
    return oldest + counted.aging_total + counted.total + tail;
  }

  async #tail(counted: Counted<Mark>, now: number, { count, seldom }: Counting<Mark>): Promise<number> {
    const { tail, watermark } = counted;
    if (tail && now - tail.counted_at < REUSED_MS) return tail.total + (await count(tail.to, null));
    if (!seldom || !counted.is_long) {
      const total = await count(watermark, null);
      counted.is_long = total > this.#max_counted;
      return total;
    }
    const to = seldom();
    const [total, newest] = await Promise.all([count(watermark, to), count(to, null)]);
    counted.tail = { total, to, counted_at: now };
    counted.is_long = total + newest > this.#max_counted;
    return total + newest;
  }

  async #oldest(counted: Counted<Mark>, now: number, { count }: Counting<Mark>): Promise<number> {
    const { aging, oldest } = counted;
    if (aging === null) return 0;
    if (oldest && now - oldest.counted_at < REUSED_MS) return oldest.total;
    const total = await count(null, aging);
    if (total > this.#max_counted) counted.oldest = { total, counted_at: now };
    return total;
  }

  /** Stores the count as the most recently used one and evicts the least recently used. */
  #keep(name: string, counted: Counted<Mark>): void {
    this.#counted.delete(name);
    if (this.#counted.size >= MAX_KEPT) this.#counted.delete(this.#counted.keys().next().value as string);
    this.#counted.set(name, counted);
  }
}

async function advance<Mark>(now: number, known: Counted<Mark> | undefined, counting: Counting<Mark>): Promise<Counted<Mark>> {
  const { settled, count, keptFrom } = counting;
  const { mark: watermark, is_final } = await settled();
  // A count up to a mark that is not final is continued until a mark is final. Then the part is counted again.
  const isUsable = known !== undefined && (known.is_final || !is_final) && watermark >= known.watermark;
  const before = isUsable ? known : undefined;
  if (!keptFrom) {
    const total = (before?.total ?? 0) + (await count(before?.watermark ?? null, watermark));
    return { is_final, aging: null, start: null, watermark, aging_total: 0, total, counted_at: now };
  }
  const least = (one: Mark, other: Mark) => (one < other ? one : other);
  const start = least(keptFrom(now + UNDELETED_MS), watermark);
  const aging = least(keptFrom(now + SOON_MS), start);
  const marks = { is_final, aging, start, watermark, counted_at: now };
  // A count that is older than this may include rows that have been deleted since.
  const isKnown = (undeleted_ms: number) => before !== undefined && now - before.counted_at < undeleted_ms - SKEW_MS;
  if (!before || !isKnown(UNDELETED_MS)) {
    const [aging_total, total] = await Promise.all([count(aging, start), count(start, watermark)]);
    return { ...marks, aging_total, total };
  }
  const [added, aged] = await Promise.all([count(before.watermark, watermark), count(before.start, start)]);
  const total = before.total + added - aged;
  const aging_total = isKnown(SOON_MS)
    ? before.aging_total + aged - (await count(before.aging, aging))
    : await count(aging, start);
  return { ...marks, aging_total, total };
}
