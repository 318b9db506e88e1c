import { type AttemptRow, isUnderWay } from '../attempts/schema.ts';
import { blockedCustomer } from '../customers/payer.ts';
import { sha256 } from '../../kit/crypto.ts';
import { must } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { inputOf } from './create.ts';
import { insertWithPayers } from './create-store.ts';
import type { InnerOrder } from './create-within.ts';
import { lastOfChain, writeRetriedBy } from './retry-store.ts';
import type { PaymentRow } from './schema.ts';
import { statedAmounts, undecidedByStatement } from './statement-amounts-store.ts';
import { type PaymentRef, writeClaim } from './store.ts';

/*
 * Another try after a decline (docs/decisions/0085-retries.md): a failed payment stays failed, and a payment of its own follows it. Only
 * the hosted page creates one.
 */

/** Maximum payments that follow the first one. */
export const MAX_RETRIES = 5;

/** Reasons after which a payment is not retried: fraud, and a provider that may be collecting the same amount already. */
const FINAL_REASONS: readonly (string | null)[] = ['fraud_blocked', 'duplicate_transaction'];

/** Whether a payment was declined, can take no money any more, and may be followed by another within its window. */
export async function isRetryable(
  db: Queryable,
  payment: PaymentRow,
  attempts: readonly AttemptRow[],
  at: number,
): Promise<boolean> {
  const isAllowed =
    wasDeclined(payment) &&
    payment.retried_by === null &&
    (payment.retry_number ?? 0) < MAX_RETRIES &&
    payment.expires_at.getTime() > at &&
    payment.captured_minor === 0n &&
    attempts.every(tookNothing);
  return isAllowed && !(await hasUnmatchedMoney(db, attempts));
}

/**
 * Whether money of these attempts arrived with another amount than the requested one, and is in suspense: a provider reports it, or a
 * statement has shown it. Neither changes how the attempt ended.
 */
export async function hasUnmatchedMoney(db: Queryable, attempts: readonly AttemptRow[]): Promise<boolean> {
  if (attempts.length === 0) return false;
  if (attempts.some(({ mismatch }) => mismatch !== null)) return true;
  const tried = attempts.map(({ team_id, id }) => ({ team_id, attempt_id: id }));
  return (await statedAmounts(db, tried)).length > 0;
}

/**
 * Whether such money waits for a decision. Until then the payment is neither charged nor cancelled. Afterwards the money may still forbid
 * a payment that follows one that ended, see {@link hasUnmatchedMoney}.
 */
export async function hasUndecidedMoney(db: Queryable, attempts: readonly AttemptRow[]): Promise<boolean> {
  return attempts.some(({ mismatch }) => mismatch !== null) || (await undecidedByStatement(db, attempts)).size > 0;
}

/** Whether a provider or the payer declined it. A payment that the merchant cancelled has no reason. */
function wasDeclined({ status, reason }: PaymentRow): boolean {
  if (status !== 'failed' && status !== 'cancelled') return false;
  return reason !== null && !FINAL_REASONS.includes(reason);
}

/** Whether the attempt has moved no money and cannot do so any more, as far as its provider has reported. */
function tookNothing(attempt: AttemptRow): boolean {
  return !isUnderWay(attempt) && attempt.status !== 'succeeded';
}

/** Returns a payment as it was before its first charge. */
export function unchargedOf(payment: PaymentRow): PaymentRow {
  return {
    ...payment,
    fee_minor: 0n,
    captured_minor: 0n,
    refunded_minor: 0n,
    status: 'pending',
    channel: null,
    settled: false,
    reason: null,
    message: null,
    payment_method: null,
    continue_at: null,
    event_count: 1,
    completed_at: null,
  };
}

/**
 * Creates the payment that follows a failed one, in the caller's transaction. It has the same order, payer and creator, and the rest of
 * the window; its reference may repeat even where references are unique.
 * @param failed locked and retryable
 * @param browser the secret of the browser that holds the page
 * @throws Problem 422 blocked customer; a violation for which `creating` runs the transaction again
 */
export async function insertRetry(
  tx: Tx,
  order: Omit<InnerOrder, 'body'>,
  failed: PaymentRow,
  browser: string,
): Promise<PaymentRow> {
  const { caller, at } = order;
  const now = new Date(at);
  const payment: PaymentRow = {
    ...unchargedOf(failed),
    id: newId('trx', caller.store.environment, at),
    retry_of: failed.id,
    retry_number: (failed.retry_number ?? 0) + 1,
    claim: null,
    created_at: now,
    updated_at: now,
  };
  const unkeyed = { ...order, caller: { ...caller, team: { ...caller.team, unique_references: false } }, idempotency_key: null };
  const made = (await insertWithPayers(tx, [inputOf(unkeyed, payment, sha256(payment.id))])).get(payment.id);
  if (made === 'blocked') throw blockedCustomer();
  const { customer_id } = must(made, 'a payment without a key is always inserted');
  const claim = sha256(browser);
  await writeClaim(tx, payment, null, claim);
  await writeRetriedBy(tx, failed, payment.id, now);
  return { ...payment, customer_id, claim };
}

/** Returns the payment with which the payer continues: the last of the chain of retries. */
export function latestRetry(db: Queryable, ref: PaymentRef): Promise<{ id: string }> {
  return lastOfChain(db, ref, MAX_RETRIES);
}
