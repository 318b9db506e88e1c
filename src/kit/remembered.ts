import type { Clock } from './clock.ts';

interface Entry<Value> {
  value: Promise<Value>;
  until: number;
}

/**
 * What was looked up a moment ago: a burst of requests asks the database once, and what was changed anywhere is known
 * everywhere after `keep_ms`. A look that failed is not remembered.
 */
export class Remembered<Value> {
  readonly #clock: Clock;
  readonly #keep_ms: number;
  readonly #most: number;
  readonly #entries = new Map<string, Entry<Value>>();

  /** @param most so many at once; then all are forgotten */
  constructor(clock: Clock, keep_ms: number, most: number) {
    this.#clock = clock;
    this.#keep_ms = keep_ms;
    this.#most = most;
  }

  /** @param worth whether what was found may be kept; left out: always */
  get(name: string, look: () => Promise<Value>, worth: (value: Value) => boolean = () => true): Promise<Value> {
    const now = this.#clock.now();
    const known = this.#entries.get(name);
    // Later than can be: the machine's clock was set back, and what is known is older than it looks.
    if (known && known.until > now && known.until <= now + this.#keep_ms) return known.value;
    if (this.#entries.size >= this.#most) this.#entries.clear();
    const value = look();
    this.#entries.set(name, { value, until: now + this.#keep_ms });
    const forget = () => {
      if (this.#entries.get(name)?.value === value) this.#entries.delete(name);
    };
    value.then((found) => worth(found) || forget(), forget);
    return value;
  }
}
