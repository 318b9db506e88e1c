import { must } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { disputedOf } from '../disputes/store.ts';
import type { MoveContext } from '../payments/listeners.ts';
import { capturesOf, lockPayment } from '../payments/service.ts';
import { finish, returnUnspent } from './end.ts';
import { readAgain } from './read-again.ts';
import type { RefundRow } from './schema.ts';
import { lockUncovered, refundsUnderWay, takenByAttempt } from './store.ts';

/**
 * Ends a refund that waits: no part of it is with its provider, and the rest is no longer sent. The amount that has not reached the payer
 * returns to the balances. A part that a provider had turned away is polled once more. The caller has locked the payment and the refund.
 * @param message why, for the merchant
 * @returns the refund as it is now
 */
export async function endWaiting(tx: Tx, context: MoveContext, row: RefundRow, message: string): Promise<RefundRow> {
  const legs = row.legs.map((part) =>
    part.status === 'waiting' && part.sent_at !== null ? { ...part, status: 'failed' as const } : part,
  );
  await returnUnspent(tx, { ...row, legs });
  const ended = await finish(tx, context, { ...row, legs, failure_reason: row.failure_reason ?? 'unknown', message }, 'failed');
  if (legs.some(({ status }) => status === 'failed')) await readAgain(tx, ended, new Date(context.at));
  return ended;
}

/**
 * Ends the merchant's refunds of a payment that wait for money or for a provider, because the payer gets the money in another way. A refund
 * with a part at its provider stays unchanged. The caller has locked the payment.
 */
export async function endUncoveredRefunds(tx: Tx, context: MoveContext, ref: { team_id: bigint; id: string }): Promise<void> {
  for (const row of await lockUncovered(tx, ref.team_id, ref.id))
    await endWaiting(tx, context, row, 'The payment was charged back.');
}

/**
 * Ends those of the merchant's refunds of a payment that wait, the newest first, which would return more than was paid: the payer has been
 * refunded by one that had been reported as failed when they were made. A refund with a part at its provider stays unchanged until
 * it waits. The caller has locked the payment.
 * @returns the refunds that have ended
 */
export async function endExcessRefunds(tx: Tx, context: MoveContext, ref: { team_id: bigint; id: string }): Promise<RefundRow[]> {
  const ended: RefundRow[] = [];
  for (const row of (await lockUncovered(tx, ref.team_id, ref.id)).toReversed()) {
    if (!(await isExcess(tx, row))) continue;
    ended.push(await endWaiting(tx, context, row, 'An earlier refund reached the payer after it had failed.'));
  }
  return ended;
}

/** Whether all refunds and disputes return more than was paid, or those of a charge that the rest of this refund is about. */
async function isExcess(tx: Tx, { team_id, payment_id, legs }: RefundRow): Promise<boolean> {
  const payment = must(await lockPayment(tx, team_id, payment_id), 'the caller has locked it');
  const refunds_minor = payment.refunded_minor + (await refundsUnderWay(tx, team_id, payment_id));
  if (refunds_minor > payment.amount_minor) return true;
  if (refunds_minor + (await disputedOf(tx, team_id, payment_id)) > payment.captured_minor) return true;
  const taken = await takenByAttempt(tx, team_id, payment_id);
  const captures = await capturesOf(tx, { team_id, id: payment_id });
  const over = new Set(captures.filter(({ id, amount_minor }) => (taken.get(id) ?? 0n) > amount_minor).map(({ id }) => id));
  return legs.some(({ status, attempt_id }) => status === 'waiting' && over.has(attempt_id));
}
