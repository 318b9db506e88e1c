import type { Clock } from './clock.ts';

const WINDOW_MS = 60_000;

/**
 * Counts what comes under one name in windows of a minute. In memory: it stops guessing and hammering, and forgetting it
 * costs nothing.
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
   * Counts once.
   * @param name of something that exists: others are not counted, so that the map can not be filled from outside
   * @returns seconds to wait, 0 when it may go on
   */
  take(name: string): number {
    const wait_s = this.look(name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return wait_s;
  }

  /** What {@link take} would return, without counting. */
  look(name: string): number {
    const now = this.#clock.now();
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) [this.#window, this.#counts] = [window, new Map()];
    return (this.#counts.get(name) ?? 0) < this.#most ? 0 : Math.ceil(((window + 1) * WINDOW_MS - now) / 1000);
  }
}
