import path from 'node:path';
import type { Environment } from '../../kit/environment.ts';
import { connectClient, type DbClient, endWhenAbandoned } from './client.ts';
import { isLocked, type LockTries, triedAgain } from './lock-tries.ts';
import { applied, filesOf, sqlFiles } from './migration-files.ts';
import { takeTurn } from './migration-turn.ts';
import { requireNoConversion } from './partitioning/progress.ts';
import { ensureRoles } from './roles.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', 'migrations');

/** Longer than any index build takes; a server that does not respond must not hold the others for ever. */
const STATEMENT_MS = 24 * 3_600_000;

export interface MigrateOptions extends LockTries {
  /** Environment of a store. Absent while it is not decided: the partitions are made later (platform/db/partitions.ts). */
  environment?: Environment;
}

/**
 * Migrates one database to the latest schema. Safe to run from many processes at once, and while the service is running: no wait
 * for a lock lasts longer than three seconds; then the migration lets waiting statements run and tries again.
 * @param kind `control`, or `store` for both sandbox and live
 * @throws TableBlocked when a session holds a table for minutes; the message names it
 * @throws Error when `pirogue partition` has begun with a table and not finished
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
    // Checked before waiting too, because a conversion may take days.
    await requireNoConversion(client);
    await takeTurn(client, (message) => report({}, message));
    await requireNoConversion(client);
    // Index builds and copies of rows may take hours; only waits for locks are limited.
    await client.query('set statement_timeout = 0');
    await endWhenAbandoned(client);
    await triedAgain(client, url, 'migration', { ...options, report }, (lock_timeout_ms) => run(client, folder, lock_timeout_ms));
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
  const { runner } = await import('node-pg-migrate'); // loaded on first use, because most starts find nothing to migrate
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
      // Its warnings are dropped: it warns of each file that runs without a transaction.
      logger: { debug() {}, info() {}, warn() {}, error: (text) => failures.push(text) },
    });
  } catch (error) {
    // The texts have the statement and the position in it. A locked table is reported separately.
    if (!isLocked(error)) for (const text of failures) console.error(text);
    throw error;
  }
}
