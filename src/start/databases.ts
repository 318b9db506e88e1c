import type { Config, DatabaseUrls } from '../config.ts';
import { connectClient } from '../db/client.ts';
import type { Login } from '../db/embedded/address.ts';
import { type EmbeddedServer, ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { ensureRoles, ensureServiceLogin } from '../db/roles.ts';

/** Addresses for migrations and administration (the owner's) and for the service, and how to let go of what was started. */
export interface Databases {
  urls: DatabaseUrls;
  service_urls: DatabaseUrls;
  stop(): Promise<void>;
}

/** The databases of the configuration, or our own PostgreSQL under DATA_DIR; joined when another process of ours runs it. */
export async function openDatabases(config: Config): Promise<Databases> {
  const given = config.database_urls;
  if (given) return { urls: given, service_urls: given, stop: async () => {} };
  const server = await startEmbedded({ dataDir: config.data_dir });
  const names = { control: 'pirogue_control', sandbox: 'pirogue_sandbox', live: 'pirogue_live' };
  for (const name of Object.values(names)) await ensureDatabase(server, name);
  await ensureLogin(server);
  const urlsOf = (login: Login): DatabaseUrls => ({
    control: server.url(names.control, login),
    sandbox: server.url(names.sandbox, login),
    live: server.url(names.live, login),
  });
  return {
    urls: urlsOf('owner'),
    service_urls: urlsOf('service'),
    stop: () => server.stop(),
  };
}

async function ensureLogin(server: EmbeddedServer): Promise<void> {
  const client = await connectClient(server.url('postgres'));
  try {
    await ensureRoles(client);
    await ensureServiceLogin(client, server.service_password);
  } finally {
    await client.end();
  }
}

/** Brings all three databases to the newest schema; one after the other, because roles belong to the whole server. */
export async function migrateAll(urls: DatabaseUrls): Promise<void> {
  await migrate(urls.control, 'control');
  await migrate(urls.sandbox, 'store');
  await migrate(urls.live, 'store');
}
