import type { Minor } from '../../kit/money.ts';
import { isClosed, RETURN_STATES, type ReturnState } from './states.ts';

/** States in which money is in suspense, on its way, or waits for manual resolution. */
export const OPEN_STATES = RETURN_STATES.filter((state) => !isClosed(state));

/** Outcomes of a manual resolution; the last two are for a return that was made twice. */
export const RESOLVED_AS = ['returned', 'kept', 'recovered', 'absorbed'] as const;

export type ResolvedAs = (typeof RESOLVED_AS)[number];

/** A row of returns: money that must be returned to the payer. Amounts are in hundredths. */
export interface ReturnRow {
  team_id: bigint;
  id: string;
  payment_id: string;
  attempt_id: string;
  /** '' is the captured amount of the attempt; otherwise the provider's reference of further money that arrived. */
  arrival: string;
  amount_minor: bigint;
  currency: string;
  state: ReturnState;
  /** The refund made by the provider's own refund function; never cleared once it was tried. */
  refund_id: string | null;
  /** The refund made by payout. */
  payout_id: string | null;
  /** The refund that an operator has to carry out. */
  manual_id: string | null;
  /** The provider account that has the payout. */
  account_id: string | null;
  /** Accounts that provably did not take the payout. */
  tried: string[];
  /** The payout was sent to the same account again: a rejection then proves nothing about the first submission. */
  resent: boolean;
  /** Time of the current submission; null while the payout is provably with no provider. */
  dispatched_at: Date | null;
  /** Number of payout keys under which a provider took the payout and failed it unpaid. */
  spent: number;
  /** The refund that had failed succeeded after all, and is posted. */
  late_refund: boolean;
  /** How many times the money has left suspense, less what was put back. Read it with `timesPaid`. */
  times_paid: number;
  recheck: boolean;
  polls: number;
  /** Why the return is in its state, for people. */
  note: string | null;
  next_step_at: Date | null;
  waiting_since: Date | null;
  announced_at: Date | null;
  resolved_as: ResolvedAs | null;
  /** All manual resolutions, in their order: one entry for each time that its amount moved. */
  resolutions: ResolvedAs[];
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

export type ReturnRef = Pick<ReturnRow, 'team_id' | 'id'>;

/** Captured money that the payment cannot keep. */
export interface Obligation {
  team_id: bigint;
  payment_id: string;
  attempt_id: string;
  /** Left out: the captured amount of the attempt. */
  arrival?: string;
  amount_minor: Minor;
  currency: string;
}

/** Open returns of one state, for the metrics. */
export interface OpenReturns {
  state: ReturnState;
  count: number;
  oldest_seconds: number;
}
