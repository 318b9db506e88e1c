import { readConfig } from '../../../platform/config/config.ts';
import type { Environment } from '../../../kit/environment.ts';
import type { Db } from '../../../kit/sql.ts';
import { withDatabases, withPool } from '../databases.ts';
import { Failure } from '../failure.ts';
import { missingMigrations } from '../migrations.ts';

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
        const missing = await missingMigrations(db, 'store');
        if (missing.length > 0)
          throw new Failure(`the ${environment} store lacks ${missing.join(', ')}`, 'Run "pirogue migrate" first.');
        await work(db, environment);
      });
    }
  });
}
