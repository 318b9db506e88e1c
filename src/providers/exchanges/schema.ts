import type { Environment } from '../../kit/environment.ts';

/** Time for which exchanges are shown. The partition of a day is dropped when the whole day is older. */
export const EXCHANGES_KEEP_MS = 7 * 24 * 60 * 60_000;

/**
 * How a callback was authenticated. `signed`: by a valid signature or secret of the account. `address`: it came to an unguessable address
 * of ours. `unverified`: it has no signature, or there is no key yet to verify it. `forged`: its signature or secret is missing or wrong.
 */
export type Authentication = 'signed' | 'address' | 'unverified' | 'forged';

/**
 * Maximum callbacks that are stored about one attempt, payout or refund, for each authentication. A sender of unverified callbacks can
 * therefore neither fill the storage nor displace signed ones.
 */
export const MAX_CALLBACKS = 10;

/** One request to a provider and its outcome, or one callback and our answer. It contains only fields of the list. */
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
  /** Null: a request of ours. */
  callback: Authentication | null;
  /** HTTP status; for a callback, that of our answer. Null: no complete response. */
  status: number | null;
  /** Why there was no response. */
  error: string | null;
  duration_ms: number;
  /** The body that was sent, by us or to us, as JSON. Null where it is not JSON. */
  request: string | null;
  response: string | null;
  /** Size of the response, or the callback, as received; the stored text is shorter. */
  response_bytes: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A stored exchange. */
export type ExchangeRow = Omit<NewExchange, 'environment' | 'team_id' | 'at'> & { created_at: Date };
