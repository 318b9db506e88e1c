/** Counts and sums of the payments that ended in a period, and of the refunds that succeeded in it. Amounts are in hundredths. */
export interface Figures {
  succeeded: number;
  failed: number;
  cancelled: number;
  expired: number;
  /** What payers paid for the payments that succeeded. */
  collected_minor: bigint;
  /** Payments whose last charge is known, for {@link confirm_ms}. */
  confirmed: number;
  /** Sum of the milliseconds from a charge to its success. */
  confirm_ms: bigint;
  refunded: number;
  refunded_minor: bigint;
}

/** The figures of one day, currency and channel. */
export interface DayFigures extends Figures {
  /** UTC day, `2026-11-23`. */
  day: string;
  currency: string;
  /** Empty: the payments ended before they had a channel. */
  channel: string;
}

/** How far the figures of a team are counted. */
export interface CountRow {
  /** Hours before this one are finished. */
  final_to: Date;
  /** The newest event at the last count. */
  counted_id: string;
  counted_at: Date;
  /** All transactions that had begun by then have ended; null: no such moment is known. */
  settled_at: Date | null;
}
