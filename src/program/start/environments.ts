import { ConfigError, type DatabaseUrls } from '../../platform/config/config.ts';
import { environmentsIn } from '../../platform/db/partitions.ts';
import { openPool } from '../../platform/db/pool.ts';
import type { Log } from '../../kit/log.ts';

const NAMES = ['control', 'sandbox', 'live'] as const;

/**
 * Rejects database URLs that are exchanged or name one database in two spellings: what the sandbox pays out would move real money.
 * @param migrating a store may still be empty: the migrations that follow make its tables, and its partitions, which show its environment
 * @throws ConfigError
 */
export async function requireEnvironments(urls: DatabaseUrls, migrating: boolean, log: Log): Promise<void> {
  const databases = await Promise.all(
    NAMES.map(async (name) => {
      const pool = openPool({ url: urls[name], size: 1, log });
      return { name, found: await environmentsIn(pool).finally(() => pool.close()) };
    }),
  );
  for (const { name, found } of databases) {
    const variable = `${name.toUpperCase()}_DATABASE_URL`;
    if (!found && name !== 'control' && !migrating) {
      throw new ConfigError(
        `${variable} names a database without the tables of a store: correct it, or run "pirogue migrate" first`,
      );
    }
    const other = found?.find((one) => one !== name);
    if (other) {
      throw new ConfigError(
        `${variable} names the database of the ${other} environment: two database URLs are exchanged, or name one database`,
      );
    }
  }
}
