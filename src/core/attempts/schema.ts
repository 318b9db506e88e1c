import type { Next } from '../../providers/adapters/contract.ts';

/**
 * Who causes a prompt on a payer's phone, from the least to the most trusted. `public`: a public key, or the hosted page of a
 * payment that no secret key created. `page`: the hosted page of a payment created with a secret or restricted key. `private`:
 * such a key itself.
 */
export const PROMPTERS = ['public', 'page', 'private'] as const;
export type Prompter = (typeof PROMPTERS)[number];

/**
 * created: not known to have been sent. open: the provider has it. unknown: the provider may have it. unavailable: the provider did
 * not take it; if the provider calls back about it nevertheless, it is polled.
 */
export type AttemptStatus = 'created' | 'open' | 'unknown' | 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'unavailable';

/** Money that arrived in an amount or currency other than requested. It stays in `hold` (suspense) until a person resolves it. */
export interface Mismatch {
  /** Text, because it is stored as JSON. */
  amount_minor: string;
  currency: string;
  provider_ref: string;
  /** ISO 8601. */
  at: string;
}

/** A manual resolution of an unknown outcome. */
export interface Resolution {
  as: 'succeeded' | 'failed';
  evidence: string;
  author: string;
  /** ISO 8601. */
  at: string;
  /** The mismatch that it resolved. */
  mismatch?: Mismatch;
}

/** A row of attempts. Amounts are in hundredths (bigint). */
export interface AttemptRow {
  team_id: bigint;
  id: string;
  payment_id: string;
  provider: string;
  /** The team's account at the provider through which the attempt was made. */
  provider_account: string;
  channel: string;
  status: AttemptStatus;
  amount_minor: bigint;
  currency: string;
  /** Null when the provider collects it on its own page, and again once it is no longer needed. */
  payer: string | null;
  /** Keyed hash of a payer that was erased. */
  payer_hash: string | null;
  /** The payer asked that the number be saved. */
  remember: boolean | null;
  /** The saved payment method that the number belongs to; null when it was typed. */
  method_id: string | null;
  country: string | null;
  provider_key: string;
  provider_ref: string | null;
  /** Handle that the provider returned before the collection was sent. */
  handle: string | null;
  mismatch: Mismatch | null;
  /** Number of mismatches reported so far, including the current one. */
  mismatches: number;
  resolution: Resolution | null;
  reason: string | null;
  message: string | null;
  action: Next | null;
  /** As stored: `explanationOf` of routing reads it. */
  decision: unknown;
  client_ip: string | null;
  polls: number;
  /** Captured money that the payment cannot keep: a return was created for it (src/core/returns). Never becomes false again. */
  must_return: boolean;
  /** Who caused the prompt on the payer's phone; null: no person, or it is not mobile money. */
  prompted_by: Prompter | null;
  /** UTC day on which it counts towards the team's transaction limits; null: it does not count. */
  counted_day: string | null;
  next_poll_at: Date | null;
  created_at: Date;
  submitted_at: Date | null;
  /** When the newest further step of the payer was sent whose result is not known; null: none. */
  unanswered_step_at: Date | null;
  closed_at: Date | null;
}

/** The public view of an attempt. `created_at` is text when PostgreSQL returned it inside JSON. */
export interface AttemptView {
  id: string;
  provider: string;
  channel: string;
  status: AttemptStatus;
  reason: string | null;
  /** Why this provider was chosen, as routing stored it when the attempt was created. */
  decision: unknown;
  created_at: Date | string;
}

/** Whether the attempt may still be moving money. */
export function isOpen(attempt: Pick<AttemptRow, 'status'>): boolean {
  return attempt.status === 'created' || attempt.status === 'open' || attempt.status === 'unknown';
}

/**
 * Returns the time of the last submission to the provider: that of the newest further step whose result is not known, else that of the
 * attempt itself. Null: the attempt is not known to have been sent.
 */
export function lastSentAt(attempt: Pick<AttemptRow, 'submitted_at' | 'unanswered_step_at'>): Date | null {
  return attempt.unanswered_step_at ?? attempt.submitted_at;
}

/**
 * Reason of an attempt that was closed because its provider did not have it. No provider ends an attempt with this status and
 * reason.
 */
export const NEVER_ARRIVED = 'channel_unavailable';

/** Whether the attempt was closed because it apparently never reached its provider. */
export function neverArrived({ status, reason }: Pick<AttemptRow, 'status' | 'reason'>): boolean {
  return status === 'expired' && reason === NEVER_ARRIVED;
}

/**
 * Whether the attempt prevents another charge of its payment. It does while it may still move money: it is open, or it was closed but its
 * provider may have it after all. It also does while money of another amount has arrived for it and waits for a decision.
 */
export function isUnderWay(attempt: Pick<AttemptRow, 'status'> & { next_poll_at: unknown; mismatch: unknown }): boolean {
  return isOpen(attempt) || attempt.next_poll_at !== null || attempt.mismatch !== null;
}

/** Whether the attempt was closed, but its provider may have it after all: its status is polled. */
export function isDoubted(attempt: Pick<AttemptRow, 'status'> & { next_poll_at: unknown }): boolean {
  return !isOpen(attempt) && attempt.next_poll_at !== null;
}
