import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { stopChildren } from '../../bench/children.ts';
import { Helper } from '../../bench/helper.ts';
import { folderFor } from '../../bench/stage.ts';
import { makeTeam } from '../../bench/teams.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import { newSecret, secretPlace } from '../../src/money/webhooks/sign.ts';
import type { DatabaseUrls } from '../../src/platform/config/config.ts';
import { freePort } from '../../src/platform/db/embedded/address.ts';
import { ensureDatabase, startEmbedded } from '../../src/platform/db/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { cloneDatabases, type Databases } from '../../test/setup/databases.ts';
import { addAccounts, shareEvenly } from '../../test/system/market.ts';
import { COMPILE_CACHE } from '../testing/compile-cache.ts';
import type { MarketJob, MarketResult } from './child/market.ts';
import type { ReceiverJob, ReceiverResult } from './child/receiver.ts';
import type { ShopJob, ShopResult } from './child/shop.ts';
import type { Options } from './options.ts';

const JOB_MS = 60_000;

/** The databases, and the processes beside the service: simulated providers, the merchant's programs and its webhook receiver. */
export interface Stage {
  folder: string;
  port: number;
  urls: DatabaseUrls;
  /** Connections to the live store as its owner. */
  live: DbPool;
  secretsKey: Buffer;
  /** Start of the accelerated time, in seconds since the epoch. */
  from_s: number;
  team_id: bigint;
  key: string;
  market: Helper<MarketJob, MarketResult>;
  shop: Helper<ShopJob, ShopResult>;
  receiver: Helper<ReceiverJob, ReceiverResult>;
}

/** Builds everything except the service, in a new folder. */
export async function buildStage(options: Options): Promise<{ stage: Stage; tearDown: () => Promise<void> }> {
  const folder = fs.mkdtempSync(path.join(folderFor(options.fsync), 'pirogue-soak-'));
  fs.chmodSync(folder, 0o711); // when we are root, PostgreSQL runs under another account, which needs access
  process.env.TMPDIR = folder;
  const teardowns: (() => Promise<unknown>)[] = [async () => fs.rmSync(folder, { recursive: true, force: true })];
  const tearDown = async () => {
    await stopChildren();
    for (const undo of teardowns.splice(0).reverse()) await undo();
  };
  try {
    const databases = await (process.env.PIROGUE_TEST_SERVER ? cloneDatabases() : makeDatabases(folder, options));
    teardowns.push(() => databases.drop());
    const urls: DatabaseUrls = databases;
    const log = createLog({ level: 'warn', format: 'json' });
    const [control, live] = [openPool({ url: urls.control, size: 2, log }), openPool({ url: urls.live, size: 2, log })];
    teardowns.push(
      () => control.close(),
      () => live.close(),
    );
    const shared = { folder, urls, live, port: await freePort(), from_s: Math.floor(Date.now() / 1000) };
    const helpers = startHelpers(folder);
    const secretsKey = randomBytes(32);
    const merchant = await openMerchant(control, new Secrets(secretsKey), { ...shared, ...helpers }, options);
    return { stage: { ...shared, ...helpers, ...merchant, secretsKey }, tearDown };
  } catch (error) {
    await tearDown();
    throw error;
  }
}

/** Starts a PostgreSQL server for this run, with the three databases. A test has a server already. */
async function makeDatabases(folder: string, { fsync }: Options): Promise<Databases> {
  const server = await startEmbedded({ dataDir: path.join(folder, 'data'), durable: fsync });
  try {
    const names = { control: 'soak_control', sandbox: 'soak_sandbox', live: 'soak_live' };
    for (const name of Object.values(names)) await ensureDatabase(server, name);
    const urls = { control: server.url(names.control), sandbox: server.url(names.sandbox), live: server.url(names.live) };
    await migrate(urls.control, 'control');
    await migrate(urls.sandbox, 'store', { environment: 'sandbox' });
    await migrate(urls.live, 'store', { environment: 'live' });
    return { ...urls, drop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The books of the simulators and the ids of all events of a day fit in this heap. */
const LARGE_HEAP = ['--max-old-space-size=8192'];

function startHelpers(folder: string): Pick<Stage, 'market' | 'shop' | 'receiver'> {
  const entry = (name: string) => ({
    entry: path.join(import.meta.dirname, 'child', `${name}.ts`),
    execArgv: LARGE_HEAP,
    env: COMPILE_CACHE,
  });
  return {
    market: new Helper<MarketJob, MarketResult>('market', folder, entry('market')),
    shop: new Helper<ShopJob, ShopResult>('shop', folder, entry('shop')),
    receiver: new Helper<ReceiverJob, ReceiverResult>('receiver', folder, entry('receiver')),
  };
}

type Opened = Pick<Stage, 'urls' | 'live' | 'port' | 'from_s' | 'market' | 'receiver'>;

/** Creates a verified team with a live key, an account at every simulated provider, and an endpoint for all its events. */
async function openMerchant(
  control: Db,
  secrets: Secrets,
  { live, urls, port, from_s, market, receiver }: Opened,
  { speed, seed }: Options,
): Promise<Pick<Stage, 'team_id' | 'key'>> {
  const { team, keys } = await makeTeam(control, 'live', 1);
  const opened = await market.run({ kind: 'open', seed, speed, from_s, live_url: urls.live, team_id: String(team.id) }, JOB_MS);
  const accounts = await addAccounts(control, secrets, team.id, opened.providers ?? []);
  const callbacks = [...accounts].map(([name, id]) => [name, `http://127.0.0.1:${port}/_callbacks/${id}`] as const);
  await market.run({ kind: 'callbacks', urls: Object.fromEntries(callbacks) }, JOB_MS);
  await shareEvenly(control, team.id);
  const secret = newSecret();
  const { port: receiver_port } = await receiver.run({ kind: 'open', secret }, JOB_MS);
  await addEndpoint(live, secrets, team, { secret, url: `https://127.0.0.1:${receiver_port}/hook` });
  return { team_id: team.id, key: keys[0] as string };
}

/** Inserts a webhook endpoint into the table, because the API accepts only public addresses. */
async function addEndpoint(live: Db, secrets: Secrets, team: Team, { secret, url }: { secret: string; url: string }) {
  const now = new Date();
  const id = newId('wh', 'live', now.getTime());
  const sealed = secrets.seal(secret, secretPlace(team.id, id));
  await live.run(sql`
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, api_version, created_at, updated_at)
    values (${team.id}, ${id}, ${url}, ${sealed}, '{*}', ${team.api_version}, ${now}, ${now})`);
}
