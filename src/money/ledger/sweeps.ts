import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { foldDeltas } from './fold.ts';

const FOLD_BATCH = 5_000;

/** Folds deltas into the balances, so that reading a balance stays cheap. */
export function foldSweep(store: Store): Sweep {
  return {
    name: 'ledger-fold',
    environment: store.environment,
    idle_ms: 200,
    round: async () => {
      const folded = await foldDeltas(store.db, FOLD_BATCH);
      // A balance is exact without folding: a partial batch can wait until a statement is worthwhile.
      return folded < FOLD_BATCH ? 0 : folded;
    },
  };
}
