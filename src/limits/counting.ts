/** Every window lasts as long. It opens with the first request that is counted in it, and renews when it is over. */
export const WINDOW_MS = 60_000;

/** One counter that a request has to pass. */
export interface Limit {
  /** Of the counter, such as `team:42`; never a secret. */
  name: string;
  /** Requests that pass in one window. */
  ceiling: number;
}

/** Where a counter stands. */
export interface Standing {
  count: number;
  /** Milliseconds since the epoch; of a counter without a window, when one opened now would renew. */
  resets_at: number;
}

/** What came of counting a request. */
export interface Counted {
  /** Index of the first limit that the request does not pass; null: it passes all and is counted in all. */
  tripped: number | null;
  /** One for each limit, after counting. */
  standings: Standing[];
}
