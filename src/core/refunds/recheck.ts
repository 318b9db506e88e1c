import type { Tx } from '../../kit/sql.ts';
import { must } from '../../kit/errors.ts';
import type { Store } from '../../platform/db/stores.ts';
import { backOff, MAX_POLL_WAIT_MS, MAX_RECHECKS } from '../../providers/adapters/polling.ts';
import { applyRefund } from './apply.ts';
import type { RefundDeps } from './deps.ts';
import type { RefundRow } from './schema.ts';
import { getCapture, lockPayment } from '../payments/service.ts';
import { readRefund } from './send.ts';
import { refundsUnderWay, takenByAttempt, writeRecheck } from './store.ts';

/**
 * Polls the failed parts of a failed refund, after a callback or another report about it. A part that succeeded after all is posted. A
 * provider that gives no definite answer is polled again later.
 */
export async function recheckRefund(deps: RefundDeps, store: Store, row: RefundRow): Promise<void> {
  const failed = row.legs.flatMap(({ status }, index) => (status === 'failed' ? [index] : []));
  const read = await Promise.all(
    failed.map(async (index) => ({ index, outcome: await readRefund(deps, store, row, index, 'after a callback') })),
  );
  let waitsForAnother = false;
  for (const { index, outcome } of read) {
    if (outcome?.kind !== 'succeeded') continue;
    const isWhole = await isRefundedAsAWhole(deps, store, row, index);
    const context = { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners };
    const taken = await store.db.transaction(async (tx) => {
      const by = isWhole ? await takenByAnother(tx, row, index) : null;
      if (by === null) await applyRefund(tx, context, row, index, outcome);
      return by;
    });
    if (taken === 'under way') waitsForAnother = true;
    deps.wake.ring(store.environment);
  }
  const now = deps.clock.now();
  // The other refund may still end without having been sent, at any time. Readings count only after that.
  if (waitsForAnother) return writeRecheck(store.db, row, new Date(now + MAX_POLL_WAIT_MS), 0);
  const open = read.some(({ outcome }) => outcome === null || ['pending', 'unknown', 'unavailable'].includes(outcome.kind));
  await writeRecheck(store.db, row, open && row.polls < MAX_RECHECKS ? new Date(now + backOff(row.polls)) : null);
}

/** Whether the provider of a part refunds attempts as a whole only. */
async function isRefundedAsAWhole(deps: RefundDeps, store: Store, row: RefundRow, index: number): Promise<boolean> {
  const { attempt } = await getCapture(store.db, row.team_id, row.payment_id, attemptOf(row, index));
  const provider = await deps.providers.byAccount(store.environment, row.team_id, attempt.provider_account);
  return provider?.refunds?.extent === 'full';
}

/**
 * Returns whether another refund has returned the money of the part's attempt, or may do so; null: none. A provider that refunds an
 * attempt as a whole reports only that the attempt is refunded, so the success may be that of the other refund.
 */
async function takenByAnother(tx: Tx, row: RefundRow, index: number): Promise<'under way' | 'succeeded' | null> {
  const { team_id, payment_id } = row;
  await lockPayment(tx, team_id, payment_id);
  const taken_minor = (await takenByAttempt(tx, team_id, payment_id)).get(attemptOf(row, index)) ?? 0n;
  if (taken_minor === 0n) return null;
  return (await refundsUnderWay(tx, team_id, payment_id)) > 0n ? 'under way' : 'succeeded';
}

function attemptOf({ legs }: RefundRow, index: number): string {
  return must(legs[index], 'a refund has this part').attempt_id;
}
