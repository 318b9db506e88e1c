import { STORE_ENTRIES } from '../../../core/payments/sealed-store.ts';
import { CONTROL_ENTRIES } from '../../../tenants/audit/chains.ts';
import type { Chain } from '../../../platform/chain/store.ts';
import { type DatabaseUrls, readConfig } from '../../../platform/config/config.ts';
import type { Db } from '../../../kit/sql.ts';
import { withDatabases, withPool } from '../databases.ts';
import { requireMigrations } from '../migrations.ts';

export type DatabaseName = keyof DatabaseUrls;

export const DATABASES: readonly DatabaseName[] = ['control', 'sandbox', 'live'];

export interface Trail {
  db: Db;
  database: DatabaseName;
  chain: Chain;
}

/**
 * Opens the audit trail of each of these databases in turn and calls `work` with it.
 * @throws Failure when a database is not migrated
 */
export function withTrails(databases: readonly DatabaseName[], work: (trail: Trail) => Promise<void>): Promise<void> {
  return withDatabases(readConfig(process.env), async (urls) => {
    for (const database of databases) {
      const chain = database === 'control' ? CONTROL_ENTRIES : STORE_ENTRIES;
      await withPool(urls[database], async (db) => {
        await requireMigrations(db, database);
        await work({ db, database, chain });
      });
    }
  });
}
