/** The tail grows until the watermark moves on. */
const ADVANCE_MS = 300_000;
const MOST_KEPT = 10_000;

interface Counted<Mark> {
  /** Everything below is in `total`. */
  watermark: Mark;
  total: number;
  counted_at: number;
}

/** Asks the database. */
interface Counting<Mark> {
  /** Below this id nothing changes any more. */
  settled(): Mark | Promise<Mark>;
  /** Rows with ids from `from` (or from the start) to before `to` (or to the end). */
  count(from: Mark | null, to: Mark | null): Promise<number>;
}

/**
 * Exact totals of what is only ever added, without counting a million rows each time: the settled part is counted once, and
 * only the tail each time.
 */
export class Totals<Mark> {
  readonly #counted = new Map<string, Counted<Mark>>();

  /**
   * @param name of what is counted
   * @param now milliseconds since the epoch
   */
  async total(name: string, now: number, counting: Counting<Mark>): Promise<number> {
    const known = this.#counted.get(name);
    const counted = known && now - known.counted_at < ADVANCE_MS ? known : await advance(now, known, counting);
    this.#keep(name, counted);
    return counted.total + (await counting.count(counted.watermark, null));
  }

  /** What was asked for longest ago makes room. */
  #keep(name: string, counted: Counted<Mark>): void {
    this.#counted.delete(name);
    if (this.#counted.size >= MOST_KEPT) this.#counted.delete(this.#counted.keys().next().value as string);
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
