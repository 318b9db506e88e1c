import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { ensureDatabase, type EmbeddedServer, startEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { type DbPool, openPool } from '../src/platform/db/pool.ts';
import type { DatabaseUrls } from '../src/platform/config/config.ts';
import { createLog } from '../src/kit/log.ts';
import type { LoadJob, LoadResult } from './child/load.ts';
import { stopChildren } from './children.ts';
import { Helper } from './helper.ts';

/** Durable, as in production; room for the working set, and no checkpoint in the middle of a window. */
const SETTINGS = {
  max_connections: '300',
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
};
const TMPFS = 0x01021994;
const PLAIN_SCHEMA = path.join(import.meta.dirname, 'plain', 'schema.sql');

/** What every section works on: one durable PostgreSQL with three migrated databases and a plain one, and a load generator. */
export interface Stage {
  folder: string;
  server: EmbeddedServer;
  urls: DatabaseUrls;
  /** As the owner. */
  control: DbPool;
  load: Helper<LoadJob, LoadResult>;
  secretsKey: Buffer;
  /** Statements as the owner; each database has one connection. */
  sandbox: pg.Client;
  live: pg.Client;
  /** Registers what has to end before the databases do. */
  atEnd(undo: () => Promise<unknown>): void;
  /** The database of the yardstick, bench/plain. */
  plain: { url: string; client: pg.Client };
}

/**
 * Builds the stage in a new folder.
 * @param statementStatistics also count what each statement costs PostgreSQL
 * @param durable false for a smoke run: its figures mean nothing, and flushing its rows would take most of its time
 */
export async function buildStage(
  statementStatistics: boolean,
  durable: boolean,
): Promise<{ stage: Stage; tearDown: () => Promise<void> }> {
  const folder = fs.mkdtempSync(path.join(folderFor(durable), 'pirogue-bench-'));
  fs.chmodSync(folder, 0o711); // as root, PostgreSQL runs under another account, which has to get in
  process.env.TMPDIR = folder; // its socket too goes where everything is thrown away
  const teardowns: (() => Promise<unknown>)[] = [async () => fs.rmSync(folder, { recursive: true, force: true })];
  const tearDown = async () => {
    await stopChildren();
    for (const undo of teardowns.splice(0).reverse()) await undo();
  };
  try {
    const settings = {
      ...SETTINGS,
      ...(statementStatistics
        ? { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' }
        : {}),
    };
    const server = await startEmbedded({ dataDir: path.join(folder, 'data'), durable, settings });
    teardowns.push(() => server.stop());
    const urls = await makeDatabases(server);
    const control = openPool({ url: urls.control, size: 2, log: createLog({ level: 'warn', format: 'json' }) });
    teardowns.push(() => control.close());
    const [sandbox, live] = [await connect(urls.sandbox), await connect(urls.live)];
    teardowns.push(
      () => sandbox.end(),
      () => live.end(),
    );
    const plain = await plainDatabase(server);
    teardowns.push(() => plain.client.end());
    if (statementStatistics) for (const client of [sandbox, live]) await client.query('create extension pg_stat_statements');
    const load = new Helper<LoadJob, LoadResult>('load', folder);
    const atEnd = (undo: () => Promise<unknown>) => teardowns.push(undo);
    return { stage: { folder, server, urls, control, load, secretsKey: randomBytes(32), sandbox, live, plain, atEnd }, tearDown };
  } catch (error) {
    await tearDown();
    throw error;
  }
}

/** Returns where databases are created: when they are durable on a disk, because on a RAM disk a commit would cost nothing. */
export function folderFor(durable: boolean): string {
  if (!durable) return os.tmpdir();
  const found = [os.tmpdir(), '/var/tmp'].find((folder) => fs.existsSync(folder) && fs.statfsSync(folder).type !== TMPFS);
  return found ?? os.tmpdir();
}

async function makeDatabases(server: EmbeddedServer): Promise<DatabaseUrls> {
  const names = { control: 'bench_control', sandbox: 'bench_sandbox', live: 'bench_live' };
  for (const name of Object.values(names)) await ensureDatabase(server, name);
  const urls = { control: server.url(names.control), sandbox: server.url(names.sandbox), live: server.url(names.live) };
  await migrate(urls.control, 'control');
  await migrate(urls.sandbox, 'store', { environment: 'sandbox' });
  await migrate(urls.live, 'store', { environment: 'live' });
  return urls;
}

async function plainDatabase(server: EmbeddedServer): Promise<Stage['plain']> {
  await ensureDatabase(server, 'bench_plain');
  const url = server.url('bench_plain');
  const client = await connect(url);
  await client.query(fs.readFileSync(PLAIN_SCHEMA, 'utf8'));
  return { url, client };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the next query tells
  await client.connect();
  return client;
}

/**
 * Empties what the last point wrote, and writes it out, so that every point starts alike. One table at a time: a lock on
 * two of them could be met from the other side by the service's sweeps.
 */
export async function clear(client: pg.Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) await client.query(`truncate ${table} cascade`);
  await client.query('checkpoint');
}
