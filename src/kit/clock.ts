/**
 * The time as the program sees it. In the service it is the database's (db/clock.ts), which all nodes share; tests hand in
 * their own.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Brings a clock up to date that may have fallen behind: awaited before work that decides by the time. */
  refresh?(): Promise<void> | undefined;
  /** Milliseconds by which this machine's own clock is ahead of this one. */
  skew_ms?(): number;
}

/** The machine's own clock: nothing decides by it. Compared with the database's, and what is left where there is no database. */
export const systemClock: Clock = { now: () => Date.now() };
