/** One piece of background work that runs until stopped. */
export interface Worker {
  readonly name: string;
  /** Milliseconds since the epoch of the last completed round: readiness asks that it is recent. */
  lastRound(): number;
  /** Takes nothing new, finishes what it holds, then resolves. */
  stop(): Promise<void>;
}
