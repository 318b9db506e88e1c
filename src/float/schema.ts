/** One purse of an account at a provider, as it last said. */
export interface FloatRow {
  team_id: bigint;
  /** `pa_…` */
  account_id: string;
  currency: string;
  /** What it serves: a country (`cm`), a channel (`cm.mtn`), or everything in its currency (empty). */
  area: string;
  use: 'collection' | 'payout' | 'both';
  amount_minor: bigint;
  /** When the account was asked. */
  read_at: Date;
}

/** Below what somebody wants to be told. */
export interface AlertRow {
  team_id: bigint;
  account_id: string;
  currency: string;
  /** Empty: every float in the currency that has no alert of its own. */
  area: string;
  below_minor: bigint;
}

/** How an account was last asked. */
export interface PollRow {
  team_id: bigint;
  account_id: string;
  asked_at: Date;
  /** Null: it has never answered. */
  read_at: Date | null;
  /** Null: it answered the last time. */
  error: string | null;
}

/** `stale`: not known any more. */
export type FloatLevel = 'enough' | 'low' | 'empty' | 'stale';

/** A reading that is older is not believed: by then five polls have failed. */
export const FRESH_MS = 300_000;

export function isFresh({ read_at }: Pick<FloatRow, 'read_at'>, at: number): boolean {
  return at - read_at.getTime() < FRESH_MS;
}
