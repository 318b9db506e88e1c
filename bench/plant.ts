import path from 'node:path';
import pg from 'pg';
import { books, dueWork } from '../src/edge/metrics/queues-store.ts';
import { systemClock } from '../src/kit/clock.ts';
import { Secrets } from '../src/kit/crypto.ts';
import { must } from '../src/kit/errors.ts';
import { newId } from '../src/kit/ids.ts';
import { createLog, type Log } from '../src/kit/log.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { ensureDatabase } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { openPool } from '../src/platform/db/pool.ts';
import { openStores } from '../src/platform/db/stores.ts';
import { makeDue } from '../src/platform/search/build-store.ts';
import type { Sweep } from '../src/platform/work/sweep.ts';
import { buildDeps } from '../src/program/deps.ts';
import { sweepsOf } from '../src/program/program.ts';
import { SEARCHABLES } from '../src/program/searchables.ts';
import { Registry, type TestProvider } from '../test/setup/providers.ts';
import type { Options } from './options.ts';
import { type Shop, shopOf } from '../test/plans/rows.ts';
import type { Stage } from './stage.ts';
import { fillDue, fillSettled } from './sweeps-fill.ts';
import { makeTeam } from './teams.ts';

const SMALL_ROWS = 1_000;
/** Open, stuck and due rows of each kind, whatever the size of the store. */
const DUE = 2_000;
const QUICK_DUE = 20;
/** Rounds of one pass in which sweeps catch up with the rows that were inserted: sums, seals, the search index. */
const MAX_CATCH_UP = 1_000_000;
const MAX_PASSES = 30;
const MAX_BUILD_MS = 7_200_000;
/** Between two looks at builds that are not due yet. */
const LOOK_MS = 100;
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

/** A live store of one team, and its background work, which runs only when it is called. */
export interface Plant {
  /** Payments that have ended. */
  rows: number;
  url: string;
  /** Secret key of the team. */
  key: string;
  shop: Shop;
  sweeps: Sweep[];
  /** @throws Error when background work logged one */
  check(): void;
}

export type PlantSize = 'small' | 'large';

const plants = new WeakMap<Stage, Map<PlantSize, Promise<Plant>>>();

/** Returns the store of a size. It is filled once, kept for all sections and thrown away with the stage. */
export function plantOf(stage: Stage, options: Options, size: PlantSize): Promise<Plant> {
  const known = plants.get(stage) ?? new Map<PlantSize, Promise<Plant>>();
  plants.set(stage, known);
  const plant = known.get(size) ?? grow(stage, options, size);
  known.set(size, plant);
  return plant;
}

async function grow(stage: Stage, options: Options, size: PlantSize): Promise<Plant> {
  const large = options.quick ? SMALL_ROWS * 2 : options.large_rows;
  const rows = size === 'small' ? SMALL_ROWS : large;
  const database = `bench_plant_${size}`;
  await ensureDatabase(stage.server, database);
  const url = stage.server.url(database);
  await migrate(url, 'store', { environment: 'live' });
  const { sweeps, check, stop } = backgroundOf(stage, database);
  stage.atEnd(stop);
  const {
    team,
    keys: [key = ''],
  } = await makeTeam(stage.control, 'live', 1);
  const shop = shopOf(team.id, (prefix) => newId(prefix, 'live', Date.now()));
  const said = (text: string) => console.error(`  ${rows.toLocaleString('en')} payments: ${text}`);
  const live = [await connect(url), await connect(url)] as const;
  said('filling');
  await fillSettled(live, team, rows, shop);
  await live[0].query('vacuum (analyze)');
  said('filled; sums, seals and the search index catch up');
  await buildIndex(stage, url, team.id, sweeps);
  await catchUp(sweeps, options.quick ? 0 : REST_MS);
  await fillDue(live[0], team, options.quick ? QUICK_DUE : DUE);
  await live[0].query('vacuum (analyze)');
  said('ready');
  const refunded = await live[0].query<{ payment_id: string }>('select payment_id from refunds where team_id = $1 limit 2', [
    team.id,
  ]);
  const [common = '', rare = ''] = refunded.rows.map(({ payment_id }) => payment_id);
  await Promise.all(live.map((client) => client.end()));
  return { rows, url, key, shop: { ...shop, payment: { common, rare } }, sweeps, check };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the next query tells
  await client.connect();
  return client;
}

/** Background work of a database, in this process. */
function backgroundOf(stage: Stage, database: string) {
  const failures: unknown[] = [];
  const log: Log = { ...createLog({ level: 'silent', format: 'json' }), error: (...said: unknown[]) => failures.push(said) };
  const config = readConfig({ DATA_DIR: path.join(stage.folder, database), REQUEST_LOG: 'off', PROVIDER_EXCHANGES: 'off' });
  const stores = openStores({ ...stage.urls, live: stage.server.url(database) }, 4, log);
  const providers = new Registry({ sandbox: [], live: [SILENT] });
  const deps = buildDeps({ config, stores, log, secrets: new Secrets(stage.secretsKey), clock: systemClock, providers });
  const metrics: Sweep = {
    ...{ name: 'metrics', environment: 'live', idle_ms: 0 },
    round: async () => {
      await Promise.all([dueWork(stores.live.db), books(stores.live.db)]);
      return 0;
    },
  };
  return {
    sweeps: [...sweepsOf(deps, stores.live), metrics],
    stop: () => stores.close(),
    check: () => {
      if (failures.length > 0) throw new Error('background work failed', { cause: failures[0] });
    },
  };
}

/** Builds the index of every list of the team. A round of the sweep reports no rows: the table of builds says what is left. */
async function buildIndex(stage: Stage, url: string, team_id: bigint, sweeps: readonly Sweep[]): Promise<void> {
  const pool = openPool({ url, size: 1, log: createLog({ level: 'warn', format: 'json' }) });
  stage.atEnd(() => pool.close());
  for (const { kind } of SEARCHABLES) await makeDue(pool, { team_id, kind });
  const search = must(
    sweeps.find(({ name }) => name === 'search'),
    'it is one of them',
  );
  const deadline = performance.now() + MAX_BUILD_MS;
  const left = { text: 'select 1 from search_builds where team_id = $1 and due_at is not null limit 1', values: [team_id] };
  while (await pool.maybe(left)) {
    if (performance.now() > deadline) throw new Error('the search index was not built');
    const since = performance.now();
    await search.round();
    if (performance.now() - since < LOOK_MS) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
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
