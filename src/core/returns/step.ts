import type { Store } from '../../platform/db/stores.ts';
import { must, unreachable } from '../../kit/errors.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { backOff } from '../../providers/adapters/polling.ts';
import { getCapture } from '../payments/service.ts';
import type { PayoutOutcome, Provider, RefundOutcome } from '../../providers/adapters/contract.ts';
import { applyRefund } from '../refunds/apply.ts';
import { readRefund } from '../refunds/send.ts';
import type { RefundRow } from '../refunds/schema.ts';
import { needsPayer } from '../refunds/service.ts';
import { isSetAside } from '../refunds/store.ts';
import { findFailedWays, findWay } from '../refunds/ways.ts';
import type { ReturnDeps } from './deps.ts';
import { advancePayout, readPayout } from './pay-out.ts';
import { payoutOptionsOf } from './payout-options.ts';
import type { ReturnRow } from '../obligations/schema.ts';
import {
  startPayout,
  startRefund,
  closeAfterLateRefund,
  inTransaction,
  checkRefunding,
  endUnsent,
  hasNews,
  locked,
  lockedWithoutNews,
  postpone,
  UNUSABLE,
  requireManualReturn,
} from './service.ts';
import { needsWorker } from '../obligations/states.ts';
import { updateReturn } from '../obligations/store.ts';
import { statedNote } from './stated.ts';

/** How long the provider may leave a failed refund unconfirmed before the return waits for a person. */
const MAX_DOUBT_MS = 86_400_000;
const CARRIED_OUT = 'the provider reports that it carries out what had failed';

/** Advances a return by one step. If the process dies in between, the step becomes due again after its lease. */
export async function advanceReturn(deps: ReturnDeps, store: Store, row: ReturnRow): Promise<void> {
  const unfinished = row.state === 'owed' || row.state === 'waiting' || row.state === 'paying_out';
  // This is first, because the other ways may have no definite answer for a day. They are polled after the return is closed as well.
  if (row.late_refund && unfinished && (await closeAfterLateRefund(deps, store, row))) return;
  if (row.recheck && (await recheck(deps, store, row))) return;
  switch (row.state) {
    case 'owed':
      return chooseWay(deps, store, row);
    case 'refunding':
      return checkRefunding(deps, store, row);
    case 'paying_out':
      return advancePayout(deps, store, row);
    case 'waiting':
    case 'overpaid':
    case 'returned':
    case 'resolved':
      return;
    default:
      return unreachable(row.state);
  }
}

/**
 * Chooses how to return the money: by refund, else by payout, else manually. After a refund was tried, a payout is chosen only when the
 * refund has provably failed for good.
 */
async function chooseWay(deps: ReturnDeps, store: Store, row: ReturnRow): Promise<void> {
  const { attempt } = await getCapture(store.db, row.team_id, row.payment_id, row.attempt_id);
  const provider = await deps.providers.byAccount(store.environment, row.team_id, attempt.provider_account);
  if (!provider) return postpone(deps, store, row, UNUSABLE);
  if (row.refund_id === null) {
    if (canRefund(provider, row, attempt)) return void (await startRefund(deps, store, row, provider));
  } else {
    const refund = must(await findWay(store.db, row.team_id, row.refund_id), 'refunds are never deleted');
    // Where a provider has no refunds, the previous version had paid out instead: that payout has failed.
    if (!provider.refunds) return void (await requireManualReturn(deps, store, row, refund.message ?? 'the payout failed'));
    if (!(await isProvenFailed(deps, store, row, refund))) return;
  }
  await choosePayout(deps, store, row, attempt);
}

function canRefund({ refunds }: Provider, row: ReturnRow, attempt: AttemptRow): boolean {
  if (!refunds || row.currency !== attempt.currency) return false;
  return attempt.payer !== null || !needsPayer(refunds, attempt);
}

async function choosePayout(deps: ReturnDeps, store: Store, row: ReturnRow, attempt: AttemptRow): Promise<void> {
  if (row.payout_id !== null) return void (await requireManualReturn(deps, store, row, row.note ?? 'the payout failed'));
  if (row.currency !== attempt.currency)
    return void (await requireManualReturn(deps, store, row, 'another currency arrived than was requested'));
  if (!(await areProvenFailed(deps, store, row))) return;
  const options = await payoutOptionsOf(deps, store, row, attempt, { sends: false });
  switch (options.kind) {
    case 'now':
      return void (await startPayout(deps, store, row));
    case 'later':
      return postpone(deps, store, row, options.note);
    case 'never':
      return void (await requireManualReturn(deps, store, row, options.note));
    default:
      return unreachable(options);
  }
}

/**
 * Returns whether another payout may be sent after earlier ones have failed. Their accounts are polled once more, because a person may have
 * let the service try again long after they failed. A payout that cannot be read does not prevent another: if its account has sent a
 * callback or reported it as pending, {@link recheck} has already waited for a definite answer.
 */
async function areProvenFailed(deps: ReturnDeps, store: Store, row: ReturnRow): Promise<boolean> {
  const payouts = (await findFailedWays(store.db, row)).filter(({ way }) => way === 'payout');
  if (await isLeftAside(deps, store, row, payouts)) return false;
  const read = await readWays(deps, store, row, payouts);
  if (!read.some(({ outcome }) => outcome?.kind === 'pending' || outcome?.kind === 'succeeded')) return true;
  await postpone(deps, store, row, CARRIED_OUT, { recheck: true, updated_at: new Date(deps.clock.now()) });
  return false;
}

/** Leaves a return to a person when a statement shows one of its failed refunds and payouts as paid. */
async function isLeftAside(deps: ReturnDeps, store: Store, row: ReturnRow, ways: readonly RefundRow[]): Promise<boolean> {
  const note = await statedNote(store.db, ways);
  if (note === null) return false;
  await requireManualReturn(deps, store, row, note);
  return true;
}

/** Polls the provider once more before money is returned another way: a failed refund may have succeeded after all. */
async function isProvenFailed(deps: ReturnDeps, store: Store, row: ReturnRow, refund: RefundRow): Promise<boolean> {
  if (await isLeftAside(deps, store, row, [refund])) return false;
  const outcome = await readRefund(deps, store, refund, 0, 'before another way');
  switch (outcome?.kind) {
    case 'failed':
    case 'unfunded':
    case 'not_found':
      return true;
    case 'succeeded':
      await inTransaction(deps, store, (tx, context) => applyRefund(tx, context, refund, 0, outcome));
      return false;
    case 'pending':
      // Whoever ended it as failed may have been wrong: the provider carries the refund out.
      await doubt(deps, store, row, refund, outcome);
      return false;
    default:
      // A person has proved that no money moved, where the provider could not.
      if (refund.resolution?.as === 'failed') return true;
      await doubt(deps, store, row, refund, outcome);
      return false;
  }
}

async function doubt(
  deps: ReturnDeps,
  store: Store,
  row: ReturnRow,
  refund: RefundRow,
  outcome: RefundOutcome | null,
): Promise<void> {
  const why = outcome && 'message' in outcome ? `: ${outcome.message}` : '';
  const note = `the provider does not confirm that the refund failed${why}`;
  const now = deps.clock.now();
  const over = now - (refund.completed_at ?? refund.updated_at).getTime() > MAX_DOUBT_MS;
  // A manual resolution counts where nothing can be read. Once the provider has contradicted it, the refund is polled until it answers.
  const isContradicted = outcome?.kind === 'pending' && refund.resolution !== null;
  const change = isContradicted ? { recheck: true, updated_at: new Date(now) } : {};
  if (over) return void (await requireManualReturn(deps, store, row, note, change));
  await postpone(deps, store, row, note, change);
}

/**
 * Checks the failed refunds and payouts (`way`) of a return again after a callback about one of them, until each provider has given a
 * definite answer. One that cannot be read is given up a day after `updated_at`, which is the time of the last change of the return, or of
 * the last report that a provider carries out what had failed. A day after such a failure a person is asked, and reading goes on.
 * @returns true when the return must not advance now
 */
async function recheck(deps: ReturnDeps, store: Store, row: ReturnRow): Promise<boolean> {
  const read = await readWays(deps, store, row, await findFailedWays(store.db, row));
  const done = read.flatMap(({ way, outcome }) => (outcome?.kind === 'succeeded' ? [{ way, outcome }] : []));
  const at = deps.clock.now();
  const isDayAgo = (time: Date) => at - time.getTime() > MAX_DOUBT_MS;
  // Whoever ended it as failed may have been wrong: another way, also one that a person tries again, would then pay the payer twice.
  const carriedOut = read.flatMap(({ way, outcome }) => (outcome?.kind === 'pending' ? [way] : []));
  const isHeldUp = carriedOut.length > 0 && (row.state === 'owed' || row.state === 'paying_out' || row.state === 'waiting');
  const waits = !isDayAgo(row.updated_at) || isHeldUp;
  const again = waits && read.some(({ outcome }) => outcome?.kind !== 'succeeded' && !isAnswer(outcome));
  if (done.length === 0 && again) {
    // A payout that a provider may have is polled in the meantime. No other is sent.
    if (row.state === 'paying_out' && row.dispatched_at !== null) return false;
    const asks = isHeldUp && carriedOut.some(({ completed_at, updated_at }) => isDayAgo(completed_at ?? updated_at));
    if (asks && (await askPerson(deps, store, row))) return true;
    const next_step_at = new Date(at + backOff(row.polls));
    const reported = isHeldUp ? { updated_at: new Date(at) } : {};
    await lockedWithoutNews(deps, store, row, (tx, _, now) => updateReturn(tx, { ...now, ...reported, next_step_at }));
    return true;
  }
  await locked(deps, store, row, async (tx, context, now) => {
    // A callback that has come since the providers were asked is followed by another reading.
    if (!hasNews(now, row)) {
      // That one way was done says nothing about another that could not be read.
      const read = { ...now, recheck: again };
      const next_step_at = new Date(context.at + (again ? backOff(row.polls) : 0));
      await updateReturn(tx, { ...read, next_step_at: needsWorker(read) ? next_step_at : null });
    }
    for (const { way, outcome } of done) await applyRefund(tx, context, way, 0, outcome);
  });
  return true;
}

/**
 * Leaves a return to a person because a provider carries out what had failed. A payout that no account has accepted is ended before that.
 * @returns false when it waits for a person already
 */
async function askPerson(deps: ReturnDeps, store: Store, row: ReturnRow): Promise<boolean> {
  if (row.state === 'waiting') return false;
  if (row.state === 'paying_out') {
    const payout = must(await findWay(store.db, row.team_id, must(row.payout_id, 'a payout is under way')), 'it exists');
    await endUnsent(deps, store, row, payout, { reason: 'duplicate_transaction', message: CARRIED_OUT });
  } else await requireManualReturn(deps, store, row, CARRIED_OUT);
  return true;
}

function readWays(deps: ReturnDeps, store: Store, row: ReturnRow, failed: readonly RefundRow[]) {
  return Promise.all(failed.map(async (way) => ({ way, outcome: await readWay(deps, store, row, way) })));
}

/**
 * Returns the present state at the provider. A payout reported with another amount or currency than was sent counts as carried out.
 */
async function readWay(
  deps: ReturnDeps,
  store: Store,
  row: ReturnRow,
  way: RefundRow,
): Promise<RefundOutcome | PayoutOutcome | null> {
  // A statement has shown that it was paid, and "pirogue breaks settle" decides about the money: no poll is needed any more.
  if (await isSetAside(store.db, way, 0)) return { kind: 'not_found' };
  if (way.way === 'refund') return readRefund(deps, store, way, 0, 'after a callback');
  const outcome = await readPayout(deps, store, row, way);
  const strange =
    outcome?.kind === 'succeeded' && (outcome.amount_minor !== row.amount_minor || outcome.currency !== row.currency);
  return strange ? { kind: 'pending', provider_ref: null, poll_after_ms: 0 } : outcome;
}

function isAnswer(outcome: RefundOutcome | PayoutOutcome | null): boolean {
  return outcome !== null && ['failed', 'cancelled', 'unfunded', 'not_found'].includes(outcome.kind);
}
