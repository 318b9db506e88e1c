/** A background task that runs until stopped. */
export interface Worker {
  readonly name: string;
  /**
   * Returns the time of the last completed round in milliseconds since the epoch. Readiness requires it to be recent. A round that failed
   * because of the database counts (failures.ts).
   */
  lastRound(): number;
  /** Starts no new work, finishes the work in progress, then resolves. */
  stop(): Promise<void>;
}
