import type { Store } from '../../platform/db/stores.ts';
import { must } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { apply } from '../payments/apply.ts';
import type { ApplyContext } from '../payments/change.ts';
import { backOff, isNewPoll } from '../../providers/adapters/polling.ts';
import { getCapture, lockPayment } from '../payments/service.ts';
import type { Provider } from '../../providers/adapters/contract.ts';
import type { Reason } from '../../providers/adapters/reasons.ts';
import type { RefundRow } from '../refunds/schema.ts';
import { startWay, endWay, findWay, resumeWay, convertWay } from '../refunds/ways.ts';
import type { ReturnDeps } from './deps.ts';
import { moveReturn, wayEnded } from '../obligations/apply.ts';
import type { ReturnRef, ReturnRow } from '../obligations/schema.ts';
import { endTrigger, timesPaid } from '../obligations/states.ts';
import { FAILED_REFUNDS, PAYOUT } from '../refunds/store.ts';
import { lockReturn, pollNow, recheckRefund, updateReturn } from '../obligations/store.ts';

/**
 * Delay between checks of a refund that the refund worker handles. That worker reports the end itself; a worker of the previous
 * version does not.
 */
const REFUND_LOOK_MS = 300_000;

/** Runs the work in one transaction, with the context that changes need. */
export function inTransaction<T>(
  deps: ReturnDeps,
  store: Store,
  work: (tx: Tx, context: ApplyContext) => Promise<T>,
): Promise<T> {
  return store.db.transaction((tx) =>
    work(tx, { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners }),
  );
}

/**
 * Changes a return under the locks of its payment and of itself, in one transaction.
 * @param work receives the row as it is under the lock; not called when its state has changed since it was read
 * @returns the result of `work`, or null when it was not called
 */
export function locked<T>(
  deps: ReturnDeps,
  store: Store,
  known: ReturnRow,
  work: (tx: Tx, context: ApplyContext, row: ReturnRow) => Promise<T>,
): Promise<T | null> {
  return inTransaction(deps, store, async (tx, context) => {
    must(await lockPayment(tx, known.team_id, known.payment_id), 'a return has a payment');
    const row = await lockReturn(tx, known);
    return row && row.state === known.state ? work(tx, context, row) : null;
  });
}

/** Whether a callback, or a step of another worker, has come since the row was read: what was read may be out of date. */
export function hasNews(row: ReturnRow, known: ReturnRow): boolean {
  return row.polls !== known.polls || isNewPoll(row.next_step_at, known.next_step_at);
}

/**
 * Changes a return like {@link locked}, but not when {@link hasNews}: what was read before may no longer be true, and the return is due
 * again already.
 */
export async function lockedWithoutNews(
  deps: ReturnDeps,
  store: Store,
  known: ReturnRow,
  work: (tx: Tx, context: ApplyContext, row: ReturnRow) => Promise<void>,
): Promise<void> {
  await locked(deps, store, known, async (tx, context, row) => {
    if (!hasNews(row, known)) await work(tx, context, row);
  });
}

/**
 * Schedules the next step of a return with back-off.
 * @param change further columns to store
 */
export async function postpone(
  deps: ReturnDeps,
  store: Store,
  known: ReturnRow,
  note: string,
  change: Partial<Pick<ReturnRow, 'recheck' | 'updated_at'>> = {},
): Promise<void> {
  const next_step_at = new Date(deps.clock.now() + backOff(known.polls));
  await lockedWithoutNews(deps, store, known, (tx, _, row) => updateReturn(tx, { ...row, ...change, note, next_step_at }));
}

/** Starts a refund at the provider of the capture. */
export function startRefund(deps: ReturnDeps, store: Store, known: ReturnRow, provider: Provider): Promise<unknown> {
  return lockedWithoutNews(deps, store, known, async (tx, context, row) => {
    const refund = await startWay(tx, context, row, 'refund', (id) => provider.keyOf(id));
    const next_step_at = new Date(context.at + REFUND_LOOK_MS);
    await moveReturn(tx, context, row, 'refund_started', { refund_id: refund.id, manual_id: null, note: null, next_step_at });
  });
}

/** Starts a payout. The account to which it is sent is chosen at each submission. */
export function startPayout(deps: ReturnDeps, store: Store, known: ReturnRow): Promise<unknown> {
  return lockedWithoutNews(deps, store, known, async (tx, context, row) => {
    const { id } = await startWay(tx, context, row, 'payout');
    const fresh = { account_id: null, tried: [], resent: false, dispatched_at: null, polls: 0, note: null };
    await moveReturn(tx, context, row, 'payout_started', { ...fresh, payout_id: id, manual_id: null });
  });
}

/**
 * Leaves the money in suspense for manual resolution, and notifies the merchant once.
 * @param change what else is stored
 */
export function requireManualReturn(
  deps: ReturnDeps,
  store: Store,
  known: ReturnRow,
  note: string,
  change: Partial<Pick<ReturnRow, 'recheck'>> = {},
): Promise<unknown> {
  return lockedWithoutNews(deps, store, known, async (tx, context, row) => {
    const manual_id = row.manual_id ?? (await startWay(tx, context, row, 'manual')).id;
    const announced_at = row.announced_at ?? new Date(context.at);
    await moveReturn(tx, context, row, 'options_exhausted', { ...change, manual_id, announced_at, note });
    if (row.announced_at !== null) return;
    const { team_id, payment_id } = row;
    await apply(tx, context, [{ team_id, payment_id, occurrences: [{ kind: 'return_required' }] }]);
  });
}

/** Ends a payout that no provider has, unless it was sent or a callback about it has come since `known` was read. */
export async function endUnsent(
  deps: ReturnDeps,
  store: Store,
  known: ReturnRow,
  payout: RefundRow,
  why: { reason: Reason; message: string },
): Promise<void> {
  await locked(deps, store, known, async (tx, context, row) => {
    if (row.dispatched_at?.getTime() !== known.dispatched_at?.getTime() || hasNews(row, known)) return;
    await endWay(tx, context, payout, { kind: 'failed', ...why });
  });
}

/**
 * Checks a refund under way. Takes over a refund that the previous version started, and updates the return when a worker of that
 * version recorded the end of the refund.
 */
export async function checkRefunding(deps: ReturnDeps, store: Store, known: ReturnRow): Promise<void> {
  const refund = must(await findWay(store.db, known.team_id, must(known.refund_id, 'a refund is under way')), 'it exists');
  const { attempt } = await getCapture(store.db, known.team_id, known.payment_id, known.attempt_id);
  const provider = await deps.providers.byAccount(store.environment, known.team_id, attempt.provider_account);
  await locked(deps, store, known, async (tx, context, row) => {
    const now = must(await findWay(tx, row.team_id, refund.id), 'it exists');
    if (now.status === 'succeeded' || now.status === 'failed') return wayEnded(tx, context, now, now.status);
    const later = { ...row, next_step_at: new Date(context.at + REFUND_LOOK_MS) };
    if (now.next_poll_at !== null) return updateReturn(tx, later);
    if (!provider) {
      const next_step_at = new Date(context.at + backOff(row.polls));
      return updateReturn(tx, { ...row, next_step_at, note: UNUSABLE });
    }
    if (provider.refunds) {
      await resumeWay(tx, context, now);
      return updateReturn(tx, later);
    }
    await goOnAsPayout(tx, context, row, now, attempt.provider_account);
  });
}

export const UNUSABLE =
  'the provider account cannot be used at the moment: its credentials cannot be opened, or this version lacks it';

/**
 * Converts a refund that the previous version sent as a payout where a provider had no refunds: the submission is the same,
 * with the same key.
 */
async function goOnAsPayout(tx: Tx, context: ApplyContext, row: ReturnRow, refund: RefundRow, account_id: string): Promise<void> {
  await convertWay(tx, refund, { way: 'payout', provider_account: account_id });
  const sent = refund.legs[0]?.status === 'sent';
  await moveReturn(tx, context, row, 'payout_started', {
    ...{ refund_id: null, payout_id: refund.id, account_id: sent ? account_id : null },
    dispatched_at: sent ? refund.submitted_at : null,
  });
}

/**
 * Ends the open refund or payout of a return whose refund succeeded after all.
 * @returns false while a payout may be with a provider
 */
export async function closeAfterLateRefund(deps: ReturnDeps, store: Store, known: ReturnRow): Promise<boolean> {
  const closed = await locked(deps, store, known, async (tx, context, row) => {
    const open = row.state === 'paying_out' ? row.payout_id : row.manual_id;
    const way = open === null ? null : must(await findWay(tx, row.team_id, open), 'refunds are never deleted');
    if (way?.legs[0]?.status === 'sent' || (row.state === 'paying_out' && row.dispatched_at !== null)) return false;
    const message = 'not needed: the refund that had failed was done after all';
    if (way && (way.status === 'pending' || way.status === 'processing'))
      await endWay(tx, context, way, { kind: 'failed', reason: 'duplicate_transaction', message });
    else await moveReturn(tx, context, row, endTrigger(timesPaid(row)));
    return true;
  });
  return closed ?? true;
}

/** Makes a return due for polling now, after a callback of a provider account about its payout. */
export function pollReturn(store: Store, at: number, ref: ReturnRef, account_id: string): Promise<void> {
  return pollPayouts(store, at, ref, account_id);
}

/** Makes a return due for polling now, after a provider's response about a payout that had ended meanwhile. */
export function pollFailedPayout(store: Store, at: number, ref: ReturnRef): Promise<void> {
  return pollPayouts(store, at, ref, null);
}

function pollPayouts(store: Store, at: number, ref: ReturnRef, account_id: string | null): Promise<void> {
  return store.db.transaction(async (tx) => {
    // The payout may be about to end: a statement after the lock sees its end.
    await lockReturn(tx, ref);
    await pollNow(tx, ref, new Date(at), account_id, PAYOUT);
  });
}

/** Makes the worker poll the payout of a return again that has just failed. */
export function recheckFailedPayout(tx: Tx, ref: ReturnRef, at: Date): Promise<void> {
  return pollNow(tx, ref, at, null, PAYOUT);
}

/** Makes the worker poll a failed refund again, after a callback about it. */
export function recheckFailedRefund(store: Store, at: number, team_id: bigint, refund_id: string): Promise<void> {
  return recheckRefund(store.db, team_id, refund_id, new Date(at), FAILED_REFUNDS);
}
