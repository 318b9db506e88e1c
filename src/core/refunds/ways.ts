import { WORKER } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import { must } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import { post } from '../../money/ledger/post.ts';
import type { ApplyContext } from '../payments/change.ts';
import type { RefundOutcome } from '../../providers/adapters/contract.ts';
import { applyRefund, markSent } from './apply.ts';
import { announce, drawnJournal } from './end.ts';
import type { RefundPart, RefundRow } from './schema.ts';
import { findFailed, findRefund, insertRefund, lockFailed, lockRefund, updateRefund, writeResolution } from './store.ts';

/*
 * Refunds that the service creates to return money (src/core/returns): one for each way it tries (refund, payout, manual). The
 * merchant sees them like any refund. The caller has locked the payment and the return.
 */

/** The return that a refund carries out. Amounts are in hundredths. */
export interface CarriedReturn {
  team_id: bigint;
  id: string;
  payment_id: string;
  attempt_id: string;
  amount_minor: bigint;
  currency: string;
  /** The refund that waits for an operator, if there is one: it is reused for this way. */
  manual_id: string | null;
}

/**
 * Starts to return money by refund, by payout or by an operator. The money leaves suspense, unless an operator has to return it.
 * @param keyOf returns the provider's key for our id
 * @returns the refund that carries it out
 */
export async function startWay(
  tx: Tx,
  context: ApplyContext,
  carried: CarriedReturn,
  way: RefundRow['way'],
  keyOf: (id: string) => string = (id) => id,
): Promise<RefundRow> {
  const waiting = carried.manual_id === null ? undefined : await lockRefund(tx, carried.team_id, carried.manual_id);
  const reused = waiting?.status === 'pending' ? waiting : null;
  const base = reused ?? newRow(context, carried);
  const row: RefundRow = {
    ...base,
    way,
    legs: [{ ...(base.legs[0] as RefundPart), provider_key: keyOf(`${base.id}-0`) }],
    message: way === 'manual' ? 'It can go back neither by refund nor by payout: an operator has to return it.' : null,
    draws: way === 'manual' ? null : fromSuspense(carried.amount_minor),
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

function fromSuspense(amount_minor: bigint): RefundRow['draws'] {
  return [{ account_id: '', bucket: 'hold', amount_minor }];
}

function newRow({ environment, at }: ApplyContext, carried: CarriedReturn): RefundRow {
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

/** Returns a refund of a return, or undefined. */
export function findWay(tx: Parameters<typeof findRefund>[0], team_id: bigint, id: string): Promise<RefundRow | undefined> {
  return findRefund(tx, team_id, id);
}

/** Returns the refunds and payouts of a return that their provider had received and reported as failed. */
export function findFailedWays(
  db: Parameters<typeof findRefund>[0],
  carried: Pick<CarriedReturn, 'team_id' | 'id' | 'attempt_id'>,
) {
  return findFailed(db, carried.team_id, carried.attempt_id, carried.id);
}

/**
 * Returns the same, locked until the transaction ends. Who puts their money in suspense locks them, too: a statement after this one sees
 * what was put there. The caller has locked the payment.
 */
export function lockFailedWays(tx: Tx, carried: Pick<CarriedReturn, 'team_id' | 'id' | 'attempt_id'>): Promise<RefundRow[]> {
  return lockFailed(tx, carried.team_id, carried.attempt_id, carried.id);
}

/** Makes the refund worker continue a refund that the upgrade from the previous version had paused. */
export async function resumeWay(tx: Tx, context: ApplyContext, row: RefundRow): Promise<void> {
  await updateRefund(tx, { ...row, next_poll_at: new Date(context.at) });
}

/** Changes the way of a refund, which keeps its drawn money. The refund worker no longer processes it. */
export async function convertWay(
  tx: Tx,
  row: RefundRow,
  { way, ...account }: Pick<RefundRow, 'way'> & Pick<RefundPart, 'provider_account'>,
): Promise<RefundRow> {
  const turned = { ...row, way, legs: row.legs.map((part) => ({ ...part, ...account })), next_poll_at: null };
  await updateRefund(tx, turned);
  return turned;
}

/**
 * Stores the provider account and the key of a payout before it is sent.
 * @returns null when it must not be sent
 */
export async function markWaySent(
  tx: Tx,
  context: ApplyContext,
  known: RefundRow,
  to: { provider_account: string; provider_key: string },
): Promise<RefundRow | null> {
  const row = known.legs[0]?.status === 'sent' ? known : await markSent(tx, context, known, 0);
  if (!row) return null;
  const sent_at = new Date(context.at).toISOString();
  const sent = { ...row, next_poll_at: null, legs: row.legs.map((part) => ({ ...part, ...to, sent_at })) };
  await updateRefund(tx, sent);
  return sent;
}

/**
 * Updates a payout that continues after a provider's response.
 * @param change status `waiting`: the provider provably did not take it
 */
export async function updatePart(tx: Tx, context: ApplyContext, row: RefundRow, change: Partial<RefundPart>): Promise<void> {
  const legs = row.legs.map((part) => ({ ...part, ...change }));
  await updateRefund(tx, { ...row, legs, updated_at: new Date(context.at) });
}

/**
 * Ends a refund of a return in any state of its part, on evidence that the money moved or did not move.
 * @param resolution the manual resolution to store, if any
 */
export async function endWay(
  tx: Tx,
  context: ApplyContext,
  known: RefundRow,
  outcome: Extract<RefundOutcome, { kind: 'succeeded' | 'failed' }>,
  resolution: object | null = null,
): Promise<RefundRow> {
  let row = must(await lockRefund(tx, known.team_id, known.id), 'refunds are never deleted');
  if (row.draws === null) {
    row = { ...row, draws: fromSuspense(row.amount_minor) };
    await updateRefund(tx, row);
    await post(tx, [drawnJournal(row)]);
  }
  if (resolution) await writeResolution(tx, row, resolution);
  if (row.legs[0]?.status === 'waiting') row = must(await markSent(tx, context, row, 0), 'it is open and covered');
  return applyRefund(tx, context, row, 0, outcome);
}

/** Stores a manual resolution with the refund it is about. */
export function storeResolution(tx: Tx, ref: { team_id: bigint; id: string }, resolution: object): Promise<void> {
  return writeResolution(tx, ref, resolution);
}
