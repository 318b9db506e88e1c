import type { Environment } from '../kit/environment.ts';
import type { Tx } from '../kit/sql.ts';
import type { AttemptRow, PaymentRow } from './schema.ts';
import { isUnpaid } from './states.ts';

/*
 * Links and invoices keep count of payments, and customers of the means they paid with; payments know none of them.
 * So they listen: deps hands the listeners in (src/listeners.ts lists them), and the one door (apply.ts) tells them.
 */

/** A payment that has just changed: as it was under the lock, and as it is written. */
export interface Move {
  before: PaymentRow;
  after: PaymentRow;
  attempts: readonly AttemptRow[];
}

/** Where and when it changed. */
export interface MoveContext {
  environment: Environment;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Told of payments that changed, in the transaction that changes them and before balances are locked: whoever listens
 * locks rows of its own in the order of their ids, and never a payment.
 */
export type PaymentListener = (tx: Tx, context: MoveContext, moves: readonly Move[]) => Promise<void>;

/** Whether this change is the one by which the payment succeeded. Once for each payment: no status leads back to it. */
export function hasSucceeded({ before, after }: Pick<Move, 'before' | 'after'>): boolean {
  return before.status !== 'succeeded' && after.status === 'succeeded';
}

/** Whether this change is the one by which the payment ended without its money. */
export function hasEndedUnpaid({ before, after }: Pick<Move, 'before' | 'after'>): boolean {
  return !isUnpaid(before.status) && isUnpaid(after.status);
}
