import type { Flow } from '../providers/statement.ts';

/** What is different between a statement and our books, in the order of the report. */
export const BREAK_KINDS = ['missing_here', 'missing_there', 'amount', 'duplicate', 'late', 'unknown'] as const;

/**
 * missing_here: the statement has money we know nothing of. missing_there: we have money that the statement has not.
 * amount: another amount or currency. duplicate: money moved more than once under one key. late: money moved although
 * here it had ended without. unknown: nobody here knew the outcome, and the statement tells it.
 */
export type BreakKind = (typeof BREAK_KINDS)[number];

/**
 * What can be done about a break without a person: `close` enters the evidence by the door of its kind, `correct` posts
 * what the statement has and the books have not to `hold`.
 */
type BreakAction = 'close' | 'correct' | 'none';

/**
 * open: nothing was done yet. closed: decided by the evidence. held: the money waits in `hold`. settled: a person said where
 * it belongs. refused: it could not be done.
 */
export type BreakState = 'open' | 'closed' | 'held' | 'settled' | 'refused';

/** How many breaks of a kind stand how. */
export interface Stand {
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
  /** Of the file; null when the statement has no such line. */
  line: number | null;
  key: string | null;
  reference: string | null;
  /** The attempt, transfer or refund. */
  subject_id: string | null;
  /** The payment or transfer under which people look for it. */
  of_id: string | null;
  /** Which leg of a refund. */
  leg: number | null;
  there_minor: bigint | null;
  there_currency: string | null;
  there_at: Date | null;
  /** What the statement says of it; null when it says nothing. */
  there_status: 'succeeded' | 'failed' | null;
  here_minor: bigint | null;
  here_currency: string | null;
  here_at: Date | null;
  here_standing: Standing | null;
  action: BreakAction;
  state: BreakState;
  /** For people: what was done, or why not. */
  outcome: string | null;
}

/** open: it is with the provider. waiting: it is with nobody and will be sent. ended: without money. */
export type Standing = 'succeeded' | 'open' | 'waiting' | 'ended';

/** Count and sum of what came to one verdict, by flow and currency. */
export interface Tally {
  verdict: BreakKind | 'matched' | 'nothing';
  flow: Flow;
  currency: string;
  count: number;
  /** Of lines that say money moved; of `missing_there`, what the books say. */
  sum_minor: bigint;
}

/** What reading the file came to. */
export interface Reading {
  lines: number;
  bad: number;
  /** The first of the bad lines, and why. */
  faults: { line: number; fault: string }[];
  /** Not yet decided by the provider. */
  pending: number;
  /** Neither collection, payout nor refund. */
  other: number;
  /** Of the lines that say money moved. */
  fees: { currency: string; sum_minor: bigint }[];
  /** SHA-256 of the file. */
  hash: string;
  first_at: number | null;
  last_at: number | null;
}

/** Where what was set aside belongs. undone: the statement was wrong, and the books were right. */
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
  /** The same file was compared before. */
  earlier: string | null;
}
