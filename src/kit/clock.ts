/** The time as the program sees it. Tests hand in their own; nothing else calls Date.now(). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Time that goes faster than it does, for proofs that would take days. Processes that are to agree are given the same
 * moment from which it goes faster.
 * @param from milliseconds since the epoch
 */
export function hastenedClock(speed: number, from: number): Clock {
  return { now: () => Math.round(from + (Date.now() - from) * speed) };
}
