import { randomBytes, randomInt } from 'node:crypto';
import fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { openStores } from '../../src/platform/db/stores.ts';
import { buildDeps, type Deps } from '../../src/program/deps.ts';
import { unpack } from '../../src/kit/packing.ts';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { type Environment, ENVIRONMENTS } from '../../src/kit/environment.ts';
import { createLog, type Log } from '../../src/kit/log.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import type { KeyKind } from '../../src/tenants/keys/caller.ts';
import { newKey, storeKey } from '../../src/tenants/keys/service.ts';
import type { Scope } from '../../src/tenants/keys/scopes.ts';
import { buildApi } from '../../src/program/program.ts';
import type { Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { createTeam } from '../../src/tenants/teams/service.ts';
import { findTeam, updateTeam } from '../../src/tenants/teams/store.ts';
import { contractOf } from '../openapi/contract.ts';
import { asService, cloneDatabases } from './databases.ts';
import { OneConnection } from './one-connection.ts';
import { watchFetch } from './watched-fetch.ts';
import { WorkersOnDemand } from './workers.ts';

/** Everything a test may change about the service it talks to. */
export interface ApiOptions {
  /** Environment variables of the configuration. */
  env?: Record<string, string>;
  clock?: Clock;
  log?: Log;
  providers?: Providers;
  /** Another service, whose databases this one shares as a second process. It is stopped first. */
  beside?: Api;
  /**
   * False: only the API runs, and nothing happens by itself. True (default): background work of a database starts when the service first uses it.
   * `at once`: for tests that write rows to a database that the service has not used, or whose first payment has little time.
   */
  workers?: boolean | 'at once';
  /** False: the stores have no partitions yet. */
  partitions?: boolean;
  /** Returns the listener of a database's statements. */
  watch?: Parameters<typeof openStores>[3];
}

export interface Keys {
  public: string;
  secret: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  body: any;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  /** Sent as it is instead of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

export interface Merchant {
  team: Team;
  sandbox: Keys;
  live: Keys;
}

export interface Api {
  url: string;
  config: Config;
  deps: Deps;
  /** Addresses, for programs that are started beside the service. */
  databases: { control: string; sandbox: string; live: string };
  team: Team;
  /** Keys of {@link team}: unverified, plan starter. */
  keys: Record<Environment, Keys>;
  /** Control as the owner, for what the command line would do. */
  control: Db;
  /** One HTTP call; the sandbox secret key unless another is given (null: none). */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  newMerchant(changes?: Partial<Team>): Promise<Merchant>;
  newKey(
    team: Team,
    environment: Environment,
    kind: KeyKind,
    options?: { scopes?: Scope[]; allowed_ips?: string[]; expires_at?: Date },
  ): Promise<{ id: string; key: string }>;
  setTeam(team: Team, changes: Partial<Team>): Promise<void>;
  stop(): Promise<void>;
}

/** A real service: listening socket, workers, three databases of its own. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const { beside, partitions = true } = options;
  const databases = beside ? { ...beside.databases, drop: async () => {} } : await cloneDatabases({ partitions });
  try {
    return await startOn(databases, options);
  } catch (error) {
    // What is left open would keep the test's process waiting instead of failing it.
    setTimeout(() => process.exit(1), 1_000).unref();
    throw error;
  }
}

async function startOn(databases: Awaited<ReturnType<typeof cloneDatabases>>, options: ApiOptions): Promise<Api> {
  // Where mail goes: made when the first is written.
  const data_dir = path.join(os.tmpdir(), `pirogue-test-${process.pid}-${randomBytes(4).toString('hex')}`);
  const config = readConfig({
    DATA_DIR: data_dir,
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
    LOG_FORMAT: 'json',
    SANDBOX_DELAY_MS: '50',
    // Each connection plans its own statements: few are cheaper, and enough.
    DATABASE_POOL: '6',
    // Tests that are not about limits call faster than any merchant may.
    RATE_LIMITS: 'off',
    // Tests that are not about it count statements and compare databases.
    REQUEST_LOG: 'off',
    PROVIDER_EXCHANGES: 'off',
    ...options.env,
  });
  const log = options.log ?? createLog({ level: config.log_level, format: 'json' });
  const { control: c, sandbox: s, live: l } = databases;
  const urls = { control: asService(c), sandbox: asService(s), live: asService(l) };
  const { clock = systemClock, providers, watch } = options;
  const workers = new WorkersOnDemand();
  const connections = new OneConnection();
  const stores = connections.guard(
    openStores(urls, config.database_pool, log, (database) => workers.watching(database, watch?.(database))),
  );
  const deps = buildDeps({
    config,
    stores,
    log,
    secrets: new Secrets(Buffer.alloc(32, 7)),
    clock,
    ...(providers ? { providers } : {}),
  });
  if (options.workers !== false) workers.await(deps);
  if (options.workers === 'at once' || options.beside) workers.startAll();
  const server = buildApi(deps, workers.started);
  await server.listen({ host: config.host, port: config.port });
  const control = openPool({ url: databases.control, size: 2, log });
  const merchant = await newMerchant(control);
  const url = `http://${config.host}:${config.port}`;
  const unwatch = watchFetch(url, contractOf);
  return {
    url: config.public_url,
    config,
    deps,
    databases,
    control,
    team: merchant.team,
    keys: { sandbox: merchant.sandbox, live: merchant.live },
    call: (method, path, callOptions = {}) => call(url, method, path, { key: merchant.sandbox.secret, ...callOptions }),
    newMerchant: (changes) => newMerchant(control, changes),
    newKey: (team, environment, kind, keyOptions) => makeKey(control, team, environment, kind, keyOptions),
    setTeam: async (team, changes) => {
      await updateTeam(control, { ...((await findTeam(control, team.id)) as Team), ...changes });
      // Keys are remembered with their team for less than a second.
      await new Promise((resolve) => setTimeout(resolve, 850));
    },
    stop: async () => {
      unwatch();
      await server.close();
      await workers.stop();
      await Promise.all([deps.requestLog?.close(2_000), deps.exchangeLog?.close(2_000)]);
      await Promise.all([stores.close(), control.close()]);
      await databases.drop();
      fs.rmSync(data_dir, { recursive: true, force: true });
      connections.verify();
    },
  };
}

async function newMerchant(control: Db, changes: Partial<Team> = {}): Promise<Merchant> {
  const team = { ...(await createTeam(control, { name: 'Chez Awa', email: 'awa@shop.example' })), ...changes };
  await updateTeam(control, team);
  const keys = Object.fromEntries(
    await Promise.all(
      ENVIRONMENTS.map(async (environment) => [
        environment,
        {
          public: (await makeKey(control, team, environment, 'public')).key,
          secret: (await makeKey(control, team, environment, 'secret')).key,
        },
      ]),
    ),
  );
  return { team, ...keys } as Merchant;
}

async function makeKey(
  control: Db,
  team: Team,
  environment: Environment,
  kind: KeyKind,
  options: { scopes?: Scope[]; allowed_ips?: string[]; expires_at?: Date } = {},
): Promise<{ id: string; key: string }> {
  const key = newKey(kind, environment);
  const { scopes = [], allowed_ips = [], expires_at = null } = options;
  const { id } = await storeKey(
    control,
    key,
    { team_id: team.id, environment, kind, scopes, allowed_ips, expires_at },
    new Date(),
  );
  return { id, key };
}

async function call(url: string, method: string, path: string, options: CallOptions): Promise<Answer> {
  const { key, body, raw, headers } = options;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key ? { authorization: key } : {}),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload as string }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/**
 * Below the ports that a system gives to whoever asks for any (from 32768 on Linux): a program that takes seconds to start would find one of those
 * taken by another test now and then.
 */
const PORTS = { from: 20_000, to: 32_000 };
/** Test files run in several processes: here each says which ports it was given, until it ends. */
const GIVEN = path.join(os.tmpdir(), 'pirogue-test-ports');

/** A port nobody listens on at this moment, and that no earlier call has returned, in any process of the tests. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (isGiven(port) || !(await isFree(port))) continue;
    return port;
  }
}

/** Whether a process that is running was given the port. If not, this one has it from now on. */
function isGiven(port: number): boolean {
  const file = path.join(GIVEN, String(port));
  fs.mkdirSync(GIVEN, { recursive: true });
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (isRunning(Number(fs.readFileSync(file, 'utf8')))) return true;
  fs.writeFileSync(file, String(process.pid));
  return false;
}

/** A process of 0 has not yet said who it is. */
function isRunning(pid: number): boolean {
  try {
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
      .on('error', ({ code, message }: NodeJS.ErrnoException) =>
        code === 'EADDRINUSE' || code === 'EACCES' ? resolve(false) : reject(new Error(message)),
      )
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** A clock that the test moves. */
export class FakeClock implements Clock {
  #now = Date.now();

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

const PAUSE_MS = { min: 25, max: 100 };

/**
 * Asks until the answer fits; fails after the deadline, which is for busy machines, with the last answer seen. It asks less often the longer it
 * takes: on two cores, what is waited for shares them with the asking.
 */
export async function until<T>(ask: () => Promise<T>, fits: (value: T) => boolean, deadline_ms = 60_000): Promise<T> {
  const started = Date.now();
  for (;;) {
    const value = await ask();
    if (fits(value)) return value;
    const waited_ms = Date.now() - started;
    if (waited_ms > deadline_ms) throw new Error(`still ${JSON.stringify(value)} after ${deadline_ms} ms`);
    const pause_ms = Math.min(Math.max(waited_ms / 10, PAUSE_MS.min), PAUSE_MS.max);
    await new Promise((resolve) => setTimeout(resolve, pause_ms));
  }
}

/** Everything a database holds, as text: for proving that something is not in it. */
export async function dumpDatabase(db: Db): Promise<string> {
  const tables = await db.all<{ name: string }>(sql`
    select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`);
  const dumps = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await db.all<{ row: string }>({ text: `select t::text as row from ${name} t`, values: [] });
      return `${name}\n${rows.map(({ row }) => inClear(row)).join('\n')}`;
    }),
  );
  return dumps.join('\n');
}

/** With what packed columns say beside their bytes: a leak in them would be one all the same. */
function inClear(row: string): string {
  const text = row.replace(/"+(Mg[0-9A-Za-z+/]{6,}={0,2})"+/g, (packed, base64: string) => {
    try {
      return `${packed} ${unpack(Buffer.from(base64, 'base64'))}`;
    } catch {
      return packed;
    }
  });
  return text.replace(/\\+x((?:[0-9a-f]{2})+)/g, (bytes, digits: string) => {
    try {
      return `${bytes} ${unpack(Buffer.from(digits, 'hex'))}`;
    } catch {
      return bytes;
    }
  });
}
