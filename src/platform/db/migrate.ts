import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { connectClient } from './client.ts';
import { ensureRoles } from './roles.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'migrations');

/**
 * Migrates one database to the latest schema. Safe to run from many processes at once (advisory lock). A database that is up
 * to date costs one query.
 * @param kind `control`, or `store` for both sandbox and live
 */
export async function migrate(url: string, kind: 'control' | 'store'): Promise<void> {
  const client = await connectClient(url);
  try {
    await ensureRoles(client);
    await runner({
      dbClient: client,
      dir: path.join(root, kind),
      migrationsTable: 'schema_migrations',
      direction: 'up',
      advisoryLockMode: 'wait',
      verbose: false,
      logger: { debug() {}, info() {}, warn: console.error, error: console.error },
    });
  } finally {
    await client.end();
  }
}
