/** Length of every window. It starts with the first request counted in it, and a new one starts after it ends. */
export const WINDOW_MS = 60_000;

/** A limit that a request has to pass. */
export interface Limit {
  /** Name of the counter, such as `team:42`; never a secret. */
  name: string;
  /** Maximum requests in one window. */
  ceiling: number;
}

/** State of a counter. */
export interface Standing {
  count: number;
  /** End of the window in milliseconds since the epoch. Without an open window: the end of one opened now. */
  resets_at: number;
}

/** Result of counting a request. */
export interface Counted {
  /** Index of the first limit that rejects the request. Null: it passes all and is counted in all. */
  tripped: number | null;
  /** One per limit, after counting. */
  standings: Standing[];
}
