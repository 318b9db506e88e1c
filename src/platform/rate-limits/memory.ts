import { type Counted, type Limit, type Standing, WINDOW_MS } from './counting.ts';

/** About 15 MB; at most twice that with both maps full. */
const MAX_WINDOWS = 100_000;

/**
 * Counters of one process. There are no timers and no clean-up rounds: all windows have the same length, so a map is dropped
 * as a whole when all its windows are over. (A single map that evicts its oldest entries would scan the gaps they leave.)
 */
export class MemoryCounters {
  #young = new Map<string, Standing>();
  #old = new Map<string, Standing>();
  #turned_at = 0;
  readonly #most: number;

  /**
   * @param most maximum windows in each of the two maps; beyond that the oldest are dropped, and their callers start with a
   *   new count
   */
  constructor(most = MAX_WINDOWS) {
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

  /** Returns the state of the counters, without counting. */
  look(limits: readonly Limit[], now: number): Standing[] {
    return limits.map(({ name }) => {
      const { count, resets_at } = this.#open(name, now) ?? { count: 0, resets_at: now + WINDOW_MS };
      return { count, resets_at };
    });
  }

  /** Adopts counts from the shared counters. */
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
 * A window that ends much later than possible was opened before the machine's clock was set back. A little later is normal,
 * because requests are not counted in the order in which they arrived.
 */
function isOpen(window: Standing, now: number): boolean {
  return window.resets_at > now && window.resets_at <= now + 2 * WINDOW_MS;
}
