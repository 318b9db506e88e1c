import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { post } from '../../money/ledger/post.ts';
import type { ApplyContext } from '../payments/change.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { lockPayment } from '../payments/service.ts';
import { endWay, findWay, startWay, storeResolution } from '../refunds/ways.ts';
import { repayCredit } from '../../money/settlement/credit.ts';
import { resolvedJournals } from './bookings.ts';
import { moveReturn } from '../obligations/apply.ts';
import type { OpenReturns, ResolvedAs, ReturnRef, ReturnRow } from '../obligations/schema.ts';
import { timesPaid } from '../obligations/states.ts';
import { countOpen, findReturn, listOpen, lockReturn } from '../obligations/store.ts';

/** A manual resolution of a return, with its evidence. */
export interface ManualReturnResolution {
  as: ResolvedAs;
  evidence: string;
  author: string;
}

interface ResolveDeps {
  clock: Clock;
  listeners: readonly PaymentListener[];
}

/** Lists returns that are not closed, oldest first. */
export function openReturnsOf(db: Queryable, team_id: bigint | null, limit: number): Promise<ReturnRow[]> {
  return listOpen(db, team_id, limit);
}

/**
 * Counts returns that are not closed, by state.
 * @param max maximum number that is counted
 */
export function countOpenReturns(db: Queryable, at: number, max: number): Promise<OpenReturns[]> {
  return countOpen(db, new Date(at), max);
}

/**
 * Closes a return by manual resolution, with its evidence.
 * @throws Problem 404 no such return of the team, 400 the money is on its way, is already returned, or cannot be resolved like
 * this
 */
export async function resolveReturn(
  deps: ResolveDeps,
  store: Store,
  ref: ReturnRef,
  resolution: ManualReturnResolution,
  by: Actor,
): Promise<ReturnRow> {
  return change(deps, store, ref, async (tx, context, row) => {
    checkResolvable(row, resolution.as);
    await record(tx, by, { team_id: row.team_id, action: 'return.resolve', resource_id: row.id, at: context.at });
    const { as } = resolution;
    const times = row.state === 'overpaid' ? timesPaid(row) - 1 : 1;
    const resolutions = [...row.resolutions, ...Array<ResolvedAs>(times).fill(as)];
    const update = { resolved_as: as, resolutions, times_paid: 1 };
    const resolved = must(await moveReturn(tx, context, row, 'resolved', update), 'it was looked at');
    const stored = { ...resolution, at: new Date(context.at).toISOString() };
    if (row.state === 'overpaid') {
      const carrier = row.payout_id ?? row.manual_id ?? row.refund_id;
      await storeResolution(tx, { team_id: row.team_id, id: must(carrier, 'it was returned by a refund') }, stored);
    } else await endManually(tx, context, row, as, stored);
    await post(tx, resolvedJournals(row, as, times));
    if (as === 'kept') await repayCredit(tx, [arrivalOf(row)]);
    return resolved;
  });
}

/**
 * Makes the service try payouts again, after an account was added or an obstacle was removed.
 * @throws Problem 404, 400 the return does not wait for a person
 */
export async function retryReturn(deps: ResolveDeps, store: Store, ref: ReturnRef, by: Actor): Promise<ReturnRow> {
  return change(deps, store, ref, async (tx, context, row) => {
    // A person may have ended the payout while its provider carried it out: it is read before another is sent.
    const payout = row.payout_id === null ? undefined : await findWay(tx, row.team_id, row.payout_id);
    const recheck = row.recheck || (payout?.resolution ?? null) !== null;
    const again = { payout_id: null, tried: [], polls: 0, note: null, recheck };
    const retried = await moveReturn(tx, context, row, 'retried', again);
    if (!retried) throw new Problem(400, `The return is ${row.state}: only one that waits for a person can be tried again.`);
    await record(tx, by, { team_id: row.team_id, action: 'return.retry', resource_id: row.id, at: context.at });
    return retried;
  });
}

function change(
  deps: ResolveDeps,
  store: Store,
  ref: ReturnRef,
  work: (tx: Tx, context: ApplyContext, row: ReturnRow) => Promise<ReturnRow>,
): Promise<ReturnRow> {
  return store.db.transaction(async (tx) => {
    const known = await findReturn(tx, ref);
    if (!known) throw notFound('Return');
    await lockPayment(tx, known.team_id, known.payment_id);
    const row = must(await lockReturn(tx, ref), 'returns are never deleted');
    return work(tx, { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners }, row);
  });
}

const RESOLVABLE_AS: Partial<Record<ReturnRow['state'], readonly ResolvedAs[]>> = {
  owed: ['returned', 'kept'],
  waiting: ['returned', 'kept'],
  overpaid: ['recovered', 'absorbed'],
};

function checkResolvable({ state, payout_id, refund_id, late_refund }: ReturnRow, as: ResolvedAs): void {
  if (late_refund && state !== 'overpaid') throw new Problem(400, 'The refund was done after all: the return is being closed.');
  const allowed = RESOLVABLE_AS[state];
  if (allowed?.includes(as)) return;
  if (allowed) throw new Problem(400, `The return is ${state}: decide it as ${allowed.join(' or ')}.`);
  const under = state === 'refunding' ? refund_id : state === 'paying_out' ? payout_id : null;
  const hint = under ? `: "pirogue resolve ${under}" decides what became of it` : '';
  throw new Problem(400, `The return is ${state}${hint}.`);
}

/** Ends the refund that the merchant sees, according to the manual resolution. */
async function endManually(tx: Tx, context: ApplyContext, row: ReturnRow, as: ResolvedAs, resolution: object): Promise<void> {
  const carrier = await startWay(tx, context, row, 'manual');
  const outcome =
    as === 'returned'
      ? { kind: 'succeeded' as const, provider_ref: 'returned manually' }
      : { kind: 'failed' as const, reason: 'unknown' as const, message: 'resolved manually: the merchant keeps the money' };
  await endWay(tx, context, carrier, outcome, resolution);
}

function arrivalOf({ team_id, currency, id, payment_id }: ReturnRow) {
  return { team_id, currency, account_id: '', source_id: id, subject_id: payment_id };
}
