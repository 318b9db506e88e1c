/** Interval after which the watermark advances; the tail counted on each call grows until then. */
const ADVANCE_MS = 300_000;
const MAX_KEPT = 10_000;

interface Counted<Mark> {
  /** Count of all rows below the watermark. */
  watermark: Mark;
  total: number;
  counted_at: number;
}

/** Queries that count rows. */
interface Counting<Mark> {
  /** Returns the id below which nothing changes any more. */
  settled(): Mark | Promise<Mark>;
  /** Counts rows with ids from `from` (null: from the start) up to but excluding `to` (null: to the end). */
  count(from: Mark | null, to: Mark | null): Promise<number>;
}

/**
 * Exact totals of append-only data without counting a million rows on each call: the settled part is counted once, only the
 * tail on each call.
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
    return counted.total + (await counting.count(counted.watermark, null));
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
  known: Counted<Mark> | undefined,
  { settled, count }: Counting<Mark>,
): Promise<Counted<Mark>> {
  const watermark = await settled();
  const total = (known?.total ?? 0) + (await count(known?.watermark ?? null, watermark));
  return { watermark, total, counted_at: now };
}
