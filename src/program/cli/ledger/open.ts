import { readConfig } from '../../../platform/config/config.ts';
import type { Environment } from '../../../kit/environment.ts';
import type { Db } from '../../../kit/sql.ts';
import { withDatabases, withPool } from '../databases.ts';
import { requireMigrations } from '../migrations.ts';

/**
 * Opens the ledger of each of these stores in turn and calls `work` with it.
 * @throws Failure when a store lacks migrations
 */
export function withLedgers(
  environments: readonly Environment[],
  work: (db: Db, environment: Environment) => Promise<void>,
): Promise<void> {
  return withDatabases(readConfig(process.env), async (urls) => {
    for (const environment of environments) {
      await withPool(urls[environment], async (db) => {
        await requireMigrations(db, environment);
        await work(db, environment);
      });
    }
  });
}
