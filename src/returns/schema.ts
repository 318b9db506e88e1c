import type { Minor } from '../kit/money.ts';
import { isClosed, RETURN_STATES, type ReturnState } from './states.ts';

/** In which money is in suspense, on its way, or a person's to decide. */
export const OPEN_STATES = RETURN_STATES.filter((state) => !isClosed(state));

/** Whose money a person decided it is; the last two are for a return that was made twice. */
export const RESOLVED_AS = ['returned', 'kept', 'recovered', 'absorbed'] as const;

export type ResolvedAs = (typeof RESOLVED_AS)[number];

/** A row of returns: money that must go back to the payer. */
export interface ReturnRow {
  team_id: bigint;
  id: string;
  payment_id: string;
  attempt_id: string;
  /** '' is the captured amount of the attempt; else the provider's reference of money that arrived beside it. */
  arrival: string;
  amount_minor: bigint;
  currency: string;
  state: ReturnState;
  /** The refund that goes by the provider's own refund; set for good once it was tried. */
  refund_id: string | null;
  /** The refund that goes by payout. */
  payout_id: string | null;
  /** The refund that a person sees to. */
  manual_id: string | null;
  /** The account that has the payout. */
  account_id: string | null;
  /** Accounts that provably did not take the payout. */
  tried: string[];
  /** The payout was handed to the same account again: "not taken" then proves nothing of the first time. */
  resent: boolean;
  /** Of the present sending; null while the payout is provably with no provider. */
  dispatched_at: Date | null;
  /** Keys of the payout under which it was taken and failed unpaid. */
  spent: number;
  /** The refund that had failed was done after all, and is booked. */
  late_refund: boolean;
  recheck: boolean;
  polls: number;
  /** Why it is where it is, for people. */
  note: string | null;
  next_step_at: Date | null;
  waiting_since: Date | null;
  announced_at: Date | null;
  resolved_as: ResolvedAs | null;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

export type ReturnRef = Pick<ReturnRow, 'team_id' | 'id'>;

/** Money that arrived and that the payment cannot keep. */
export interface Obligation {
  team_id: bigint;
  payment_id: string;
  attempt_id: string;
  /** Left out: the captured amount of the attempt. */
  arrival?: string;
  amount_minor: Minor;
  currency: string;
}

/** Open returns of one state, as metrics report them. */
export interface OpenReturns {
  state: ReturnState;
  count: number;
  oldest_seconds: number;
}
