import type { Clock } from '../../kit/clock.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { BATCHES_KEEP_MS } from './schema.ts';
import { forgetBatches } from './store.ts';

/** Lists that one statement deletes, each with hundreds of lines. */
const LIMIT = 4;
const IDLE_MS = 600_000;

/** Deletes lists of payouts after {@link BATCHES_KEEP_MS}. */
export function batchSweep({ clock }: { clock: Clock }, { db, environment }: Store): Sweep {
  return {
    name: 'purge-payout-batches',
    environment,
    idle_ms: IDLE_MS,
    round: () => forgetBatches(db, new Date(clock.now() - BATCHES_KEEP_MS), LIMIT),
  };
}
