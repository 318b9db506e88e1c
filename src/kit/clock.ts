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
 * The machine's own clock. No decision depends on it: it is compared with the database's clock, and used where there is no
 * database.
 */
export const systemClock: Clock = { now: () => Date.now() };
