import type { Store } from '../db/stores.ts';
import type { Sweep } from '../work/sweep.ts';
import { type Chain, sealNext } from './store.ts';

const IDLE_MS = 10_000;
/** Each seal is a row: on a quiet day there is one per minute with new rows, not one per payment. */
const WAIT_MS = 60_000;
const BATCH = 2_000;

/** Returns a sweep that seals a chain of a store up to the oldest running transaction. */
export function chainSweep(store: Store, name: string, chain: Chain): Sweep {
  return {
    name,
    environment: store.environment,
    idle_ms: IDLE_MS,
    round: async () => {
      const sealed = await sealNext(store.db, chain, BATCH, WAIT_MS);
      // Only a full batch indicates that more rows are waiting; otherwise the next round can wait.
      return sealed < BATCH ? 0 : sealed;
    },
  };
}
