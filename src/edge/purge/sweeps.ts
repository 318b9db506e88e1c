import type { Store } from '../../platform/db/stores.ts';
import { REPLAY_MS } from '../../tenants/api/idempotency.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { PurgeDeps } from './deps.ts';
import { BEGINNING, forgetAnswers, type Place, purgeDeliveryAttempts, type Purged, purgeEvents } from './store.ts';

/** A few milliseconds of work, so that other statements do not wait. */
const BATCH = 500;
const IDLE_MS = 600_000;
/** Clocks of other processes may be behind. */
const SLACK_MS = 60_000;

/** Returns sweeps that delete data after its retention period in small batches; any number of processes may run them. */
export function purgeSweeps({ clock, config }: PurgeDeps, store: Store): Sweep[] {
  const { environment, db } = store;
  const keepFrom = (prefix: 'evt' | 'whd') => lowestIdAt(prefix, environment, clock.now() - config.events_keep_ms);
  return [
    {
      name: 'purge-events',
      environment,
      idle_ms: IDLE_MS,
      round: aroundAllTeams((after) => purgeEvents(db, after, keepFrom('evt'), BATCH)),
    },
    {
      name: 'purge-deliveries',
      environment,
      idle_ms: IDLE_MS,
      round: aroundAllTeams((after) => purgeDeliveryAttempts(db, after, keepFrom('whd'), BATCH)),
    },
    {
      name: 'purge-answers',
      environment,
      idle_ms: IDLE_MS,
      round: () => forgetAnswers(db, new Date(clock.now() - REPLAY_MS - SLACK_MS), BATCH),
    },
  ];
}

/** Returns rounds that continue where the last one ended, and rest only after all teams were examined. */
function aroundAllTeams(purge: (after: Place) => Promise<Purged>): () => Promise<number> {
  let after = BEGINNING;
  return async () => {
    const { rows, last } = await purge(after);
    after = last ?? BEGINNING;
    return last === null ? 0 : rows + 1;
  };
}
