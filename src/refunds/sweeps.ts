import type { Store } from '../db/stores.ts';
import type { Deps } from '../deps.ts';
import type { Sweep } from '../work/sweep.ts';
import type { RefundRow } from './schema.ts';
import { advanceRefund } from './send.ts';
import { coverLater } from './service.ts';
import { claimDueRefunds } from './store.ts';

const BATCH = 50;
/** A worker that dies on the way: the refund comes due again after this. */
const LEASE_MS = 60_000;

/** Covers refunds that wait for money, sends covered ones, asks about those under way. */
export function refundSweep(deps: Deps, store: Store): Sweep {
  return {
    name: 'refunds',
    environment: store.environment,
    idle_ms: 500,
    round: async () => {
      const due = await claimDueRefunds(store.db, new Date(deps.clock.now()), LEASE_MS, BATCH);
      const steps = await Promise.allSettled(due.map((refund) => step(deps, store, refund)));
      for (const result of steps) {
        if (result.status === 'rejected') deps.log.error({ err: result.reason }, 'a refund could not go on; it comes due again');
      }
      return due.length;
    },
  };
}

async function step(deps: Deps, store: Store, refund: RefundRow): Promise<void> {
  const covered = refund.draws !== null ? refund : await store.db.transaction((tx) => coverLater(tx, deps.config, store, refund));
  if (covered?.draws) await advanceRefund(deps, store, covered);
}
