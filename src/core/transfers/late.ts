import type { Store } from '../../platform/db/stores.ts';
import { changeUses } from '../../money/transaction-limits/service.ts';
import { lockBalances, post } from '../../money/ledger/post.ts';
import { isSetAsideByStatement } from '../../money/ledger/suspense.ts';
import type { Tx } from '../../kit/sql.ts';
import type { PayoutOutcome } from '../../providers/adapters/contract.ts';
import { backOff, MAX_RECHECKS } from '../../providers/adapters/polling.ts';
import type { Resolution } from '../attempts/schema.ts';
import { paidLateJournal, payerAccount } from './bookings.ts';
import type { TransferDeps } from './deps.ts';
import { writePaidLate } from './late-store.ts';
import type { TransferRow } from './schema.ts';
import { lockTransfers, type TransferRef, writeRecheck } from './store.ts';

/** Whether the transfer ended without money, but was sent: its provider may report that it was paid after all. */
export function mayBePaidLate({ status, provider_account, paid_late_at }: TransferRow): boolean {
  return (status === 'failed' || status === 'cancelled') && provider_account !== null && paid_late_at === null;
}

/** Evidence that an ended transfer reached its recipient. */
export interface LateProof {
  provider_ref: string | null;
  resolution?: Resolution;
}

/**
 * Posts that a transfer reached its recipient after it had failed or been cancelled, once. Its status is final and stays. The amount,
 * which had returned to the balance, is drawn again: from `available`, else as an advance of the platform, because it has left.
 * @param at milliseconds since the epoch
 * @returns null when nothing is posted: the transfer is not one of these, or a statement has set its money aside
 */
export async function recordPaidLate(tx: Tx, at: number, ref: TransferRef, proof: LateProof): Promise<TransferRow | null> {
  const [row] = await lockTransfers(tx, [ref]);
  if (!row || !mayBePaidLate(row) || (await isSetAsideByStatement(tx, row.team_id, row.id))) return null;
  const { team_id, currency, amount_minor, counted_day: day } = row;
  if (day !== null) await changeUses(tx, [{ team_id, direction: 'transfer', currency, day, amount_minor }]);
  const name = payerAccount(row, 'available');
  const { [name]: available = 0n } = await lockBalances(tx, team_id, currency, [name, payerAccount(row, 'credit')]);
  await post(tx, [paidLateJournal(row, available < amount_minor ? available : amount_minor)]);
  const paid: TransferRow = {
    ...row,
    provider_ref: proof.provider_ref ?? row.provider_ref,
    message: `It ${reachedAfter(row)}`,
    resolution: proof.resolution ?? row.resolution,
    paid_late_at: new Date(at),
    updated_at: new Date(at),
    next_poll_at: null,
  };
  await writePaidLate(tx, paid);
  return paid;
}

/**
 * Writes that a statement has shown an ended transfer as paid, when a person has decided whose money it is. The decision has posted the
 * money: nothing is drawn here.
 * @param stated amount in the statement
 */
export async function recordShownPaid(
  tx: Tx,
  at: number,
  ref: TransferRef,
  stated: { amount_minor: bigint | null; currency: string | null },
): Promise<void> {
  const [row] = await lockTransfers(tx, [ref]);
  if (!row) return;
  const same = stated.amount_minor === row.amount_minor && stated.currency === row.currency;
  const message = `${same ? 'It' : 'Another amount'} ${reachedAfter(row)}`;
  await writePaidLate(tx, { ...row, message, updated_at: new Date(at), next_poll_at: null });
}

/** Whether the message of a transfer says that it, or another amount, reached the recipient after it had ended without money. */
export function saysPaidLate(row: Pick<TransferRow, 'status' | 'message'>): boolean {
  return row.message?.endsWith(reachedAfter(row)) ?? false;
}

function reachedAfter({ status }: Pick<TransferRow, 'status'>): string {
  return `reached the recipient after it had ${status === 'failed' ? 'failed' : 'been cancelled'}.`;
}

/** Applies the result of another poll of a transfer that had ended without money. */
export async function applyRecheck(
  { clock, log }: Pick<TransferDeps, 'clock' | 'log'>,
  store: Store,
  row: TransferRow,
  outcome: PayoutOutcome,
): Promise<void> {
  const at = clock.now();
  const about = { team_id: row.team_id, transfer: row.id };
  if (outcome.kind === 'succeeded') {
    const same = outcome.amount_minor === row.amount_minor && outcome.currency === row.currency;
    const paid = same && (await store.db.transaction((tx) => recordPaidLate(tx, at, row, outcome)));
    if (paid) return log.error(about, 'a payout that had ended without money reached its recipient: its amount was drawn again');
    if (!same) log.error(about, 'a payout that had ended without money is reported as paid with another amount or currency');
  }
  const open = outcome.kind === 'pending' || outcome.kind === 'unknown' || outcome.kind === 'unavailable';
  await writeRecheck(store.db, row, open && row.polls < MAX_RECHECKS ? new Date(at + backOff(row.polls)) : null);
}
