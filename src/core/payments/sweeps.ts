import type { Tx } from '../../kit/sql.ts';
import { releaseItems } from '../../money/settlement/release.ts';
import { duePayments, lockDueItems, type PaymentRef } from '../../money/settlement/store.ts';
import type { Store } from '../../platform/db/stores.ts';
import { type RowSweep, rowSweep } from '../../platform/work/row-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { PaymentDeps } from './deps.ts';
import { LOCK_WANTED, markSettled } from './store.ts';

const BATCH = 500;

/** Releases money whose retention is over, and marks payments without pending money as settled. */
export function retentionSweep(deps: Pick<PaymentDeps, 'clock' | 'log'>, store: Store): Sweep {
  const sweep: RowSweep = {
    name: 'hold-release',
    environment: store.environment,
    idle_ms: 1_000,
    max: BATCH,
    change: async ({ limit, except, taken }) => {
      const at = deps.clock.now();
      const refs = await duePayments(store.db, new Date(at), limit, except);
      taken(refs.map(({ team_id, payment_id: id }) => ({ team_id, id })));
      if (refs.length === 0) return 0;
      return store.db.transaction((tx) => releaseRetention(tx, refs, at));
    },
    failure: 'retained money of a payment could not be released; it will be tried again',
  };
  return rowSweep(sweep, deps);
}

async function releaseRetention(tx: Tx, refs: PaymentRef[], at: number): Promise<number> {
  const items = await lockDueItems(tx, refs, new Date(at), LOCK_WANTED);
  if (items.length === 0) return 0;
  await releaseItems(tx, items, at);
  const paid = items.map(({ team_id, payment_id: id }) => ({ team_id, id }));
  await markSettled(tx, paid, new Date(at));
  return items.length;
}
