import type { Tx } from '../../kit/sql.ts';
import type { ReturnRow } from './schema.ts';
import { endTrigger, isClosed, needsWorker, nextReturnState, type ReturnTrigger, timesPaid } from './states.ts';
import { lockReturn, updateReturn } from './store.ts';

/** The time of a change, in milliseconds since the epoch. */
type ChangeContext = { at: number };

/** The fields of a refund that concern the return it carries out. */
export interface Way {
  team_id: bigint;
  return_id: string | null;
  message: string | null;
  way: 'refund' | 'payout' | 'manual';
}

/**
 * Updates a return when the refund that carries it out has ended, in the transaction of that end. The caller has locked the
 * payment. Refunds made by merchants carry no return.
 */
export async function wayEnded(tx: Tx, context: ChangeContext, way: Way, end: 'succeeded' | 'failed'): Promise<void> {
  if (way.return_id === null) return;
  const row = await lockReturn(tx, { team_id: way.team_id, id: way.return_id });
  // A manual resolution closes the return before the refund that carries it out ends.
  if (!row || (isClosed(row.state) && way.way === 'manual')) return;
  const times_paid = timesPaid(row) + (end === 'succeeded' ? 1 : 0);
  if (times_paid === 0) await moveReturn(tx, context, row, 'way_failed', { note: way.message, polls: 0 });
  else await moveReturn(tx, context, row, endTrigger(times_paid), { times_paid });
}

/**
 * Records that a refund which had failed succeeded after all, in the transaction that posts it. If no other money is on its
 * way, the worker closes the return. If another way was taken, the money has left suspense twice, and a person resolves it.
 */
export async function recordLateSuccess(tx: Tx, context: ChangeContext, { team_id, return_id }: Way): Promise<void> {
  const row = return_id === null ? undefined : await lockReturn(tx, { team_id, id: return_id });
  if (!row) return;
  const note = 'a refund that had failed was done after all';
  const update = { late_refund: true, times_paid: timesPaid(row) + 1, note };
  const now = new Date(context.at);
  const next_step_at = row.state === 'overpaid' && !row.recheck ? null : now;
  if (isClosed(row.state)) await moveReturn(tx, context, row, 'returned_twice', update);
  else await updateReturn(tx, { ...row, ...update, next_step_at, updated_at: now });
}

/**
 * The only function that changes the state of a return.
 * @returns the row as it is now, or null when the trigger changes nothing in its state
 */
export async function moveReturn(
  tx: Tx,
  { at }: ChangeContext,
  row: ReturnRow,
  trigger: ReturnTrigger,
  change: Partial<ReturnRow> = {},
): Promise<ReturnRow | null> {
  const state = nextReturnState(row.state, trigger);
  if (state === null) return null;
  const now = new Date(at);
  const forPerson = state === 'waiting' || state === 'overpaid';
  const moved: ReturnRow = {
    ...row,
    next_step_at: needsWorker({ ...row, ...change, state }) ? now : null,
    ...change,
    state,
    updated_at: now,
    waiting_since: forPerson ? (row.waiting_since ?? now) : row.waiting_since,
    closed_at: isClosed(state) ? now : null,
    resolved_as: state === 'resolved' ? (change.resolved_as ?? null) : null,
  };
  await updateReturn(tx, moved);
  return moved;
}
