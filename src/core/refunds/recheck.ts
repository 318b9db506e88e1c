import type { Store } from '../../platform/db/stores.ts';
import { backOff, MAX_RECHECKS } from '../../providers/adapters/polling.ts';
import { applyRefund } from './apply.ts';
import type { RefundDeps } from './deps.ts';
import type { RefundRow } from './schema.ts';
import { readRefund } from './send.ts';
import { writeRecheck } from './store.ts';

/**
 * Reads the failed parts of a failed refund, after news about it. A part that was done all the same is posted; a provider that gives no
 * definite answer is asked again later.
 */
export async function recheckRefund(deps: RefundDeps, store: Store, row: RefundRow): Promise<void> {
  const failed = row.legs.flatMap(({ status }, index) => (status === 'failed' ? [index] : []));
  const read = await Promise.all(
    failed.map(async (index) => ({ index, outcome: await readRefund(deps, store, row, index, 'after a callback') })),
  );
  for (const { index, outcome } of read) {
    if (outcome?.kind !== 'succeeded') continue;
    const context = { environment: store.environment, at: deps.clock.now(), listeners: deps.listeners };
    await store.db.transaction((tx) => applyRefund(tx, context, row, index, outcome));
    deps.wake.ring(store.environment);
  }
  const open = read.some(({ outcome }) => outcome === null || ['pending', 'unknown', 'unavailable'].includes(outcome.kind));
  await writeRecheck(store.db, row, open && row.polls < MAX_RECHECKS ? new Date(deps.clock.now() + backOff(row.polls)) : null);
}
