import type { Store } from '../db/stores.ts';
import type { Sweep } from '../work/sweep.ts';
import { type Chain, sealNext } from './store.ts';

const IDLE_MS = 10_000;
/** A seal costs a row: on a quiet day one for each minute with news, not one for each payment. */
const WAIT_MS = 60_000;
const BATCH = 2_000;

/** Keeps a chain of a store sealed up to the oldest running transaction. */
export function chainSweep(store: Store, name: string, chain: Chain): Sweep {
  return {
    name,
    environment: store.environment,
    idle_ms: IDLE_MS,
    round: async () => {
      const sealed = await sealNext(store.db, chain, BATCH, WAIT_MS);
      // Only a full batch says that more is waiting; otherwise there is time.
      return sealed < BATCH ? 0 : sealed;
    },
  };
}
