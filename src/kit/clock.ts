/** The time as the program sees it. Tests hand in their own; nothing else calls Date.now(). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
