import type { Config, DatabaseUrls } from '../../platform/config/config.ts';
import { connectClient } from '../../platform/db/client.ts';
import type { Login } from '../../platform/db/embedded/address.ts';
import { DEFAULT_MAX_CONNECTIONS } from '../../platform/db/embedded/settings.ts';
import { type EmbeddedServer, ensureDatabase, startEmbedded } from '../../platform/db/embedded.ts';
import type { Report } from '../../platform/db/lock-tries.ts';
import type { Log } from '../../kit/log.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { ensureRoles, ensureServiceLogin } from '../../platform/db/roles.ts';
import { connectionsOf } from '../../platform/db/stores.ts';

/** Maximum number of processes on one DATA_DIR: two roles, and one process that replaces another. */
const MAX_PROCESSES = 3;
/** Connections for the command line, for operators and for those that PostgreSQL reserves for superusers. */
const SPARE_CONNECTIONS = 20;

/** URLs for migrations and administration (the owner's) and for the service, and a function that stops what was started. */
export interface Databases {
  urls: DatabaseUrls;
  service_urls: DatabaseUrls;
  stop(): Promise<void>;
}

/**
 * Returns the configured databases, or starts the embedded PostgreSQL under DATA_DIR. It joins the server when another process of
 * this installation runs it.
 */
export async function openDatabases(config: Config, log?: Log): Promise<Databases> {
  const given = config.database_urls;
  if (given) return { urls: given, service_urls: given, stop: async () => {} };
  const server = await startEmbedded({
    dataDir: config.data_dir,
    settings: { max_connections: String(maxConnectionsOf(config.database_pool)) },
    ...(log && { log }),
  });
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

/**
 * Returns the number of connections that the processes of a DATA_DIR may open, at least the default, which point-in-time
 * recovery relies on.
 */
function maxConnectionsOf(database_pool: number): number {
  return Math.max(DEFAULT_MAX_CONNECTIONS, MAX_PROCESSES * connectionsOf(database_pool) + SPARE_CONNECTIONS);
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

/** Migrates all three databases to the latest schema, one after the other, because roles are global to the server. */
export async function migrateAll(urls: DatabaseUrls, report?: Report): Promise<void> {
  const options = report ? { report } : {};
  await migrate(urls.control, 'control', options);
  await migrate(urls.sandbox, 'store', { ...options, environment: 'sandbox' });
  await migrate(urls.live, 'store', { ...options, environment: 'live' });
}
