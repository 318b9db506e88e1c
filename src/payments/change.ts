import type { Reason } from '../providers/reasons.ts';
import type { AttemptUpdate } from './attempts-store.ts';
import type { AttemptRow, PaymentRow } from './schema.ts';

/** Something that happened to a payment. */
export type Happening =
  | { kind: 'submitted'; channel: string; fee_minor: bigint }
  | { kind: 'captured'; attempt_id: string; amount_minor: bigint; hold_ms: number }
  /** A provider reports another amount or currency than was asked for. */
  | { kind: 'mismatched'; attempt_id: string; amount_minor: bigint; currency: string }
  | { kind: 'declined' | 'payer_cancelled'; channel: string; reason: Reason; message: string }
  | { kind: 'merchant_cancelled' | 'window_elapsed' }
  /** A piece of a payment in tranches provably never reached its provider. */
  | { kind: 'piece_unsent' }
  | { kind: 'refunded'; amount_minor: bigint }
  /** Captured money that the payment could not keep is with the payer again. */
  | { kind: 'given_back'; amount_minor: bigint }
  /** Such money can go back neither by refund nor by payout: a person has to return it. */
  | { kind: 'return_required' };

export interface Change {
  team_id: bigint;
  payment_id: string;
  /**
   * The attempt the update is about. Of one that has ended only a success is taken, and what was judged under the lock to
   * concern an ended attempt (late.ts).
   */
  attempt?: { id: string; update: AttemptUpdate; late?: boolean };
  happenings: Happening[];
}

/**
 * What a provider or a person reported of an attempt. What it changes is judged under the lock, by the rows as they are
 * then: between the report and the lock the attempt may have been sent, closed or given a name.
 */
export interface Report {
  team_id: bigint;
  payment_id: string;
  attempt_id: string;
  /** @param at milliseconds since the epoch, the moment of the change */
  judge(payment: PaymentRow, attempt: AttemptRow, attempts: readonly AttemptRow[], at: number): Change;
}
