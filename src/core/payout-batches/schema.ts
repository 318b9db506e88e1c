import type { TransferStatus } from '../transfers/states.ts';

/** A list of payouts. */
export interface BatchRow {
  team_id: bigint;
  id: string;
  /** Who made it. */
  user_id: string;
  /** Number of its lines. */
  lines: number;
  /** When a person confirmed it; null: not yet. */
  started_at: Date | null;
  created_at: Date;
}

export type LineStatus = 'wrong' | 'open' | 'done' | 'asked' | 'failed';

/** One line of a list. Amounts are in hundredths; null in a line that is wrong. */
export interface LineRow {
  /** Number of the payout in the list, from 1: its idempotency key is made of it. */
  line: number;
  /** Line of the uploaded text at which it begins, counting the header and empty lines; null in a list that is older than this column. */
  file_line: number | null;
  status: LineStatus;
  /** Body of POST /transfers; null once the line is done or waits for a second person. */
  body: Readonly<Record<string, unknown>> | null;
  amount_minor: bigint | null;
  fee_minor: bigint | null;
  currency: string | null;
  /** Name and number; null once the line is done. */
  recipient: string | null;
  /**
   * Where recipient and amount occur again. file: in another line. recent: in a payout of the last 24 hours, one that is under way, or one
   * that waits for a second person.
   */
  repeats: 'file' | 'recent' | null;
  /** Id of the transfer, or of the requested approval. */
  result_id: string | null;
  message: string | null;
}

/** A line with the status of its transfer. */
export interface ShownLine extends LineRow {
  transfer_status: TransferStatus | null;
}

/** The outcome of a line. */
export interface Outcome {
  line: number;
  status: 'done' | 'asked' | 'failed';
  result_id: string | null;
  message: string | null;
}

/** Lines of one status and currency, with their sums in hundredths. */
export interface LineSum {
  status: LineStatus;
  /** Null: lines that are wrong. */
  currency: string | null;
  lines: number;
  /** Lines with {@link LineRow.repeats}. */
  repeated: number;
  /** Lines whose payout failed or was cancelled and was not paid late. */
  unpaid: number;
  amount_minor: bigint;
  fee_minor: bigint;
}

/** How long a list is kept. */
export const BATCHES_KEEP_MS = 30 * 86_400_000;
