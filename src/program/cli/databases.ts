import { type Config, type DatabaseUrls, readConfig } from '../../platform/config/config.ts';
import { openPool } from '../../platform/db/pool.ts';
import { createLog } from '../../kit/log.ts';
import type { Db } from '../../kit/sql.ts';
import { migrateAll, openDatabases } from '../start/databases.ts';
import { takeStartLock } from '../start/start-lock.ts';
import { absentDatabase } from './absent-database.ts';
import { commandClock } from './command-clock.ts';
import { describeDatabaseError } from '../database-errors.ts';
import { Failure } from './failure.ts';
import { requireMigrations } from './migrations.ts';
import { appliedMigrations } from './store.ts';

const STATEMENT_MS = 600_000;

/** What a command does where DATA_DIR has no embedded database. With a new one, a command that only reads would find no data. */
export interface Opening {
  /** Creates one. Default: it is an error. */
  create?: boolean;
}

/**
 * Opens the three databases for `work`: those of the configuration, or the embedded ones, which are started and stopped
 * unless they already run.
 * @throws Failure when a database cannot be used
 */
export async function withDatabases<T>(
  config: Config,
  work: (urls: DatabaseUrls) => Promise<T>,
  { create = false }: Opening = {},
): Promise<T> {
  const absent = config.database_urls || create ? null : absentDatabase(config.data_dir);
  // A database that is gone or partly restored is rejected when it is opened, for every command.
  if (absent?.kind === 'none') throw new Failure(absent.message, absent.advice);
  const startLock = config.database_urls ? null : await takeStartLock(config.data_dir).catch(lockFailure);
  try {
    const databases = await openDatabases(config).catch((error: Error) => {
      const reason = describeDatabaseError(error) ?? error.message;
      throw new Failure(`the database cannot be used: ${reason}`, 'Run "pirogue doctor" to find the cause.', { cause: error });
    });
    try {
      return await work(databases.urls);
    } finally {
      await databases.stop();
    }
  } finally {
    startLock?.release();
  }
}

function lockFailure(error: Error): never {
  throw new Failure(error.message, 'Run this as the user who runs the service, or set DATA_DIR.', { cause: error });
}

/** Opens a pool as the owner of the database, because the service's role can only read teams and keys. */
export async function withPool<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const pool = openPool({ url, size: 1, statement_ms: STATEMENT_MS, log: createLog({ level: 'silent', format: 'json' }) });
  try {
    await commandClock.follow(pool);
    return await work(pool);
  } finally {
    await pool.close();
  }
}

/** Migrates all three databases on a first run, when control is empty. MIGRATE_ON_START=off leaves that to `migrate`. */
export async function migrateFirst({ migrate_on_start }: Config, urls: DatabaseUrls, control: Db): Promise<void> {
  if (migrate_on_start && (await appliedMigrations(control)).length === 0) await migrateAll(urls);
}

/**
 * Opens the control database for `work`. Migrates all three databases first when it is empty.
 * @throws Failure when it lacks migrations
 */
export function withControl<T>(work: (control: Db) => Promise<T>, opening: Opening = {}): Promise<T> {
  const config = readConfig(process.env);
  const inControl = (urls: DatabaseUrls) =>
    withPool(urls.control, async (control) => {
      await migrateFirst(config, urls, control);
      await requireMigrations(control, 'control');
      return work(control);
    });
  return withDatabases(config, inControl, opening);
}
