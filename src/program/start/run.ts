import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Config, ConfigError, type DatabaseUrls, type Role } from '../../platform/config/config.ts';
import type { DatabaseClock } from '../../platform/db/clock.ts';
import { APP_ROLE, type DbPool, openPool } from '../../platform/db/pool.ts';
import { openStores } from '../../platform/db/stores.ts';
import { buildDeps, type Deps } from '../deps.ts';
import type { Secrets } from '../../kit/crypto.ts';
import { createLog, type Log } from '../../kit/log.ts';
import { packing } from '../../kit/packing.ts';
import type { Db } from '../../kit/sql.ts';
import type { Demo } from '../../edge/start-page/deps.ts';
import type { MetricsServer } from '../../edge/metrics/server.ts';
import { buildApi, startWorkers } from '../program.ts';
import type { Worker } from '../../platform/work/worker.ts';
import { banner } from './banner.ts';
import { openClock } from './clock.ts';
import { type Databases, migrateAll, openDatabases } from './databases.ts';
import { requireEnvironments } from './environments.ts';
import { openMetrics, openTracing } from './observed.ts';
import { firstSignIn } from './first-sign-in.ts';
import { permittedFormat } from './formats-store.ts';
import { ensureDemoTeam, type KeysFile, keysFilePath } from './demo.ts';
import { type DataDirUse, useDataDir } from './data-dir.ts';
import { loadPackages } from './packages.ts';
import { openSecrets } from './secrets.ts';
import { takeStartLock } from './start-lock.ts';
import { untilAvailable } from './until-available.ts';

/** Time for storing the rows of logs that still wait when a process stops. */
const LOG_CLOSE_MS = 2_000;
/** Time for closing connections when a process stops. Those whose statement has no response would take up to 22.5 s. */
const CLOSE_MS = 2_000;

/** Runs until a signal, then drains: no new work starts, work in progress finishes, the database stops last. */
export async function runProgram(config: Config, role: Role): Promise<void> {
  makeDataDir(config.data_dir);
  const log = createLog({ level: config.log_level, format: config.log_format });
  const stopAsked = signal();
  const use = await useDataDir(config, role);
  try {
    void stopAsked.then(() => use.leave());
    await runIn(config, role, use, log, stopAsked);
  } finally {
    use.release();
  }
}

function makeDataDir(folder: string): void {
  try {
    fs.mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new ConfigError(`DATA_DIR ${folder} cannot be created: ${(error as Error).message}`, { cause: error });
  }
}

async function runIn(config: Config, role: Role, use: DataDirUse, log: Log, stopAsked: Promise<string>): Promise<void> {
  const databases = await openLocked(config, log);
  try {
    const attempt = () => prepare(config, role, databases, use.first, log);
    const prepared = await untilAvailable(attempt, log, stopAsked, config.shutdown_ms);
    if (!prepared && role === 'migrate') throw new ConfigError('stopped before every database was migrated: run migrate again');
    try {
      if (prepared && role !== 'migrate') await serve(config, role, databases.service_urls, prepared, log, stopAsked);
    } finally {
      await within(CLOSE_MS, prepared?.clock.close());
    }
  } finally {
    await databases.stop();
  }
}

/**
 * Opens the databases. A command may be using the same embedded database and stop it when done, so the service waits for it.
 */
async function openLocked(config: Config, log: Log): Promise<Databases> {
  if (config.database_urls) return openDatabases(config, log);
  const startLock = await takeStartLock(config.data_dir);
  try {
    return await openDatabases(config, log);
  } finally {
    startLock.release();
  }
}

async function serve(
  config: Config,
  role: Role,
  urls: DatabaseUrls,
  { keys, secrets, clock }: Prepared,
  log: Log,
  stopAsked: Promise<string>,
): Promise<void> {
  await loadPackages();
  const { tracer, watch } = await openTracing(config, log);
  const stores = openStores(urls, config.database_pool, log, watch);
  const deps = buildDeps({ config, stores, log, secrets, clock, tracer });
  const workers = role === 'api' ? [] : startWorkers(deps);
  let server: FastifyInstance | undefined;
  let metrics: MetricsServer | null = null;
  try {
    deps.nodes.start();
    metrics = await openMetrics(deps, workers, () => stores.use());
    if (role !== 'worker') server = await listen(deps, workers, demoOf(config, keys));
    log.info({ role, profile: config.profile, url: config.public_url }, 'started');
    // With JSON logs the banner is not printed: programs read the keys from the file.
    if (keys && server && config.log_format === 'pretty') await printBanner(deps, keys);
    log.info(`stopping: ${await stopAsked}`);
  } finally {
    await drain(deps, server, workers);
    await within(CLOSE_MS, Promise.all([metrics?.close(), tracer?.close(), stores.close()]));
  }
  log.info('stopped');
}

/** The link signs its reader in, so it is printed on a terminal only: piped output may be stored. */
async function printBanner(deps: Deps, keys: KeysFile): Promise<void> {
  const { config, clock } = deps;
  const offered = config.console !== null && process.stdout.isTTY;
  const signIn = offered ? `${config.console?.url}${await firstSignIn(deps, BigInt(keys.team), clock.now())}` : null;
  console.log(banner(keys, keysFilePath(config), signIn));
}

interface Prepared {
  clock: DatabaseClock;
  keys: KeysFile | undefined;
  secrets: Secrets;
}

/** Writes data that the service's role may not write: the schema, the secrets and, in development, the demo team. Idempotent. */
async function prepare(config: Config, role: Role, databases: Databases, first: boolean, log: Log): Promise<Prepared> {
  const migrating = role === 'migrate' || config.migrate_on_start;
  await requireEnvironments(databases.urls, migrating, log);
  if (migrating) await migrateAll(databases.urls, (fields, message) => log.warn(fields, message));
  const asOwner = <T>(work: (control: Db) => Promise<T>) => lend(openPool({ url: databases.urls.control, size: 1, log }), work);
  const asService = <T>(work: (control: Db) => Promise<T>) =>
    lend(openPool({ url: databases.service_urls.control, size: 1, log, role: APP_ROLE }), work);
  const clock = await openClock(config, databases, log);
  try {
    const now = new Date(clock.now());
    const secrets = await (migrating ? asOwner : asService)(async (control) => {
      packing.permit(await permittedFormat(control, 'packing'));
      return openSecrets(config, control, now);
    });
    const demo = role !== 'migrate' && config.profile === 'development';
    return { clock, secrets, keys: demo ? await asOwner((control) => ensureDemoTeam(config, control, now, first)) : undefined };
  } catch (error) {
    await clock.close();
    throw error;
  }
}

async function lend<T>(pool: DbPool, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

function demoOf(config: Config, keys: KeysFile | undefined): Demo | null {
  return keys ? { keys_file: keysFilePath(config), team: keys.team, sandbox: keys.sandbox } : null;
}

async function listen(deps: Deps, workers: Worker[], demo: Demo | null): Promise<FastifyInstance> {
  const { host, port } = deps.config;
  const server = buildApi(deps, workers, demo);
  try {
    await server.listen({ host, port });
    return server;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new ConfigError(`port ${port} is in use: stop the other program or set PORT`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new ConfigError(`HOST=${host} is not an address of this machine`);
    if (code === 'EACCES') throw new ConfigError(`PORT=${port} needs more rights: choose one above 1023`);
    throw error;
  }
}

/**
 * Finishes requests and claimed work within SHUTDOWN_MS. Before that, the server keeps accepting requests for DRAIN_MS and
 * reports that it is leaving; otherwise a connection that a load balancer opens at that moment would be reset.
 */
async function drain(
  { config, service, nodes, requestLog, exchangeLog }: Deps,
  server: FastifyInstance | undefined,
  workers: Worker[],
): Promise<void> {
  service.leaving = true;
  const stopped = workers.map((worker) => worker.stop());
  if (server) await sleep(config.drain_ms);
  await within(config.shutdown_ms, Promise.all([server?.close(), nodes.stop(), ...stopped]));
  await Promise.all([requestLog?.close(LOG_CLOSE_MS), exchangeLog?.close(LOG_CLOSE_MS)]);
}

/** Waits for the end of work, at most this long. */
async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  await Promise.race([work, sleep(ms, undefined, { ref: false })]);
}

/** Resolves with the name of the first signal. A second signal exits immediately. */
function signal(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        if (asked) process.exit(130);
        asked = true;
        resolve(name);
      });
    }
  });
}
