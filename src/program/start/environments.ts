import { ConfigError, type DatabaseUrls } from '../../platform/config/config.ts';
import { environmentsIn } from '../../platform/db/partitions.ts';
import { openPool } from '../../platform/db/pool.ts';
import type { Log } from '../../kit/log.ts';

const NAMES = ['control', 'sandbox', 'live'] as const;

/**
 * Rejects database URLs that are exchanged, or that name one database in two spellings: payouts of the sandbox would move real money.
 * @param migrating whether a store may still be empty. The migrations that follow create its partitions, which show its environment
 * @throws ConfigError when a URL is rejected
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
