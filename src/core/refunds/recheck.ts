import type { Tx } from '../../kit/sql.ts';
import { must } from '../../kit/errors.ts';
import type { Store } from '../../platform/db/stores.ts';
import { backOff, MAX_RECHECKS } from '../../providers/adapters/polling.ts';
import { applyRefund } from './apply.ts';
import type { RefundDeps } from './deps.ts';
import type { RefundRow } from './schema.ts';
import { getCapture, lockPayment } from '../payments/service.ts';
import { readRefund } from './send.ts';
import { takenByAttempt, writeRecheck } from './store.ts';

/**
 * Polls the failed parts of a failed refund, after a callback or another report about it. A part that succeeded after all is posted. A
 * provider that gives no definite answer is polled again later.
 */
export async function recheckRefund(deps: RefundDeps, store: Store, row: RefundRow): Promise<void> {
  const failed = row.legs.flatMap(({ status }, index) => (status === 'failed' ? [index] : []));
  const read = await Promise.all(
    failed.map(async (index) => ({ index, outcome: await readRefund(deps, store, row, index, 'after a callback') })),
  );
  let isOfAnother = false;
  for (const { index, outcome } of read) {
    if (outcome?.kind !== 'succeeded') continue;
    const context = { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners };
    await store.db.transaction(async (tx) => {
      if (await isTakenByAnother(deps, store, tx, row, index)) isOfAnother = true;
      else await applyRefund(tx, context, row, index, outcome);
    });
    deps.wake.ring(store.environment);
  }
  // The other refund may still end without having been sent, so this one is polled again.
  const open =
    isOfAnother || read.some(({ outcome }) => outcome === null || ['pending', 'unknown', 'unavailable'].includes(outcome.kind));
  await writeRecheck(store.db, row, open && row.polls < MAX_RECHECKS ? new Date(deps.clock.now() + backOff(row.polls)) : null);
}

/**
 * Whether another refund has returned the money of the part's attempt, or is about to. A provider that refunds an attempt as a whole
 * reports only that the attempt is refunded, so the success may be that of the other refund.
 */
async function isTakenByAnother(deps: RefundDeps, store: Store, tx: Tx, row: RefundRow, index: number): Promise<boolean> {
  const { team_id, payment_id } = row;
  const attempt_id = must(row.legs[index], 'a refund has this part').attempt_id;
  const { attempt } = await getCapture(store.db, team_id, payment_id, attempt_id);
  const provider = await deps.providers.byAccount(store.environment, team_id, attempt.provider_account);
  if (provider?.refunds?.extent !== 'full') return false;
  await lockPayment(tx, team_id, payment_id);
  return ((await takenByAttempt(tx, team_id, payment_id)).get(attempt_id) ?? 0n) > 0n;
}
