import type { Clock } from '../kit/clock.ts';

const WINDOW_MS = 60_000;

/**
 * Counts submits of each page in windows of a minute. Pages are limited by token and not by address, because whole
 * mobile networks share a few addresses. In memory: it stops guessing and hammering, and forgetting it costs nothing.
 */
export class SubmitLimit {
  readonly #clock: Clock;
  readonly #most: number;
  #window = 0;
  #counts = new Map<string, number>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /**
   * Counts one submit.
   * @param token of a payment that exists: others are not counted, so that the map can not be filled from outside
   * @returns seconds to wait, 0 when it may go on
   */
  take(token: string): number {
    const now = this.#clock.now();
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) [this.#window, this.#counts] = [window, new Map()];
    const count = (this.#counts.get(token) ?? 0) + 1;
    this.#counts.set(token, count);
    return count <= this.#most ? 0 : Math.ceil(((window + 1) * WINDOW_MS - now) / 1000);
  }
}
