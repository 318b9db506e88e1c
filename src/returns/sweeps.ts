import type { Store } from '../db/stores.ts';
import type { Deps } from '../deps.ts';
import type { Sweep } from '../work/sweep.ts';
import { advanceReturn } from './step.ts';
import { adoptGivebacks, claimDueReturns } from './store.ts';

const BATCH = 50;
/** A worker that dies on the way: the return comes due again after this. */
const LEASE_MS = 60_000;

/** Sees to it that captured money which a payment cannot keep goes back: by refund, else by payout, else by a person. */
export function returnSweep(deps: Deps, store: Store): Sweep {
  return {
    name: 'returns',
    environment: store.environment,
    idle_ms: 500,
    round: async () => {
      const now = new Date(deps.clock.now());
      const adopted = await adoptGivebacks(store.db, now, BATCH);
      const due = await claimDueReturns(store.db, now, LEASE_MS, BATCH);
      const steps = await Promise.allSettled(due.map((row) => advanceReturn(deps, store, row)));
      for (const result of steps) {
        if (result.status === 'rejected') deps.log.error({ err: result.reason }, 'a return could not go on; it comes due again');
      }
      return due.length + adopted;
    },
  };
}
