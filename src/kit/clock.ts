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
 * Returns whether a moment has come. A moment further ahead than `most_ahead_ms` was set before the clock was set back, and counts
 * as come.
 * @param most_ahead_ms maximum time ahead at which such a moment is ever set, in milliseconds
 */
export function hasCome(moment: number, now: number, most_ahead_ms: number): boolean {
  return now >= moment || moment - now > most_ahead_ms;
}

/**
 * The machine's own clock. No decision depends on it: it is compared with the database's clock, and used where there is no
 * database.
 */
export const systemClock: Clock = { now: () => Date.now() };
