import path from 'node:path';
import pg from 'pg';
import { ConfigError } from '../../kit/config-error.ts';
import type { Log } from '../../kit/log.ts';
import { pgCode } from '../../kit/sql.ts';
import { connectClient } from './client.ts';
import { type Address, connectionUrl, type Login } from './embedded/address.ts';
import { runnableBinaries } from './embedded/binaries.ts';
import { ensureCluster, readPasswords } from './embedded/cluster.ts';
import { type FileLock, tryLock } from './embedded/lock.ts';
import { findPlace, type Place } from './embedded/place.ts';
import { readyPostmaster } from './embedded/postmaster.ts';
import { clearLeftover, startServer } from './embedded/server.ts';
import { waitFor } from './embedded/wait.ts';

/** Longer than a start may take, because the owner may be replaying the log. */
const JOIN_LIMIT_MS = 320_000;
const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

export interface EmbeddedOptions {
  /** Data folder, created if missing. It has one cluster, however many processes use it. */
  dataDir: string;
  /** False for tests: fast, but a power failure corrupts the data. */
  durable?: boolean;
  /** Additional settings of postgresql.conf; they take precedence. */
  settings?: Record<string, string>;
  /** Receives a line when the server ends by itself, and when it is started again. */
  log?: Log;
}

export interface EmbeddedServer {
  /** Returns the connection URL of a database for `pg`: a unix socket, TCP only on Windows. Default login: the owner. */
  url(database: string, login?: Login): string;
  /** Password of the service's login, when the server requires one. */
  service_password: string | undefined;
  /** False when another process owns the server and this process joined it: the server stops with its owner. */
  owned: boolean;
  /** Process id of the server; another one after it ended by itself and was started again. */
  readonly pid: number;
  data_dir: string;
  /** Stops the server when this process owns it; otherwise does nothing. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL from the npm packages on the cluster under `dataDir`, and creates the cluster if there is none. The
 * first process owns the server; later processes join it. The server stops with its owner, even on kill -9. When the server ends
 * by itself, its owner starts it again at the same address.
 * @throws ConfigError when the server does not become ready in time
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const place = findPlace(options.dataDir);
  // The owner may exit while this process waits for its server, so both paths are retried.
  const found = await waitFor(() => tryLock(`${place.cluster}.lock`) ?? join(place), JOIN_LIMIT_MS);
  if (!found) throw new ConfigError(`the process that runs the database in ${place.home} did not get it ready`);
  return 'release' in found ? own(place, found, options) : found;
}

/** Creates a database on the server unless it exists. */
export async function ensureDatabase(server: Pick<EmbeddedServer, 'url'>, name: string): Promise<void> {
  const client = await connectClient(server.url('postgres'));
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) {
      await client.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`);
    }
  } catch (error) {
    // Another process created it between the query and the command.
    const code = pgCode(error);
    if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error;
  } finally {
    await client.end();
  }
}

async function own(place: Place, lock: FileLock, options: EmbeddedOptions): Promise<EmbeddedServer> {
  try {
    const { durable = true, settings = {}, log } = options;
    const binaries = await runnableBinaries(place);
    await ensureCluster(place, binaries, durable);
    await clearLeftover(place, binaries);
    const server = await startServer({ place, binaries, durable, settings, log });
    let stopped: Promise<void> | undefined;
    return {
      url: (database, login) => connectionUrl(server.address, database, login),
      service_password: server.address.passwords?.service,
      owned: true,
      get pid() {
        return server.pid;
      },
      data_dir: path.dirname(place.entry),
      stop: () => (stopped ??= server.stop().finally(() => lock.release())),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function join(place: Place): EmbeddedServer | null {
  const server = readyPostmaster(place.cluster);
  if (!server) return null;
  const onTcp = process.platform === 'win32';
  const address: Address = onTcp
    ? { host: '127.0.0.1', port: server.port, passwords: readPasswords(place) }
    : { host: server.socketDir, port: server.port };
  return {
    url: (database, login) => connectionUrl(address, database, login),
    service_password: address.passwords?.service,
    owned: false,
    pid: server.pid,
    data_dir: path.dirname(place.entry),
    stop: async () => {},
  };
}
