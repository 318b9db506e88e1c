import type { Clock } from './clock.ts';

interface Entry<Value> {
  value: Promise<Value>;
  until: number;
}

/**
 * Short-lived cache of lookups: a burst of requests queries the database once, and a change made on any node is visible on
 * every node after `keep_ms`. Failed lookups are not cached.
 */
export class Remembered<Value> {
  readonly #clock: Clock;
  readonly #keep_ms: number;
  readonly #most: number;
  readonly #entries = new Map<string, Entry<Value>>();

  /**
   * @param keep_ms lifetime of an entry in milliseconds
   * @param most maximum number of entries; when it is reached, all are dropped
   */
  constructor(clock: Clock, keep_ms: number, most: number) {
    this.#clock = clock;
    this.#keep_ms = keep_ms;
    this.#most = most;
  }

  /**
   * Returns the cached value, or looks it up.
   * @param worth whether the value may be cached; default: always
   */
  get(name: string, look: () => Promise<Value>, worth: (value: Value) => boolean = () => true): Promise<Value> {
    const now = this.#clock.now();
    const known = this.#entries.get(name);
    // An expiry further away than `keep_ms` means that the clock was set back and the entry is older than it appears.
    if (known && known.until > now && known.until <= now + this.#keep_ms) return known.value;
    if (this.#entries.size >= this.#most) this.#entries.clear();
    const value = look();
    this.#entries.set(name, { value, until: now + this.#keep_ms });
    const evict = () => {
      if (this.#entries.get(name)?.value === value) this.#entries.delete(name);
    };
    value.then((found) => worth(found) || evict(), evict);
    return value;
  }
}
