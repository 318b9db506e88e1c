import { WORKER } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import { must } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../kit/sql.ts';
import { post } from '../ledger/post.ts';
import type { ApplyContext } from '../payments/apply.ts';
import type { RefundOutcome } from '../providers/contract.ts';
import { announce, applyRefund, drawnJournal, markSent } from './apply.ts';
import type { Leg, RefundRow } from './schema.ts';
import { findFailed, findRefund, insertRefund, lockRefund, updateRefund, writeResolution } from './store.ts';

/*
 * Refunds that the service makes to return money (src/returns): one for each way it tries. The merchant sees them like his
 * own. The payment and the return are locked by whoever calls.
 */

/** What a way carries. */
export interface Carried {
  team_id: bigint;
  id: string;
  payment_id: string;
  attempt_id: string;
  amount_minor: bigint;
  currency: string;
  /** The refund that waits for a person, if there is one: it becomes this way. */
  manual_id: string | null;
}

/** Begins a way: the money leaves suspense, unless a person is to return it. @param keyOf the provider's key of our id */
export async function beginWay(
  tx: Tx,
  context: ApplyContext,
  carried: Carried,
  way: RefundRow['way'],
  keyOf: (id: string) => string = (id) => id,
): Promise<RefundRow> {
  const waiting = carried.manual_id === null ? undefined : await lockRefund(tx, carried.team_id, carried.manual_id);
  const reused = waiting?.status === 'pending' ? waiting : null;
  const base = reused ?? newRow(context, carried);
  const row: RefundRow = {
    ...base,
    way,
    legs: [{ ...(base.legs[0] as Leg), provider_key: keyOf(`${base.id}-0`) }],
    message: way === 'manual' ? 'It can go back neither by refund nor by payout: an operator has to return it.' : null,
    draws: way === 'manual' ? null : fromHold(carried.amount_minor),
    next_poll_at: way === 'refund' ? new Date(context.at) : null,
    updated_at: new Date(context.at),
  };
  if (reused) await updateRefund(tx, row);
  else {
    await insertRefund(tx, row, { key_id: null, request_id: null });
    await record(tx, WORKER, { team_id: row.team_id, action: 'refund.create', resource_id: row.id, at: context.at });
    await announce(tx, context, row, 'refund.created');
  }
  if (row.draws) await post(tx, [drawnJournal(row)]);
  return row;
}

function fromHold(amount_minor: bigint): RefundRow['draws'] {
  return [{ account_id: '', bucket: 'hold', amount_minor }];
}

function newRow({ environment, at }: ApplyContext, carried: Carried): RefundRow {
  const now = new Date(at);
  const { team_id, id: return_id, payment_id, attempt_id, amount_minor, currency } = carried;
  const id = newId('rfd', environment, at);
  return {
    ...{ team_id, id, payment_id, kind: 'giveback', attempt_id, return_id, way: 'manual', amount_minor, currency },
    legs: [{ attempt_id, amount_minor, provider_key: id, provider_ref: null, sent_at: null, status: 'waiting' }],
    status: 'pending',
    reason: 'transaction_error',
    failure_reason: null,
    message: null,
    metadata: null,
    draws: null,
    resolution: null,
    event_count: 1,
    polls: 0,
    next_poll_at: null,
    created_at: now,
    updated_at: now,
    submitted_at: null,
    completed_at: null,
  };
}

export function findWay(tx: Parameters<typeof findRefund>[0], team_id: bigint, id: string): Promise<RefundRow | undefined> {
  return findRefund(tx, team_id, id);
}

/** Refunds and payouts of a return that their provider had and reported as failed. */
export function findFailedWays(db: Parameters<typeof findRefund>[0], carried: Pick<Carried, 'team_id' | 'id' | 'attempt_id'>) {
  return findFailed(db, carried.team_id, carried.attempt_id, carried.id);
}

/** Lets the refunds' worker go on with a refund that was set aside when it was taken over from the version before. */
export async function resumeWay(tx: Tx, context: ApplyContext, row: RefundRow): Promise<void> {
  await updateRefund(tx, { ...row, next_poll_at: new Date(context.at) });
}

/** Another way takes over what this one has drawn; the refunds' worker leaves it alone from now on. */
export async function turnInto(
  tx: Tx,
  row: RefundRow,
  { way, ...account }: Pick<RefundRow, 'way'> & Pick<Leg, 'provider_account'>,
): Promise<RefundRow> {
  const turned = { ...row, way, legs: row.legs.map((leg) => ({ ...leg, ...account })), next_poll_at: null };
  await updateRefund(tx, turned);
  return turned;
}

/** Commits to whom a payout is handed, before it is. @returns null when it is not to be sent */
export async function handOver(
  tx: Tx,
  context: ApplyContext,
  known: RefundRow,
  to: { provider_account: string; provider_key: string },
): Promise<RefundRow | null> {
  const row = known.legs[0]?.status === 'sent' ? known : await markSent(tx, context, known, 0);
  if (!row) return null;
  const sent = { ...row, next_poll_at: null, legs: row.legs.map((leg) => ({ ...leg, ...to })) };
  await updateRefund(tx, sent);
  return sent;
}

/** What a provider's answer changes of a payout that goes on. @param change status `waiting`: it provably was not taken */
export async function noteLeg(tx: Tx, context: ApplyContext, row: RefundRow, change: Partial<Leg>): Promise<void> {
  const legs = row.legs.map((leg) => ({ ...leg, ...change }));
  await updateRefund(tx, { ...row, legs, updated_at: new Date(context.at) });
}

/** Ends a way, whatever its leg has come to: by evidence that the money moved, or that it provably did not. */
export async function endWay(
  tx: Tx,
  context: ApplyContext,
  known: RefundRow,
  outcome: Extract<RefundOutcome, { kind: 'succeeded' | 'failed' }>,
  resolution: object | null = null,
): Promise<RefundRow> {
  let row = must(await lockRefund(tx, known.team_id, known.id), 'refunds are never deleted');
  if (row.draws === null) {
    row = { ...row, draws: fromHold(row.amount_minor) };
    await updateRefund(tx, row);
    await post(tx, [drawnJournal(row)]);
  }
  if (resolution) await writeResolution(tx, row, resolution);
  if (row.legs[0]?.status === 'waiting') row = must(await markSent(tx, context, row, 0), 'it is open and covered');
  return applyRefund(tx, context, row, 0, outcome);
}

/** Keeps a person's decision beside the refund it is about. */
export function keepEvidence(tx: Tx, ref: { team_id: bigint; id: string }, resolution: object): Promise<void> {
  return writeResolution(tx, ref, resolution);
}
