import type { Environment } from '../../kit/environment.ts';

/** Time for which exchanges are shown. Their partition is dropped when all of its day is older. */
export const EXCHANGES_KEEP_MS = 7 * 24 * 60 * 60_000;

/** One request to a provider and its outcome, with nothing that is not in the list of fields. */
export interface NewExchange {
  id: string;
  environment: Environment;
  team_id: bigint;
  /** Attempt, payout or refund. */
  subject_id: string;
  provider: string;
  account_id: string;
  method: string;
  path: string;
  /** Null: no complete response. */
  status: number | null;
  /** Why there was no response. */
  error: string | null;
  duration_ms: number;
  /** JSON, or null where the body is not JSON. */
  request: string | null;
  response: string | null;
  /** Size of the response as received; the stored text is shorter. */
  response_bytes: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A stored exchange. */
export type ExchangeRow = Omit<NewExchange, 'environment' | 'team_id' | 'at'> & { created_at: Date };
