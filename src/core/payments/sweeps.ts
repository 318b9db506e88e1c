import type { Tx } from '../../kit/sql.ts';
import { releaseItems } from '../../money/settlement/release.ts';
import { duePayments, lockDueItems, type PaymentRef } from '../../money/settlement/store.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { PaymentDeps } from './deps.ts';
import { LOCK_WANTED, markSettled } from './store.ts';

const BATCH = 500;

/** Releases money whose retention is over, and marks payments without pending money as settled. */
export function retentionSweep(deps: Pick<PaymentDeps, 'clock'>, store: Store): Sweep {
  return {
    name: 'hold-release',
    environment: store.environment,
    idle_ms: 1_000,
    round: async () => {
      const at = deps.clock.now();
      const refs = await duePayments(store.db, new Date(at), BATCH);
      if (refs.length === 0) return 0;
      return store.db.transaction((tx) => releaseRetention(tx, refs, at));
    },
  };
}

async function releaseRetention(tx: Tx, refs: PaymentRef[], at: number): Promise<number> {
  const items = await lockDueItems(tx, refs, new Date(at), LOCK_WANTED);
  if (items.length === 0) return 0;
  await releaseItems(tx, items, at);
  const paid = items.map(({ team_id, payment_id: id }) => ({ team_id, id }));
  await markSettled(tx, paid, new Date(at));
  return items.length;
}
