import path from 'node:path';
import { runner } from 'node-pg-migrate';
import type { Environment } from '../../kit/environment.ts';
import { pgCode } from '../../kit/sql.ts';
import { connectClient, type DbClient } from './client.ts';
import { applied, filesOf, sqlFiles } from './migration-files.ts';
import { takeTurn } from './migration-turn.ts';
import { type Blocker, describe, watchBlockers } from './migration-waits.ts';
import { ensureRoles } from './roles.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', 'migrations');

/** Longest wait for a lock. Statements that come after it wait behind it, so this is how long a migration can stop writers. */
const LOCK_TIMEOUT_MS = 3_000;
/** Longer than any index build takes; a server that does not respond must not hold the others for ever. */
const STATEMENT_MS = 24 * 3_600_000;
const MAX_TRIES = 20;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** Receives one line for each try that found a table locked. */
export type Report = (fields: Record<string, unknown>, message: string) => void;

export interface MigrateOptions {
  /** Of a store. Absent while it is not decided: its partitions are made later (platform/db/partitions.ts). */
  environment?: Environment;
  /** Default: standard error. */
  report?: Report;
  lock_timeout_ms?: number;
  max_tries?: number;
  first_wait_ms?: number;
}

/** A migration found its table locked in every try. */
export class MigrationBlocked extends Error {}

/**
 * Migrates one database to the latest schema. Safe to run from many processes at once, and beside a service that is working: no
 * wait for a lock lasts longer than three seconds; after it the migration lets others pass and tries again.
 * @param kind `control`, or `store` for both sandbox and live
 * @throws MigrationBlocked when a session holds a table for minutes; the message names it
 */
export function migrate(url: string, kind: 'control' | 'store', options: MigrateOptions = {}): Promise<void> {
  return migrateFrom(path.join(ROOT, kind), url, options);
}

/** Runs the migrations of a folder, see {@link migrate}. */
export async function migrateFrom(folder: string, url: string, options: MigrateOptions): Promise<void> {
  const client = await connectClient(url, STATEMENT_MS);
  try {
    await ensureRoles(client);
    const wanted = await filesOf(folder);
    if (await isComplete(client, wanted)) return await makeAhead(client, options);
    const report = options.report ?? ((_, message) => console.error(message));
    await takeTurn(client, (message) => report({}, message));
    // Index builds and copies of rows may take hours; only waits for locks are limited.
    await client.query('set statement_timeout = 0');
    await retried(client, url, options, report, (lock_timeout_ms) => run(client, folder, lock_timeout_ms));
    await makeAhead(client, options);
  } finally {
    await client.end();
  }
}

/** Makes the partitions of a store before its first row. Those of a table that is in use are left to the sweep. */
async function makeAhead(client: DbClient, { environment }: MigrateOptions): Promise<void> {
  if (!environment) return;
  try {
    await client.query('select pirogue_make_partitions($1, pirogue_now())', [environment]);
  } catch (error) {
    if (!isLocked(error)) throw error;
  }
}

async function isComplete(client: DbClient, wanted: readonly string[]): Promise<boolean> {
  const names = new Set(await applied(client));
  return wanted.every((name) => names.has(name));
}

async function run(client: DbClient, folder: string, lock_timeout_ms: number): Promise<void> {
  const failures: string[] = [];
  try {
    await runner({
      dbClient: client,
      dir: folder,
      migrationsTable: 'schema_migrations',
      direction: 'up',
      noLock: true,
      verbose: false,
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: sqlFiles(lock_timeout_ms) }],
      // It warns of each file that runs without a transaction.
      logger: { debug() {}, info() {}, warn() {}, error: (text) => failures.push(text) },
    });
  } catch (error) {
    // The statement, and the place in it. A locked table is reported in a line of its own.
    if (!isLocked(error)) for (const text of failures) console.error(text);
    throw error;
  }
}

function isLocked(error: unknown): boolean {
  const code = pgCode(error);
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
}

/** Runs `work` until it meets no locked table. Finished files are not repeated. */
async function retried(
  client: DbClient,
  url: string,
  { lock_timeout_ms = LOCK_TIMEOUT_MS, max_tries = MAX_TRIES, first_wait_ms = FIRST_WAIT_MS }: MigrateOptions,
  report: Report,
  work: (lock_timeout_ms: number) => Promise<void>,
): Promise<void> {
  for (let tries = 1, wait_ms = first_wait_ms; ; tries++, wait_ms = Math.min(wait_ms * 2, MAX_WAIT_MS)) {
    const watch = watchBlockers(client, url, lock_timeout_ms);
    try {
      await work(lock_timeout_ms);
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!isLocked(error)) throw error;
      const blockers = await watch.last();
      if (tries === max_tries) throw blocked(blockers, tries, error);
      report({ tries, blockers }, `a migration waits for a locked table, try ${tries} of ${max_tries}: ${describe(blockers)}`);
    } finally {
      await watch.close();
    }
    await new Promise((resolve) => setTimeout(resolve, wait_ms));
  }
}

function blocked(blockers: readonly Blocker[], tries: number, cause: unknown): MigrationBlocked {
  return new MigrationBlocked(
    `the migration found a table locked in ${tries} tries: ${describe(blockers)}. End that session (select pg_terminate_backend(pid)) or wait for it, then migrate again`,
    { cause },
  );
}
