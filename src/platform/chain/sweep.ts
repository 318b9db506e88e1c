import type { Store } from '../db/stores.ts';
import type { Sweep } from '../work/sweep.ts';
import { type Chain, sealNext } from './store.ts';

const IDLE_MS = 10_000;
/** Each seal is a row: on a quiet day there is one per minute with new rows, not one per payment. */
const WAIT_MS = 60_000;
/** Maximum number of rows of a seal in each chain. */
const BATCH = 500;

/** Returns a sweep that seals the chains of a table of a store up to the oldest running transaction. */
export function chainSweep(store: Store, name: string, chain: Chain): Sweep {
  return {
    name,
    environment: store.environment,
    idle_ms: IDLE_MS,
    round: async () => {
      const sealed = await sealNext(store.db, chain, BATCH, WAIT_MS);
      // Less than a full batch in all chains together means that no more rows are waiting, so the next round can wait.
      return sealed < BATCH ? 0 : sealed;
    },
  };
}
