import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ConfigError } from '../../../kit/config-error.ts';
import { SERVICE_LOGIN } from '../roles.ts';
import { type Account, canEnter, giveTo } from './account.ts';

/** Superuser of the cluster. */
export const SUPERUSER = 'pirogue';

/** Address of a server: a socket folder of its own, or a port (on Windows, where Node has no unix sockets). */
export interface Address {
  /** Socket folder, or an IP address. */
  host: string;
  port: number;
  /** Present when the server requires passwords. */
  passwords?: Record<Login, string>;
}

/** Login of a connection: the owner (migrations and the command line) or the service. */
export type Login = 'owner' | 'service';

/** A socket path is at most 107 bytes (103 on macOS), including the name that PostgreSQL appends. */
const SOCKET_NAME = '/.s.PGSQL.5432';
const SOCKET_LIMIT = 103;

/** Returns a connection URL for `pg`. A folder as host is percent-encoded, as libpq requires. */
export function connectionUrl(address: Address, database: string, login: Login = 'owner'): string {
  const user = login === 'owner' ? SUPERUSER : SERVICE_LOGIN;
  const credentials = address.passwords ? `${user}:${address.passwords[login]}` : user;
  const host = encodeURIComponent(address.host);
  return `postgresql://${credentials}@${host}:${address.port}/${encodeURIComponent(database)}`;
}

/**
 * Prepares the socket folder of a cluster: empty, and accessible only to the server's account (and root), because anyone who
 * can reach the socket is trusted without a password. Its name is derived from the cluster, so that the next start finds what
 * a crash left behind. The caller has made sure that no server of the cluster is running.
 * @throws ConfigError when the path exists and is not a private folder of the account
 */
export function makeSocketFolder(cluster: string, account: Account | null): string {
  const uid = account?.uid ?? process.getuid?.();
  const name = `pirogue-${createHash('sha256').update(`${uid} ${cluster}`).digest('hex').slice(0, 10)}`;
  const folder = path.join(socketParent(name, account), name);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    giveTo(account, folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  // The temporary folder is world-writable: another user may have taken the name to intercept connections.
  const found = fs.lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new ConfigError(`${folder} should be a private folder of uid ${uid}: remove it`);
  }
  // A killed server leaves a lock file with its pid, which may now belong to another process or a zombie.
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
  return folder;
}

/** Removes the socket folder. The caller holds the lock, because another start may be creating the folder. */
export function removeSocketFolder(address: Address): void {
  if (path.isAbsolute(address.host)) fs.rmSync(address.host, { recursive: true, force: true });
}

function socketParent(name: string, account: Account | null): string {
  const candidates = [fs.realpathSync(os.tmpdir()), '/tmp'];
  const fits = (parent: string) =>
    Buffer.byteLength(path.join(parent, name) + SOCKET_NAME) <= SOCKET_LIMIT && (!account || canEnter(account, parent));
  return candidates.find(fits) ?? '/tmp';
}

/** Returns a loopback port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
