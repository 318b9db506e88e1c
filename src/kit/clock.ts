/**
 * Time source of the program. The service uses the database's clock (db/clock.ts), which all nodes share; tests inject their
 * own.
 */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Updates a clock that may have fallen behind. Awaited before time-dependent decisions. */
  refresh?(): Promise<void> | undefined;
  /** Returns the milliseconds by which this machine's own clock is ahead of this clock. */
  skew_ms?(): number;
}

/**
 * Returns whether a moment has come. One that is further ahead than it was ever set is from before the clock was set back.
 * @param most_ahead_ms how far ahead the moment was set at most
 */
export function hasCome(moment: number, now: number, most_ahead_ms: number): boolean {
  return now >= moment || moment - now > most_ahead_ms;
}

/**
 * The machine's own clock. No decision depends on it: it is compared with the database's clock, and used where there is no
 * database.
 */
export const systemClock: Clock = { now: () => Date.now() };
