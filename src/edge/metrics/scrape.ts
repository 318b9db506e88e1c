import type { PoolUse } from '../../platform/db/pool.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Log } from '../../kit/log.ts';
import type { Worker } from '../../platform/work/worker.ts';
import type { MetricsDeps } from './deps.ts';
import { type Family, gauge, type Sample } from './exposition.ts';
import { readFloats, floatFamilies } from './floats.ts';
import { processFamilies, watchLoop } from './process.ts';
import { type PartitionUse, partitionUse } from '../../platform/db/partitions.ts';
import { type Books, books, dueWork, type Queue } from './queues-store.ts';
import { cached } from './cached.ts';
import { databaseFamilies } from './databases.ts';
import { outcomeFamilies } from './outcomes.ts';
import { readAwaited } from './outcomes-store.ts';
import { paidLateFamily, readPaidLate } from './payouts.ts';
import { readReturns, returnFamilies } from './returns.ts';

/** Cache time of the queues, so that two Prometheus servers cause one query. */
const QUEUES_MS = 5_000;
/** Cache time of the open outcomes, whose query reads up to 30,000 rows. */
const AWAITED_MS = 30_000;
/** Cache time of the books, whose query reads every balance: 60 ms for a million balances. */
const BOOKS_MS = 300_000;
const MAX_LANES_SHOWN = 200;

export interface Scraped {
  deps: MetricsDeps;
  workers: readonly Worker[];
  pools(): Record<string, PoolUse>;
  version: string;
}

/** Creates a function that returns all metrics whose values are read at scrape time. */
export function scraper({ deps, workers, pools, version }: Scraped): () => Promise<Family[]> {
  const loop = watchLoop();
  const stores = [deps.stores.sandbox, deps.stores.live].map((store) => ({
    store,
    queues: cached(() => dueWork(store.db), QUEUES_MS),
    books: cached(() => books(store.db), BOOKS_MS),
    floats: cached(() => readFloats(store.db), QUEUES_MS),
    returns: cached(() => readReturns(store.db, deps.clock.now()), QUEUES_MS),
    awaited: cached(() => readAwaited(store.db), AWAITED_MS),
    paidLate: cached(() => readPaidLate(store.db, deps.clock.now()), QUEUES_MS),
    partitions: cached(() => partitionUse(store.db), BOOKS_MS),
  }));
  return async () => {
    const [queues, ledgers, floats, returns, awaited, paidLate, partitions, databases] = await Promise.all([
      Promise.all(stores.map(async ({ store, queues }) => [store, await known(queues(), deps.log)] as const)),
      Promise.all(stores.map(async ({ store, books }) => [store, await known(books(), deps.log)] as const)),
      Promise.all(stores.map(async ({ store, floats }) => [store, await known(floats(), deps.log)] as const)),
      Promise.all(stores.map(async ({ store, returns }) => [store, await known(returns(), deps.log)] as const)),
      Promise.all(stores.map(async ({ store, awaited }) => [store, await known(awaited(), deps.log)] as const)),
      Promise.all(stores.map(async ({ store, paidLate }) => [store, await known(paidLate(), deps.log)] as const)),
      Promise.all(stores.map(async ({ store, partitions }) => [store, await known(partitions(), deps.log)] as const)),
      databaseFamilies(deps),
    ]);
    return [
      ...(deps.meters?.families() ?? []),
      ...queueFamilies(queues),
      ...bookFamilies(ledgers),
      ...laneFamilies(deps),
      ...floatFamilies(floats, deps.clock.now()),
      ...returnFamilies(returns),
      ...outcomeFamilies(awaited),
      paidLateFamily(paidLate),
      ...partitionFamilies(partitions),
      poolFamily(pools()),
      ...databases,
      workerFamily(deps, workers),
      ...clockFamilies(deps),
      ...processFamilies(loop, version),
    ];
  };
}

/** Returns null when a database does not respond within the deadline of {@link cached}, so that only its own metrics are missing. */
async function known<T>(answer: Promise<T>, log: Log): Promise<T | null> {
  try {
    return await answer;
  } catch (err) {
    log.warn({ err }, 'a database could not be asked for its metrics');
    return null;
  }
}

function queueFamilies(answers: readonly (readonly [Store, Queue[] | null])[]): Family[] {
  const each = (value: (queue: Queue) => number): Sample[] =>
    answers.flatMap(([{ environment }, queues]) =>
      (queues ?? []).map((queue): Sample => [[environment, queue.queue], value(queue)]),
    );
  const labels = ['environment', 'queue'];
  const up = answers.map(([{ environment }, queues]): Sample => [[environment], queues ? 1 : 0]);
  return [
    gauge('pirogue_store_up', 'Whether the database answered this scrape.', ['environment'], up),
    gauge(
      'pirogue_queue_depth',
      'Work that is due, up to 10000.',
      labels,
      each(({ depth }) => depth),
    ),
    gauge(
      'pirogue_queue_late_seconds',
      'How long the first of it has been due.',
      labels,
      each(({ late_seconds }) => late_seconds),
    ),
  ];
}

function bookFamilies(answers: readonly (readonly [Store, Books | null])[]): Family[] {
  const drift = answers.flatMap(([{ environment }, books]) =>
    (books?.drift ?? []).map(({ currency, minor }): Sample => [[environment, currency], Number(minor)]),
  );
  const unsealed = answers.flatMap(([{ environment }, books]): Sample[] =>
    books ? [[[environment], books.unsealed_seconds]] : [],
  );
  return [
    gauge(
      'pirogue_ledger_drift_minor',
      'What all balances of a currency add up to: anything but 0 is wrong.',
      ['environment', 'currency'],
      drift,
    ),
    gauge('pirogue_ledger_unsealed_seconds', 'Age of the oldest journal that is not sealed.', ['environment'], unsealed),
  ];
}

function partitionFamilies(answers: readonly (readonly [Store, PartitionUse[] | null])[]): Family[] {
  const each = (value: (use: PartitionUse) => number): Sample[] =>
    answers.flatMap(([{ environment }, all]) => (all ?? []).map((use): Sample => [[environment, use.table], value(use)]));
  const labels = ['environment', 'table'];
  return [
    gauge(
      'pirogue_partitions',
      'Partitions of a table, without the default one.',
      labels,
      each(({ partitions }) => partitions),
    ),
    gauge(
      'pirogue_partition_overflow',
      'Whether rows came while their period had no partition: 1 until they are dropped.',
      labels,
      each(({ overflowing }) => Number(overflowing)),
    ),
  ];
}

/**
 * Returns counts over all lanes (account, channel, operation). Only lanes in trouble are listed by name, because their number
 * grows with the teams' accounts.
 */
function laneFamilies({ health }: MetricsDeps): Family[] {
  const counts = new Map<string, number>();
  const troubled: Sample[] = [];
  for (const { account_id, channel, operation, standing } of health.snapshot()) {
    const name = `${operation} ${standing}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (standing !== 'operational' && troubled.length < MAX_LANES_SHOWN) {
      troubled.push([[account_id, channel, operation, standing], 1]);
    }
  }
  const lanes = [...counts].map(([name, count]): Sample => [name.split(' '), count]);
  return [
    gauge(
      'pirogue_provider_lanes',
      'Accounts by channel and operation, from the calls of all processes.',
      ['operation', 'standing'],
      lanes,
    ),
    gauge(
      'pirogue_provider_trouble',
      'Always 1: an account that is degraded or down.',
      ['account', 'channel', 'operation', 'standing'],
      troubled,
    ),
  ];
}

function poolFamily(pools: Record<string, PoolUse>): Family {
  const samples = Object.entries(pools).flatMap(([database, { busy, idle, waiting, most }]): Sample[] => [
    [[database, 'busy'], busy],
    [[database, 'idle'], idle],
    [[database, 'waiting'], waiting],
    [[database, 'most'], most],
  ]);
  return gauge(
    'pirogue_db_pool',
    'Connections in use and idle, callers waiting for one, and how many there may be.',
    ['database', 'state'],
    samples,
  );
}

function workerFamily({ clock }: MetricsDeps, workers: readonly Worker[]): Family {
  const samples = workers.map((worker): Sample => [[worker.name], Math.max(0, clock.now() - worker.lastRound()) / 1000]);
  return gauge('pirogue_worker_round_age_seconds', 'How long ago each worker ended a round.', ['worker'], samples);
}

function clockFamilies({ clock }: MetricsDeps): Family[] {
  const skew_ms = clock.skew_ms?.();
  if (skew_ms === undefined) return [];
  const help = "How far this machine's own clock is ahead of the database's, which decides.";
  return [gauge('pirogue_clock_skew_seconds', help, [], [[[], skew_ms / 1000]])];
}
