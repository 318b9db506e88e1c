import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { type Environment, ENVIRONMENTS } from '../../src/kit/environment.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { tryLock } from '../../src/platform/db/embedded/lock.ts';
import { findPlace } from '../../src/platform/db/embedded/place.ts';
import { readyPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { type EmbeddedServer, ensureDatabase, startEmbedded } from '../../src/platform/db/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { convert } from '../../src/platform/db/partitioning/convert.ts';
import { KEPT_FOR_EVER } from '../../src/platform/db/partitioning/tables.ts';
import { inTurn } from '../../src/platform/db/partitioning/turn.ts';
import { ensureServiceLogin } from '../../src/platform/db/roles.ts';
import { copyFolder, prepared } from './prepared.ts';

const MEMORY = '/dev/shm';
/** Free space that a server needs in {@link MEMORY}. Containers have 64 MB there by default, and a run uses some hundred. */
const MEMORY_NEEDED_BYTES = 2_000_000_000;
/** Free space that the files of the tests need too. The largest are backups of a whole installation. A full run uses about half. */
const FILES_NEEDED_BYTES = 6_000_000_000;
/** Memory that the processes of a full run need, beside their files in {@link MEMORY}. */
const PROCESSES_NEED_BYTES = 4_000_000_000;
const PREFIX = 'pirogue-test-';
const TEMPORARY = 'tmp';
/** Age of an abandoned folder. A younger one may belong to a run that still copies its cluster and has not locked the folder yet. */
const ABANDONED_AFTER_MS = 300_000;
/** Maximum of attempts to keep `pg_internal.init` in a template. Copies without this file work, but start more slowly. */
const MAX_CLOSINGS = 5;
const LOOK_MS = 20;
/** Settings of a server whose cluster will be copied: a small write-ahead log, and no background changes. */
const PREPARING = { autovacuum: 'off', min_wal_size: '32MB', max_wal_size: '64MB' };
const MAX_LOOKS = 500;

/**
 * Template databases. Those of sandbox and live have their first partitions, as in an installation. `template_store` has none, because
 * the tests of the previous release copy it.
 */
const TEMPLATES = ['template_control', 'template_store', 'template_sandbox', 'template_live'] as const;

export interface TestServer extends Pick<EmbeddedServer, 'url'>, AsyncDisposable {
  /** Folder in memory for temporary files of tests, deleted with the server. Without it, the files are on the disk. */
  temporary?: string;
  /** Whether the server had the templates when it started. */
  has_templates?: boolean;
}

/** Server whose data is in memory if there is enough, and is deleted at the end of the run. */
export interface ThrowawayServer extends EmbeddedServer, AsyncDisposable {}

/** Returns the server for the tests: a throwaway one, or the empty one that TEST_POSTGRES_URL names. */
export async function testServer(): Promise<TestServer> {
  const given = process.env.TEST_POSTGRES_URL;
  if (!given) {
    const cluster = await prepared(prepare);
    const server = await startThrowaway({}, cluster);
    const temporary = temporaryFolder(server.data_dir);
    return { ...server, ...(temporary !== null && { temporary }), has_templates: cluster !== null };
  }
  const url = (database: string) => Object.assign(new URL(given), { pathname: `/${database}` }).href;
  return { url, [Symbol.asyncDispose]: async () => {} };
}

/**
 * Starts a throwaway server, and removes the folders of killed runs.
 * @param settings further settings of postgresql.conf
 * @param cluster folder of a cluster to copy; null: a new cluster
 */
export async function startThrowaway(
  settings: Record<string, string> = {},
  cluster: string | null = null,
): Promise<ThrowawayServer> {
  for (const parent of new Set([MEMORY, os.tmpdir()])) removeAbandoned(parent);
  const dataDir = fs.mkdtempSync(path.join(hasRoom(MEMORY, MEMORY_NEEDED_BYTES) ? MEMORY : os.tmpdir(), PREFIX));
  const remove = () => fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  try {
    fs.chmodSync(dataDir, 0o711); // when we are root, the server runs under another account, which needs access
    if (cluster !== null) copyFolder(cluster, findPlace(dataDir).cluster);
    const server = await startEmbedded({ dataDir, durable: false, settings });
    return { ...server, [Symbol.asyncDispose]: () => server.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Creates a folder in memory for the files of tests. Many tests create the database of an installation, which flushes every file. On
 * a disk, flushing takes several times as long as the rest of the test, and removing the files takes as long again.
 * @returns null where memory is short, or where the folder does not allow programs to be run
 */
function temporaryFolder(data_dir: string): string | null {
  if (!data_dir.startsWith(`${MEMORY}/`)) return null;
  // Room is needed for the other runs too, because a run that has just begun has not filled its folder yet.
  const runs = 1 + fs.readdirSync(MEMORY).filter((name) => fs.existsSync(path.join(MEMORY, name, TEMPORARY))).length;
  if (!hasRoom(MEMORY, runs * FILES_NEEDED_BYTES)) return null;
  if (process.availableMemory() < runs * (FILES_NEEDED_BYTES + PROCESSES_NEED_BYTES)) return null;
  // The name is short because the path of a socket has at most 103 bytes, and some tests create folders in this one.
  const folder = path.join(data_dir, TEMPORARY);
  fs.mkdirSync(folder);
  fs.chmodSync(folder, 0o1777); // the mode of /tmp, because some tests run as another user
  const script = path.join(folder, 'run');
  fs.writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  const isRun = spawnSync(script).status === 0;
  fs.rmSync(script);
  return isRun ? folder : null;
}

/** Creates a cluster with the templates in a folder. */
async function prepare(folder: string): Promise<void> {
  await using server = await startThrowaway(PREPARING);
  await makeTemplates(server);
  await server.stop();
  copyFolder(findPlace(server.data_dir).cluster, folder);
}

/** Creates the template databases, which each test file copies. */
export async function makeTemplates(server: TestServer): Promise<void> {
  if (server.has_templates) return reopenTemplates(server);
  await ensureDatabase(server, 'template_control');
  await ensureDatabase(server, 'template_store');
  await migrate(server.url('template_control'), 'control');
  await migrate(server.url('template_store'), 'store');
  if (process.env.TEST_PARTITIONED === '1') await partitionAll(server.url('template_store'));
  const client = await connectClient(server.url('postgres'));
  await ensureServiceLogin(client, new URL(server.url('postgres')).password || undefined);
  for (const environment of ENVIRONMENTS) await makeStore(client, server, environment);
  for (const name of TEMPLATES) await closeTemplate(client, name, server.url(name));
  await client.end();
}

/** Restores what {@link closeTemplate} has written, because a start of the server deletes it. */
async function reopenTemplates(server: TestServer): Promise<void> {
  const client = await connectClient(server.url('postgres'));
  for (const name of TEMPLATES) await connectOnce(client, name, server.url(name));
  await client.end();
}

/** Creates the template of an environment from the migrated one, with its first partitions, as a start of the service does. */
async function makeStore(client: pg.Client, server: TestServer, environment: Environment): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [`template_${environment}`]);
  if (rowCount === 0) await client.query(`create database template_${environment} template template_store strategy file_copy`);
  await migrate(server.url(`template_${environment}`), 'store', { environment });
}

/** Partitions the tables that are kept for ever, as `pirogue partition` does, so that every test runs on such an installation. */
async function partitionAll(url: string): Promise<void> {
  await inTurn(url, {}, async (client) => {
    for (const table of KEPT_FOR_EVER) await convert(client, url, table, {});
  });
}

/**
 * Makes a database a template that allows no connections, because PostgreSQL cannot copy a database in use. The first connection
 * after a migration writes pg_internal.init, which every connection reads at its start. Without this file, the first connections of
 * each copy would repeat that work. An autovacuum of the catalogue deletes the file. So the catalogue is vacuumed first, and the file
 * is checked after the template is closed.
 */
export async function closeTemplate(client: pg.Client, name: string, url: string): Promise<void> {
  await client.query(`alter database ${name} with allow_connections true`);
  await vacuumCatalogue(url);
  await connectOnce(client, name, url);
}

async function connectOnce(client: pg.Client, name: string, url: string): Promise<void> {
  for (let tries = 0; tries < MAX_CLOSINGS; tries++) {
    await client.query(`alter database ${name} with is_template true allow_connections true`);
    await (await connectClient(url)).end();
    await client.query(`alter database ${name} with allow_connections false`);
    for (let looks = 0; looks < MAX_LOOKS && (await isInUse(client, name)); looks++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    const { rows } = await client.query(
      `select from pg_database d, pg_ls_dir('base/' || d.oid) f where datname = $1 and f = 'pg_internal.init'`,
      [name],
    );
    if (rows.length > 0) return;
  }
}

/** Vacuums the catalogue, so that no autovacuum has to after the migrations. */
async function vacuumCatalogue(url: string): Promise<void> {
  const client = await connectClient(url);
  const { rows } = await client.query(`
    select relname from pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared`);
  await client.query(`vacuum (analyze) ${rows.map(({ relname }) => `pg_catalog.${relname}`).join(', ')}`);
  await client.end();
}

async function isInUse(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query('select from pg_stat_activity where datname = $1', [name]);
  return rows.length > 0;
}

function hasRoom(folder: string, needed_bytes: number): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize >= needed_bytes;
  } catch {
    return false;
  }
}

function removeAbandoned(parent: string): void {
  if (!fs.existsSync(parent)) return;
  for (const name of fs.readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = path.join(parent, name);
    const made = fs.statSync(folder, { throwIfNoEntry: false });
    if (!made || made.uid !== process.getuid?.() || Date.now() - made.mtimeMs < ABANDONED_AFTER_MS) continue;
    const cluster = path.join(fs.realpathSync(folder), 'pg18');
    const lock = tryLock(`${cluster}.lock`);
    if (!lock) continue; // another run uses the folder
    const server = readyPostmaster(cluster);
    if (server) process.kill(server.pid, 'SIGQUIT');
    lock.release();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
