import { type Address, freePort, makeSocketFolder } from './address.ts';
import { readPasswords } from './cluster.ts';
import type { Place } from './place.ts';

// Error texts contain values ("Key (email)=(…) already exists") and statements, which must not reach a log file. The client
// receives them anyway, so the server logs only its own events.
const LOGGING = {
  logging_collector: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

/**
 * Three processes with the default DATABASE_POOL, 52 connections each (two serving and one that replaces another), and 20 for
 * the command line, operators and what PostgreSQL reserves.
 */
export const DEFAULT_MAX_CONNECTIONS = 176;

/** Room for all tables that `pirogue partition` divides into 8 partitions: a statement locks each partition and its indexes. */
const MAX_LOCKS = '256';

// PostgreSQL's own durability defaults are kept.
const DURABLE = {
  max_connections: String(DEFAULT_MAX_CONNECTIONS),
  max_locks_per_transaction: MAX_LOCKS,
  shared_buffers: '128MB',
  // Without statistics, PostgreSQL may look up a row of a new table by any index that begins with the team, and then reads all rows of
  // the team. Autovacuum gathers statistics at its next visit, by default within a minute: a new shop would be slow for that long.
  autovacuum_naptime: '5s',
  // At 100 payments a second, the default of 1 GB forces a checkpoint every 75 s, and the first change of each page after a checkpoint
  // writes the whole page to the log. With 4 GB a checkpoint comes every five minutes. Under less load the log never grows that large.
  max_wal_size: '4GB',
};

// Every test file has its own pools.
const THROWAWAY = {
  max_connections: '300',
  max_locks_per_transaction: MAX_LOCKS,
  shared_buffers: '128MB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/** Chooses the address for the next server: the previous one if there was one, because the pools of other processes reconnect to it. */
export async function chooseAddress(place: Place, before?: Address): Promise<Address> {
  if (process.platform !== 'win32') return { host: makeSocketFolder(place.cluster, place.account), port: 5432 };
  return { host: '127.0.0.1', port: before?.port ?? (await freePort()), passwords: readPasswords(place) };
}

/** Returns the arguments of `postgres`. */
export function serverArguments(cluster: string, address: Address, durable: boolean, extra: Record<string, string>): string[] {
  const onTcp = address.passwords !== undefined;
  const settings = {
    listen_addresses: onTcp ? address.host : '',
    unix_socket_directories: onTcp ? '' : address.host,
    unix_socket_permissions: '0700',
    port: String(address.port),
    timezone: 'UTC',
    ...LOGGING,
    ...(durable ? DURABLE : THROWAWAY),
    ...extra,
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
