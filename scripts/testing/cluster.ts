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
/** Containers get 64 MB there by default; a run needs some hundred. */
const MEMORY_NEEDED_BYTES = 2_000_000_000;
/** For the files of tests too: the largest are a few backups of a whole installation. Half of it stays free in a whole run. */
const FILES_NEEDED_BYTES = 6_000_000_000;
/** Memory that a whole run needs beside what it keeps in {@link MEMORY}. */
const PROCESSES_NEED_BYTES = 4_000_000_000;
const PREFIX = 'pirogue-test-';
const TEMPORARY = 'tmp';
/** Younger ones may belong to a run that has not come to lock its folder yet: it may still copy a cluster to a busy disk. */
const ABANDONED_AFTER_MS = 300_000;
/** Then the templates are as they are: copies work without the file, and more slowly. */
const MAX_CLOSINGS = 5;
const LOOK_MS = 20;
/** Of a server whose cluster is copied: a small log, and nothing that happens by itself. */
const PREPARING = { autovacuum: 'off', min_wal_size: '32MB', max_wal_size: '64MB' };
const MAX_LOOKS = 500;

/** Sandbox and live have their first partitions, as in an installation. `template_store` has none: tests of the previous release copy it. */
const TEMPLATES = ['template_control', 'template_store', 'template_sandbox', 'template_live'] as const;

export interface TestServer extends Pick<EmbeddedServer, 'url'>, AsyncDisposable {
  /** A folder in memory for the temporary files of tests, which disappears with the server. Without one they are on the disk. */
  temporary?: string;
  /** Whether it started with the templates. */
  has_templates?: boolean;
}

/** A server that lives in memory where there is enough, and disappears with the run. */
export interface ThrowawayServer extends EmbeddedServer, AsyncDisposable {}

/** The server the tests run on: a throwaway one of our own, or the empty one that TEST_POSTGRES_URL names. */
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
 * Starts one; also removes what killed runs have left.
 * @param settings of postgresql.conf, beside those of every throwaway server
 * @param cluster folder of one that is copied; null: a new one
 */
export async function startThrowaway(
  settings: Record<string, string> = {},
  cluster: string | null = null,
): Promise<ThrowawayServer> {
  for (const parent of new Set([MEMORY, os.tmpdir()])) removeAbandoned(parent);
  const dataDir = fs.mkdtempSync(path.join(hasRoom(MEMORY, MEMORY_NEEDED_BYTES) ? MEMORY : os.tmpdir(), PREFIX));
  const remove = () => fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  try {
    fs.chmodSync(dataDir, 0o711); // when we are root, the server's account must get in
    if (cluster !== null) copyFolder(cluster, findPlace(dataDir).cluster);
    const server = await startEmbedded({ dataDir, durable: false, settings });
    return { ...server, [Symbol.asyncDispose]: () => server.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Makes a folder in memory for the files of tests: many of them create the database of an installation, of which every file is flushed. On a disk
 * that takes several times as long as the rest of the test, and removing the files as long again.
 * @returns null where memory is short, or programs in it may not be run
 */
function temporaryFolder(data_dir: string): string | null {
  if (!data_dir.startsWith(`${MEMORY}/`)) return null;
  // Runs that began a moment ago have not filled theirs yet.
  const runs = 1 + fs.readdirSync(MEMORY).filter((name) => fs.existsSync(path.join(MEMORY, name, TEMPORARY))).length;
  if (!hasRoom(MEMORY, runs * FILES_NEEDED_BYTES)) return null;
  if (process.availableMemory() < runs * (FILES_NEEDED_BYTES + PROCESSES_NEED_BYTES)) return null;
  // A short name: a path of a socket has at most 103 bytes, and some tests have folders of their own in this one.
  const folder = path.join(data_dir, TEMPORARY);
  fs.mkdirSync(folder);
  fs.chmodSync(folder, 0o1777); // as /tmp: some tests become another user
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

/** Makes the databases that each test file gets copies of. */
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

/** A start of the server deletes what {@link closeTemplate} has written. */
async function reopenTemplates(server: TestServer): Promise<void> {
  const client = await connectClient(server.url('postgres'));
  for (const name of TEMPLATES) await connectOnce(client, name, server.url(name));
  await client.end();
}

/** Makes the store of an environment from the one that is migrated, with its first partitions, as a start of the service does. */
async function makeStore(client: pg.Client, server: TestServer, environment: Environment): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [`template_${environment}`]);
  if (rowCount === 0) await client.query(`create database template_${environment} template template_store strategy file_copy`);
  await migrate(server.url(`template_${environment}`), 'store', { environment });
}

/** Partitions what is kept for ever, as `pirogue partition` does: every test then runs on such an installation. */
async function partitionAll(url: string): Promise<void> {
  await inTurn(url, {}, async (client) => {
    for (const table of KEPT_FOR_EVER) await convert(client, url, table, {});
  });
}

/**
 * Makes a database a template that nobody may connect to: one in use cannot be copied. The first connection after a migration writes what every
 * connection reads at its start (pg_internal.init); without it, the first connections of each copy would do the same work. An autovacuum of the
 * catalogue deletes it again, so that it is looked for when nobody can connect any more, and nothing is left for a later one to do.
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

/** Does what an autovacuum would do after the migrations. */
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
    if (!lock) continue; // in use
    const server = readyPostmaster(cluster);
    if (server) process.kill(server.pid, 'SIGQUIT');
    lock.release();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
