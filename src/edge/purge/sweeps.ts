import { tableOf } from '../erasure/catalogue.ts';
import { deleteMailFilesBefore } from '../mail/files.ts';
import { must } from '../../kit/errors.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';
import { dropPartition, firstPartitionEnd, makePartitions, PartitionsBusy } from '../../platform/db/partitions.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { EXCHANGES_KEEP_MS } from '../../providers/exchanges/schema.ts';
import { REPLAY_MS } from '../../tenants/api/idempotency.ts';
import { MAILS_KEEP_MS } from '../../tenants/outbox/schema.ts';
import { REQUESTS_KEEP_MS } from '../../tenants/request-log/schema.ts';
import type { PurgeDeps } from './deps.ts';
import { beginning, expireOldest, type Place, purgeOldest } from './store.ts';

/** Rows of one round: a few milliseconds of work, so that other statements do not wait. */
const BATCH = 500;
const IDLE_MS = 600_000;
/** Pause between rounds. A round waits at most 100 ms for the lock on a busy table, so other statements are not delayed noticeably. */
const PARTITIONS_IDLE_MS = 60_000;
/** Maximum time by which the clocks of other processes may be behind. */
const SLACK_MS = 60_000;

const ANSWERS = {
  name: 'idempotency_keys',
  expires: must(tableOf('idempotency_keys').expires, 'stored answers expire'),
};

/** Identity of an erased person that the last repetition did not delete: the release was an earlier one, or it never ran. */
const KNOWN = { name: 'erasures', expires: must(tableOf('erasures').expires, 'what identified a person expires') };
/** Retention of that identity: long after the last repetition is due, because a service that was stopped catches up first. */
const KNOWN_KEEP_MS = 7 * 86_400_000;

/**
 * Returns sweeps that delete data after its retention period; any number of processes may run them. Data is dropped by partition. Rows
 * that are older than the partitions are deleted in small batches.
 */
export function purgeSweeps(deps: PurgeDeps, store: Store): Sweep[] {
  const { clock, config } = deps;
  const { environment, db } = store;
  const keepFrom = (prefix: 'evt' | 'whd') => lowestIdAt(prefix, environment, clock.now() - config.events_keep_ms);
  return [
    partitionSweep(deps, store),
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
      round: async () => {
        const forgotten = await expireOldest(db, KNOWN, new Date(clock.now() - KNOWN_KEEP_MS), BATCH);
        return forgotten + (await expireOldest(db, ANSWERS, new Date(clock.now() - REPLAY_MS - SLACK_MS), BATCH));
      },
    },
    // One folder has the mails of both environments and of people.
    ...(environment === 'live' ? [mailFileSweep(deps)] : []),
  ];
}

/** Deletes the files of mails that a process without a mail server wrote to its folder, also if it has one since. */
function mailFileSweep({ clock, config }: PurgeDeps): Sweep {
  return {
    name: 'purge-mail-files',
    environment: 'live',
    idle_ms: IDLE_MS,
    round: () => deleteMailFilesBefore(config.data_dir, new Date(clock.now() - MAILS_KEEP_MS - SLACK_MS), BATCH),
  };
}

/** Makes partitions ahead of time, and drops those whose retention has ended, one in a round, so that no lock is held for long. */
function partitionSweep({ clock, config, log }: PurgeDeps, { environment, db }: Store): Sweep {
  // Bodies are dropped before their events, because an erasure finds bodies by their events.
  const kept_ms: Record<string, number> = {
    event_bodies: config.events_keep_ms,
    events: config.events_keep_ms,
    delivery_attempts: config.events_keep_ms,
    idempotency_answers: REPLAY_MS,
    mails: MAILS_KEEP_MS,
    provider_exchanges: EXCHANGES_KEEP_MS,
    request_log: REQUESTS_KEEP_MS,
    request_log_days: REQUESTS_KEEP_MS,
  };
  // Tables found in use since the last pause. Statements wait behind each try, so each table is tried once until the next pause.
  let busy: Set<string> | null = null;
  const round = async () => {
    if (!busy) await makePartitions(db, environment, clock.now()).catch(unlessBusy);
    busy ??= new Set();
    for (const [table, keep_ms] of Object.entries(kept_ms)) {
      if (busy.has(table)) continue;
      const dropped = await dropPartition(db, environment, table, clock.now() - keep_ms - SLACK_MS).catch(unlessBusy);
      if (dropped === null) busy.add(table);
      if (!dropped) continue;
      log.info({ environment, partition: dropped }, 'a partition was dropped: its retention is over');
      return 1;
    }
    busy = null;
    return 0;
  };
  return { name: 'partitions', environment, idle_ms: PARTITIONS_IDLE_MS, round };
}

function unlessBusy(error: unknown): null {
  if (error instanceof PartitionsBusy) return null;
  throw error;
}

/**
 * Returns rounds over the rows from before a table was partitioned. Each continues where the last one ended. They pause only after all
 * teams were examined.
 */
function aroundAllTeams(db: Queryable, name: string, keepFrom: () => string): () => Promise<number> {
  const ages = must(tableOf(name).ages, 'a table that is purged lists its retention');
  const start = beginning(ages);
  let after: Place = start;
  return async () => {
    const end = await firstPartitionEnd(db, name);
    if (end === undefined) return 0;
    const before = [end, keepFrom()].sort()[0] as string;
    const { rows, last } = await purgeOldest(db, { name, ages }, after, before, BATCH);
    after = last ?? start;
    return last === null ? 0 : rows + 1;
  };
}
