import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { CustomerDeps } from './deps.ts';
import { deleteUnused } from './methods-store.ts';

/** Thirteen months: a customer who pays once a year still finds the saved number. */
const UNUSED_MS = 400 * 86_400_000;
const METHOD_BATCH = 200;

/** Deletes saved payment methods that were not used for a long time. */
export function methodSweep({ clock }: Pick<CustomerDeps, 'clock'>, store: Store): Sweep {
  return {
    name: 'payment-methods',
    environment: store.environment,
    idle_ms: 3_600_000,
    round: () => deleteUnused(store.db, new Date(clock.now() - UNUSED_MS), METHOD_BATCH),
  };
}
