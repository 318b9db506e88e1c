import { readConfig } from '../../../platform/config/config.ts';
import type { Environment } from '../../../kit/environment.ts';
import type { Db } from '../../../kit/sql.ts';
import { explain, explanationOf } from '../../../providers/routing/explain.ts';
import { withDatabases, withPool } from '../databases.ts';
import { requireMigrations } from '../migrations.ts';

/**
 * Opens a store for `work`.
 * @throws Failure when it lacks migrations
 */
export function inStore<T>(environment: Environment, work: (db: Db) => Promise<T>): Promise<T> {
  return withDatabases(readConfig(process.env), (urls) =>
    withPool(urls[environment], async (db) => {
      await requireMigrations(db, environment);
      return work(db);
    }),
  );
}

/** Returns the stored explanation of the routing decision, in sentences. */
export function whyLines(decision: unknown): string[] {
  const explanation = explanationOf(decision);
  return explanation ? explain(explanation) : ['The reason was not recorded.'];
}
