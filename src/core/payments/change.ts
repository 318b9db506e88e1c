import type { Environment } from '../../kit/environment.ts';
import type { AvailableAt } from '../../money/settlement/retention.ts';
import type { Reason } from '../../providers/adapters/reasons.ts';
import type { AttemptUpdate } from '../attempts/store.ts';
import type { PaymentListener } from './listeners.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';

/** An event or trigger that may change a payment. */
export type Occurrence =
  | { kind: 'submitted'; channel: string; fee_minor: bigint }
  /** The charge that is paid is not the one that was submitted last: fee and channel are those of the former. */
  | { kind: 'repriced'; channel: string; fee_minor: bigint }
  | { kind: 'captured'; attempt_id: string; amount_minor: bigint; available_at: AvailableAt }
  /** A provider reports an amount or currency other than requested. */
  | { kind: 'mismatched'; attempt_id: string; amount_minor: bigint; currency: string }
  | { kind: 'declined' | 'payer_cancelled'; channel: string; reason: Reason; message: string }
  | { kind: 'merchant_cancelled' | 'window_elapsed' }
  /** A tranche provably never reached its provider. */
  | { kind: 'tranche_unsent' }
  | { kind: 'refunded'; amount_minor: bigint }
  /** Captured money has been returned to the payer; `refunded_minor` is all that was counted as captured and then returned. */
  | { kind: 'reversed'; refunded_minor: bigint }
  /** Such money can be returned neither by refund nor by payout: a person has to return it. */
  | { kind: 'return_required' };

/** A change of one payment that `apply` carries out. */
export interface Change {
  team_id: bigint;
  payment_id: string;
  /**
   * Update of an attempt. A closed attempt accepts only a success, or an update that was judged under the lock to concern a
   * closed attempt (`late`, see late.ts).
   */
  attempt?: { id: string; update: AttemptUpdate; late?: boolean };
  occurrences: Occurrence[];
}

/**
 * A provider's or a person's report about an attempt. Its effect is computed under the lock, from the rows as they are then:
 * between the report and the lock the attempt may have been sent, closed or given a provider reference.
 */
export interface Report {
  team_id: bigint;
  payment_id: string;
  attempt_id: string;
  /** @param at milliseconds since the epoch, the moment of the change */
  judge(payment: PaymentRow, attempt: AttemptRow, attempts: readonly AttemptRow[], at: number): Change;
}

/** The environment, time and listeners with which changes are applied. */
export interface ApplyContext {
  environment: Environment;
  /** Milliseconds since the epoch. */
  at: number;
  listeners: readonly PaymentListener[];
}

/** Result of applying one change. */
export interface Applied {
  payment: PaymentRow;
  attempts: AttemptRow[];
  /** Whether the last trigger changed the payment. */
  changed: boolean;
}
