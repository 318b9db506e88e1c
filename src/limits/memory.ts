import { type Counted, type Limit, type Standing, WINDOW_MS } from './counting.ts';

/** Some 15 MB; twice that at most. */
const MOST_WINDOWS = 100_000;

/**
 * Counters of one process. No timers and no rounds of tidying: all windows last as long, so whatever was put into a map
 * before a window's length is over, and the map goes as a whole. (One map that drops its oldest entries would walk over
 * the gaps they leave.)
 */
export class MemoryCounters {
  #young = new Map<string, Standing>();
  #old = new Map<string, Standing>();
  #turned_at = 0;
  readonly #most: number;

  /** @param most windows in each of the two maps; past that the oldest are forgotten, which lets their callers begin anew */
  constructor(most = MOST_WINDOWS) {
    this.#most = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Counts a request in all limits when it passes all of them, otherwise in none. */
  take(limits: readonly Limit[], now: number): Counted {
    const tripped = limits.findIndex(({ name, ceiling }) => (this.#open(name, now)?.count ?? 0) >= ceiling);
    if (tripped !== -1) return { tripped, standings: this.look(limits, now) };
    for (const { name } of limits) this.#count(name, now);
    return { tripped: null, standings: this.look(limits, now) };
  }

  /** Where the counters stand, without counting. */
  look(limits: readonly Limit[], now: number): Standing[] {
    return limits.map(({ name }) => {
      const { count, resets_at } = this.#open(name, now) ?? { count: 0, resets_at: now + WINDOW_MS };
      return { count, resets_at };
    });
  }

  /** Takes over what another place has counted. */
  learn(limits: readonly Limit[], standings: readonly Standing[], now: number): void {
    for (const [index, { name }] of limits.entries()) {
      const standing = standings[index] as Standing;
      if (standing.count > 0) this.#keep(name, { ...standing }, now);
    }
  }

  #count(name: string, now: number): void {
    const window = this.#open(name, now);
    if (window) window.count += 1;
    else this.#keep(name, { count: 1, resets_at: now + WINDOW_MS }, now);
  }

  #open(name: string, now: number): Standing | undefined {
    const window = this.#young.get(name) ?? this.#old.get(name);
    return window && isOpen(window, now) ? window : undefined;
  }

  #keep(name: string, window: Standing, now: number): void {
    if (this.#young.size >= this.#most || Math.abs(now - this.#turned_at) >= WINDOW_MS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#turned_at = now;
    }
    this.#young.set(name, window);
  }
}

/**
 * A window that ends much later than any can was opened before the machine's clock was set back. A little later is
 * ordinary: requests do not come to be counted in the order in which they came.
 */
function isOpen(window: Standing, now: number): boolean {
  return window.resets_at > now && window.resets_at <= now + 2 * WINDOW_MS;
}
