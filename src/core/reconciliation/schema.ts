import type { Flow } from '../../providers/adapters/statement.ts';

/** Kinds of difference between a statement and our books, in the order of the report. */
export const BREAK_KINDS = ['missing_here', 'missing_there', 'amount', 'duplicate', 'late', 'unknown'] as const;

/**
 * missing_here: the statement has money that is not in our books. missing_there: our books have money that is not in
 * the statement. amount: a different amount or currency. duplicate: money moved more than once under one key. late:
 * money moved although the operation had ended here without success. unknown: the outcome was unknown here and is in
 * the statement.
 */
export type BreakKind = (typeof BREAK_KINDS)[number];

/**
 * The possible automatic action for a break. `close` applies the evidence as a result of the operation. `correct`
 * posts the difference between the statement and the books to `hold` (suspense).
 */
type BreakAction = 'close' | 'correct' | 'none';

/**
 * open: nothing was done yet. closed: resolved by the evidence. held: the money is in `hold` (suspense). settled:
 * resolved manually. refused: the action was not possible.
 */
export type BreakState = 'open' | 'closed' | 'held' | 'settled' | 'refused';

/** Number of breaks of a kind in one state. */
export interface BreakCount {
  kind: BreakKind;
  state: BreakState;
  count: number;
}

export interface BreakRow {
  team_id: bigint;
  run_id: string;
  id: bigint;
  kind: BreakKind;
  flow: Flow;
  /** Line number in the file; null when the statement has no such line. */
  line: number | null;
  key: string | null;
  reference: string | null;
  /** Id of the attempt, payout or refund. */
  subject_id: string | null;
  /** Id of the payment or payout that operators search for. */
  of_id: string | null;
  /** Number of the refund part. */
  leg: number | null;
  there_minor: bigint | null;
  there_currency: string | null;
  there_at: Date | null;
  /** The status in the statement; null when there is none. */
  there_status: 'succeeded' | 'failed' | null;
  here_minor: bigint | null;
  here_currency: string | null;
  here_at: Date | null;
  here_standing: Standing | null;
  action: BreakAction;
  state: BreakState;
  /** What was done, or why not, for operators. */
  outcome: string | null;
}

/** open: submitted to the provider. waiting: not submitted yet. ended: ended without moving money. */
export type Standing = 'succeeded' | 'open' | 'waiting' | 'ended';

/** Count and sum of one verdict, by flow and currency. */
export interface Tally {
  verdict: BreakKind | 'matched' | 'nothing';
  flow: Flow;
  currency: string;
  count: number;
  /** Sum of the lines that report money moved; for `missing_there`, of the books. */
  sum_minor: bigint;
}

/** The result of reading the file. */
export interface Reading {
  lines: number;
  bad: number;
  /** The first invalid lines, with the reasons. */
  faults: { line: number; fault: string }[];
  /** Lines not yet final at the provider. */
  pending: number;
  /** Lines that are neither collection, payout nor refund. */
  other: number;
  /** Fees of the lines that report money moved. */
  fees: { currency: string; sum_minor: bigint }[];
  /** SHA-256 of the file. */
  hash: string;
  first_at: number | null;
  last_at: number | null;
}

/** The owner of money in suspense. undone: the statement was wrong and the books were right. */
export const SETTLED_AS = ['merchant', 'platform', 'undone'] as const;
export type SettledAs = (typeof SETTLED_AS)[number];

/** One comparison of one file with the books. */
export interface Run {
  team_id: bigint;
  /** `rec_…` */
  id: string;
  provider: string;
  provider_account: string;
  account_name: string;
  file_name: string;
  file_hash: string;
  from_at: Date;
  to_at: Date;
  applied: boolean;
  reading: Reading;
  tallies: Tally[];
  created_at: Date;
  /** Id of an earlier run of the same file, or null. */
  earlier: string | null;
}
