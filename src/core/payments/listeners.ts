import type { Environment } from '../../kit/environment.ts';
import type { Tx } from '../../kit/sql.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';
import { isFinal, isUnpaid } from './states.ts';

/*
 * Payment links and invoices count payments, and customers keep the payment methods they paid with, while `payments` imports
 * none of them. They register listeners instead: src/program/listeners.ts lists them, the dependencies pass them in, and apply.ts calls
 * them.
 */

/**
 * A payment that has just changed: its row as it was under the lock, and as it is written. The rows are equal when only its
 * attempts began or ceased to be under way.
 */
export interface Move {
  before: PaymentRow;
  after: PaymentRow;
  attempts: readonly AttemptRow[];
}

/** The environment and time of a change. */
export interface MoveContext {
  environment: Environment;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Called with the payments that changed, in the transaction that changes them and before balances are locked. A listener locks
 * its own rows in the order of their ids and never locks a payment, so that transactions cannot deadlock.
 */
export type PaymentListener = (tx: Tx, context: MoveContext, moves: readonly Move[]) => Promise<void>;

/**
 * Called with a payment that is about to be charged, in the transaction that stores the intent, after the payment is locked and
 * before anything else is. Locks no payment either.
 * @throws Problem to refuse the charge: nothing is stored then
 */
export type ChargeGuard = (tx: Tx, payment: PaymentRow) => Promise<void>;

/** Whether this change made the payment succeed. True once for each payment: no transition leads back to that status. */
export function hasSucceeded({ before, after }: Pick<Move, 'before' | 'after'>): boolean {
  return before.status !== 'succeeded' && after.status === 'succeeded';
}

/** Whether this change ended the payment unpaid. */
export function hasEndedUnpaid({ before, after }: Pick<Move, 'before' | 'after'>): boolean {
  return !isUnpaid(before.status) && isUnpaid(after.status);
}

/** Whether the payment had ended before this change: only refunds and returned money still change it. */
export function hadEnded({ before }: Pick<Move, 'before'>): boolean {
  return isFinal(before.status);
}
