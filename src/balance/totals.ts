import type { IdRange } from '../ledger/moments.ts';

/** The tail grows until the watermark moves on. */
const ADVANCE_MS = 300_000;
const MOST_KEPT = 10_000;

interface Counted {
  /** Everything with a smaller id is in `total`. */
  watermark: bigint;
  total: number;
  counted_at: number;
}

/** Asks the ledger. */
export interface Counting {
  /** Below this id nothing changes any more. */
  settled(): Promise<bigint>;
  count(ids: IdRange): Promise<number>;
}

/**
 * Exact totals without counting a million lines each time: what is booked never goes, so the settled part is counted
 * once and only the tail each time.
 */
export class Totals {
  readonly #counted = new Map<string, Counted>();

  /**
   * @param name of what is counted
   * @param now milliseconds since the epoch
   */
  async total(name: string, now: number, counting: Counting): Promise<number> {
    const known = this.#counted.get(name);
    const counted = known && now - known.counted_at < ADVANCE_MS ? known : await advance(now, known, counting);
    this.#keep(name, counted);
    return counted.total + (await counting.count({ from: counted.watermark, to: null }));
  }

  /** What was asked for longest ago makes room. */
  #keep(name: string, counted: Counted): void {
    this.#counted.delete(name);
    if (this.#counted.size >= MOST_KEPT) this.#counted.delete(this.#counted.keys().next().value as string);
    this.#counted.set(name, counted);
  }
}

async function advance(now: number, known: Counted | undefined, { settled, count }: Counting): Promise<Counted> {
  const watermark = await settled();
  const total = (known?.total ?? 0) + (await count({ from: known?.watermark ?? null, to: watermark }));
  return { watermark, total, counted_at: now };
}
