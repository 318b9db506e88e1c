/** Last reported balance of one wallet of a provider account. */
export interface FloatRow {
  team_id: bigint;
  /** `pa_…` */
  account_id: string;
  currency: string;
  /** The scope of the wallet: a country (`cm`), a channel (`cm.mtn`), or every channel in its currency (empty). */
  area: string;
  use: 'collection' | 'payout' | 'both';
  amount_minor: bigint;
  /** Time at which the balance was requested. */
  read_at: Date;
}

/** A team's threshold for a float. */
export interface AlertRow {
  team_id: bigint;
  account_id: string;
  currency: string;
  /** Empty: every float in the currency without an alert of its own. */
  area: string;
  below_minor: bigint;
}

/** The result of the last poll of an account. */
export interface PollRow {
  team_id: bigint;
  account_id: string;
  asked_at: Date;
  /** Null: no balance was ever read. */
  read_at: Date | null;
  /** Null: the last poll succeeded. */
  error: string | null;
}

/** `stale`: the last known balance is too old. */
export type FloatLevel = 'enough' | 'low' | 'empty' | 'stale';

/** Maximum age of a balance. By then five polls have failed. */
export const FRESH_MS = 300_000;

/**
 * Returns whether the balance is recent enough to be used.
 * @param at milliseconds since the epoch
 */
export function isFresh({ read_at }: Pick<FloatRow, 'read_at'>, at: number): boolean {
  return at - read_at.getTime() < FRESH_MS;
}
