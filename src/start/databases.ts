import type { Config, DatabaseUrls } from '../config.ts';
import { ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';

/** Addresses as the owner (for migrations and administration), and how to let go of what was started. */
export interface Databases {
  urls: DatabaseUrls;
  stop(): Promise<void>;
}

/** The databases of the configuration, or our own PostgreSQL under DATA_DIR; joined when another process of ours runs it. */
export async function openDatabases(config: Config): Promise<Databases> {
  if (config.database_urls) return { urls: config.database_urls, stop: async () => {} };
  const server = await startEmbedded({ dataDir: config.data_dir });
  const names = { control: 'pirogue_control', sandbox: 'pirogue_sandbox', live: 'pirogue_live' };
  for (const name of Object.values(names)) await ensureDatabase(server, name);
  return {
    urls: { control: server.url(names.control), sandbox: server.url(names.sandbox), live: server.url(names.live) },
    stop: () => server.stop(),
  };
}

/** Brings all three databases to the newest schema; one after the other, because roles belong to the whole server. */
export async function migrateAll(urls: DatabaseUrls): Promise<void> {
  await migrate(urls.control, 'control');
  await migrate(urls.sandbox, 'store');
  await migrate(urls.live, 'store');
}
