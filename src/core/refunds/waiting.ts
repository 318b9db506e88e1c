import type { Tx } from '../../kit/sql.ts';
import { pollNow as pollReturn, recheckRefund } from '../obligations/store.ts';
import type { MoveContext } from '../payments/listeners.ts';
import { finish, returnUnspent } from './apply.ts';
import type { RefundRow } from './schema.ts';
import { FAILED_REFUNDS, lockUncovered, PAYOUT, pollNow } from './store.ts';

/**
 * Ends a refund that waits: no part of it is with its provider, and the rest is not sent any more. What has not reached the payer returns. A
 * part that a provider had turned away is read once more. The caller has locked the payment and the refund.
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

/** Makes a worker read what had been turned away. What carries a return out is read with it, before the money is sent another way. */
export function readAgain(tx: Tx, { team_id, id, return_id, way }: RefundRow, at: Date): Promise<void> {
  if (return_id === null) return pollNow(tx, team_id, id, at);
  if (way === 'refund') return recheckRefund(tx, team_id, id, at, FAILED_REFUNDS);
  return pollReturn(tx, { team_id, id: return_id }, at, null, PAYOUT);
}

/**
 * Ends the merchant's refunds of a payment that wait for money, because its provider has returned the money to the payer in another way. The
 * caller has locked the payment.
 */
export async function endUncoveredRefunds(tx: Tx, context: MoveContext, ref: { team_id: bigint; id: string }): Promise<void> {
  for (const row of await lockUncovered(tx, ref.team_id, ref.id))
    await endWaiting(tx, context, row, 'The payment was charged back.');
}
