import type { Environment } from '../kit/environment.ts';
import { lowestIdAt } from '../kit/ids.ts';

/**
 * How long a creating transaction can be under way at the most, with room to spare: ids older than this are all
 * visible. Deadlines on statements (15 s) and on idle transactions (30 s) keep the promise.
 */
const SETTLED_MS = 60_000;
const MOST_TEAMS = 10_000;

/** The tail grows until the watermark moves on. */
const ADVANCE_MS = 300_000;

interface Counted {
  /** Every payment with a smaller id is in `total`. */
  watermark: string;
  total: number;
  counted_at: number;
}

/** Counts the rows with ids from `from` (or from the start) to before `to` (or to the end). */
type Count = (from: string | null, to: string | null) => Promise<number>;

/**
 * Exact totals without counting a million rows each time: what is older than a minute can not change any more
 * (payments are never deleted and their ids never move), so it is counted once, and only the tail each time.
 */
export class Totals {
  readonly #counted = new Map<string, Counted>();

  /** @param now milliseconds since the epoch */
  async total(environment: Environment, team_id: bigint, now: number, count: Count): Promise<number> {
    const key = `${environment} ${team_id}`;
    const known = this.#counted.get(key);
    const counted = known && now - known.counted_at < ADVANCE_MS ? known : await this.#advance(environment, now, known, count);
    this.#keep(key, counted);
    return counted.total + (await count(counted.watermark, null));
  }

  async #advance(environment: Environment, now: number, known: Counted | undefined, count: Count): Promise<Counted> {
    const watermark = lowestIdAt('trx', environment, now - SETTLED_MS);
    const total = (known?.total ?? 0) + (await count(known?.watermark ?? null, watermark));
    return { watermark, total, counted_at: now };
  }

  /** The least recently asked team goes first. */
  #keep(key: string, counted: Counted): void {
    this.#counted.delete(key);
    if (this.#counted.size >= MOST_TEAMS) this.#counted.delete(this.#counted.keys().next().value as string);
    this.#counted.set(key, counted);
  }
}
