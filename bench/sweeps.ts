import path from 'node:path';
import pg from 'pg';
import { systemClock } from '../src/kit/clock.ts';
import { Secrets } from '../src/kit/crypto.ts';
import { createLog, type Log } from '../src/kit/log.ts';
import { books, dueWork } from '../src/edge/metrics/queues-store.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { ensureDatabase } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { openStores } from '../src/platform/db/stores.ts';
import type { Sweep } from '../src/platform/work/sweep.ts';
import { buildDeps } from '../src/program/deps.ts';
import { sweepsOf } from '../src/program/program.ts';
import { Registry, type TestProvider } from '../test/setup/providers.ts';
import type { Options } from './options.ts';
import type { Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';
import { fillDue, fillSettled } from './sweeps-fill.ts';
import { makeTeam } from './teams.ts';

const SMALL_ROWS = 1_000;
/** Open, stuck and due rows of each kind, whatever the size of the store. */
const DUE = 2_000;
const QUICK_DUE = 20;
/** Rounds in one window, at most; those after the last due row find nothing. */
const MAX_ROUNDS = 50;
const QUICK_ROUNDS = 3;
/** Rounds of one pass in which sweeps catch up with the rows that were inserted: sums, seals, the search index. */
const MAX_CATCH_UP = 1_000_000;
const MAX_PASSES = 30;
/** Longer than any sweep waits before it looks at a team again. */
const REST_MS = 35_000;

const PENDING = { kind: 'pending', provider_ref: null, poll_after_ms: 60_000 } as const;
/** A provider that never ends anything: what it is asked about stays under way. */
const SILENT: TestProvider = {
  name: 'bank',
  collects: () => true,
  submit: async () => ({ kind: 'unknown', message: 'no answer' }),
  read: async () => PENDING,
  refunds: { extent: 'partial', submit: async () => PENDING, read: async () => PENDING },
  payouts: { reaches: () => true, submit: async () => PENDING, read: async () => PENDING },
};

/** How long the rounds of a sweep took that found something, and those that did not. */
interface Taken {
  busy_ms: number[];
  idle_ms: number[];
  rows: number;
}

/** A store of some size, and its background work, which runs only when it is called. */
interface Plant {
  rows: number;
  sweeps: Sweep[];
  close(): Promise<void>;
}

/**
 * Rounds of each sweep, purge and seal of a live store, and of what the metrics ask of it: with a thousand payments and with many, both
 * beside as many that are open, stuck, expired or due.
 */
export async function sweepsSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const large = options.quick ? SMALL_ROWS * 2 : options.large_rows;
  const plants = [
    await plant(stage, options, { name: 'small', rows: SMALL_ROWS }),
    await plant(stage, options, { name: 'large', rows: large }),
  ] as const;
  const taken = new Map<string, Taken>();
  const points = plants[0].sweeps.flatMap((_, i) =>
    plants.map(({ rows, sweeps }, size): Point => {
      const sweep = sweeps[i] as Sweep;
      const id = `${sweep.name}-${size === 0 ? 'small' : 'large'}`;
      return {
        ...{ id, label: `${sweep.name}, ${rows.toLocaleString('en')} payments` },
        ...{ service_pid: service.pid, client_pid: process.pid },
        prepare: async () => {},
        run: (started) => {
          started();
          return timed(sweep, options, taken, id);
        },
      };
    }),
  );
  return {
    name: 'sweeps',
    points,
    comparisons: [],
    figures: () =>
      Object.fromEntries(
        [...taken].flatMap(([id, all]) => [
          [`${id}_p95_ms`, p95Of(all)],
          [`${id}_rows`, all.rows],
        ]),
      ),
    notes: async () => [p95Note(plants[0], plants[1], taken)],
    close: async () => {
      await Promise.all(plants.map(({ close }) => close()));
    },
  };
}

async function plant(stage: Stage, options: Options, { name, rows }: { name: string; rows: number }): Promise<Plant> {
  const database = `bench_sweeps_${name}`;
  await ensureDatabase(stage.server, database);
  const url = stage.server.url(database);
  await migrate(url, 'store', { environment: 'live' });
  const live = new pg.Client({ connectionString: url });
  live.on('error', () => {}); // the next query tells
  await live.connect();
  const failures: unknown[] = [];
  const log: Log = { ...createLog({ level: 'silent', format: 'json' }), error: (...said: unknown[]) => failures.push(said) };
  const config = readConfig({ DATA_DIR: path.join(stage.folder, database), REQUEST_LOG: 'off', PROVIDER_EXCHANGES: 'off' });
  const stores = openStores({ ...stage.urls, live: url }, 4, log);
  const providers = new Registry({ sandbox: [], live: [SILENT] });
  const deps = buildDeps({ config, stores, log, secrets: new Secrets(stage.secretsKey), clock: systemClock, providers });
  const metrics: Sweep = {
    ...{ name: 'metrics', environment: 'live', idle_ms: 0 },
    round: async () => {
      await Promise.all([dueWork(stores.live.db), books(stores.live.db)]);
      return 0;
    },
  };
  const sweeps = [...sweepsOf(deps, stores.live), metrics];
  const { team } = await makeTeam(stage.control, 'live', 1);
  await fillSettled(live, team, rows);
  await live.query('vacuum (analyze)');
  await catchUp(sweeps, options.quick ? 0 : REST_MS);
  await fillDue(live, team, options.quick ? QUICK_DUE : DUE);
  await live.query('vacuum (analyze)');
  return {
    rows,
    sweeps,
    close: async () => {
      await live.end();
      await stores.close();
      await stage.control.run({ text: `drop database ${database} with (force)`, values: [] });
      if (failures.length > 0) throw new Error('background work failed', { cause: failures[0] });
    },
  };
}

/** Runs all sweeps until none finds anything, also some time later: sums wait for transactions that ended before, and for each other. */
async function catchUp(sweeps: readonly Sweep[], rest_ms: number): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    let rounds = 0;
    for (const sweep of sweeps)
      while ((await sweep.round()) > 0) if (++rounds > MAX_CATCH_UP) throw new Error(`${sweep.name} does not catch up`);
    if (rounds === 0 && pass > 0) return;
    await new Promise((resolve) => setTimeout(resolve, rest_ms));
  }
  throw new Error('background work does not catch up');
}

/** Rounds until the window is full; a request is one round. */
async function timed(sweep: Sweep, { quick, seconds }: Options, all: Map<string, Taken>, id: string) {
  const began = performance.now();
  const { busy_ms, idle_ms, rows } = all.get(id) ?? { busy_ms: [], idle_ms: [], rows: 0 };
  const times: number[] = [];
  let found = 0;
  while (times.length < (quick ? QUICK_ROUNDS : MAX_ROUNDS) && performance.now() - began < seconds * 1_000) {
    const since = performance.now();
    const handled = await sweep.round();
    const took_ms = performance.now() - since;
    times.push(took_ms);
    (handled > 0 ? busy_ms : idle_ms).push(took_ms);
    found += handled;
  }
  all.set(id, { busy_ms, idle_ms, rows: rows + found });
  return {
    requests: times.length,
    seconds: (performance.now() - began) / 1_000,
    p50_ms: at(times, 0.5),
    p99_ms: at(times, 0.99),
  };
}

/** Of the rounds that found something, if any did. */
function p95Of({ busy_ms, idle_ms }: Taken): number {
  return at(busy_ms.length > 0 ? busy_ms : idle_ms, 0.95);
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;
}

function p95Note(small: Plant, large: Plant, taken: ReadonlyMap<string, Taken>): string {
  const shown = (id: string) => {
    const all = taken.get(id) ?? { busy_ms: [], idle_ms: [], rows: 0 };
    return `${p95Of(all).toFixed(1)}${all.rows > 0 ? ` (${all.rows.toLocaleString('en')} rows)` : ''}`;
  };
  const all = small.sweeps.map(({ name }) => `${name} ${shown(`${name}-small`)} and ${shown(`${name}-large`)}`);
  const [few, many] = [small.rows, large.rows].map((rows) => rows.toLocaleString('en'));
  const rule = 'Where rounds found something, only those count, and the rows that they found are in brackets';
  return `p95 of a round in ms, with ${few} and with ${many} payments. ${rule}: ${all.join('; ')}.`;
}
