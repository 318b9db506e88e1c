import type { Store } from '../../platform/db/stores.ts';
import { REPLAY_MS } from '../../tenants/api/idempotency.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { PurgeDeps } from './deps.ts';
import { must } from '../../kit/errors.ts';
import { tableOf } from '../erasure/catalogue.ts';
import { beginning, expireOldest, type Place, purgeOldest } from './store.ts';

/** A few milliseconds of work, so that other statements do not wait. */
const BATCH = 500;
const IDLE_MS = 600_000;
/** Clocks of other processes may be behind. */
const SLACK_MS = 60_000;

const ANSWERS = {
  name: 'idempotency_keys',
  expires: must(tableOf('idempotency_keys').expires, 'stored answers expire'),
};

/** Returns sweeps that delete data after its retention period in small batches; any number of processes may run them. */
export function purgeSweeps({ clock, config }: PurgeDeps, store: Store): Sweep[] {
  const { environment, db } = store;
  const keepFrom = (prefix: 'evt' | 'whd') => lowestIdAt(prefix, environment, clock.now() - config.events_keep_ms);
  return [
    {
      name: 'purge-events',
      environment,
      idle_ms: IDLE_MS,
      round: aroundAllTeams(db, 'events', () => keepFrom('evt')),
    },
    {
      name: 'purge-deliveries',
      environment,
      idle_ms: IDLE_MS,
      round: aroundAllTeams(db, 'delivery_attempts', () => keepFrom('whd')),
    },
    {
      name: 'purge-answers',
      environment,
      idle_ms: IDLE_MS,
      round: () => expireOldest(db, ANSWERS, new Date(clock.now() - REPLAY_MS - SLACK_MS), BATCH),
    },
  ];
}

/** Returns rounds that continue where the last one ended, and rest only after all teams were examined. */
function aroundAllTeams(db: Queryable, name: string, keepFrom: () => string): () => Promise<number> {
  const ages = must(tableOf(name).ages, 'a table that is purged lists its retention');
  const start = beginning(ages);
  let after: Place = start;
  return async () => {
    const { rows, last } = await purgeOldest(db, { name, ages }, after, keepFrom(), BATCH);
    after = last ?? start;
    return last === null ? 0 : rows + 1;
  };
}
