import type { Environment } from '../../kit/environment.ts';

/** Time for which requests are listed. The partition of a day is dropped when the whole day is older. */
export const REQUESTS_KEEP_MS = 7 * 24 * 60 * 60_000;

/** A request as it is reported to the log. */
export interface MadeRequest {
  environment: Environment;
  team_id: bigint;
  /** Id of the key, or of the person in the console. */
  caller: string;
  request_id: string;
  /** Whether the service chose the id for this request alone: it is then not stored twice. */
  own_id: boolean;
  method: string;
  /** As returned by {@link loggedPath}. */
  path: string;
  status: number;
  error_code: string | null;
  duration_ms: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A stored request. */
export interface RequestRow {
  id: string;
  request_id: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  caller: string;
  error_code: string | null;
  created_at: Date;
}
