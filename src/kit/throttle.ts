import type { Clock } from './clock.ts';

const WINDOW_MS = 60_000;

/**
 * Counts requests per name in windows of one minute. In memory: it stops guessing and flooding, and losing the counts on a
 * restart is harmless.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #most: number;
  #window = 0;
  #counts = new Map<string, number>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /**
   * Counts one request.
   * @param name name of an existing object; other names are not counted, so that callers cannot fill the map
   * @returns seconds to wait; 0 when the request may proceed
   */
  take(name: string): number {
    const wait_s = this.look(name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return wait_s;
  }

  /** Returns what {@link take} would return, without counting. */
  look(name: string): number {
    const now = this.#clock.now();
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) [this.#window, this.#counts] = [window, new Map()];
    return (this.#counts.get(name) ?? 0) < this.#most ? 0 : Math.ceil(((window + 1) * WINDOW_MS - now) / 1000);
  }
}
