import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { SERVICE_LOGIN } from '../roles.ts';
import { type Account, canEnter, giveTo } from './account.ts';

/** The superuser of the cluster. */
export const SUPERUSER = 'pirogue';

/** Where a server listens: in a folder of its own, or (Windows, where Node has no unix sockets) on a port. */
export interface Address {
  /** the socket folder, or an IP address */
  host: string;
  port: number;
  /** Where the server asks for passwords. */
  passwords?: Record<Login, string>;
}

/** Who connects: the owner (migrations and the command line), or the service. */
export type Login = 'owner' | 'service';

/** A bind address is 107 bytes at most (103 on macOS) and PostgreSQL adds this name. */
const SOCKET_NAME = '/.s.PGSQL.5432';
const SOCKET_LIMIT = 103;

/** A connection URL for `pg`; a folder as host is written percent-encoded, as libpq has it. */
export function connectionUrl(address: Address, database: string, login: Login = 'owner'): string {
  const user = login === 'owner' ? SUPERUSER : SERVICE_LOGIN;
  const credentials = address.passwords ? `${user}:${address.passwords[login]}` : user;
  const host = encodeURIComponent(address.host);
  return `postgresql://${credentials}@${host}:${address.port}/${encodeURIComponent(database)}`;
}

/**
 * The socket folder of a cluster, empty, and closed to everyone but the server's account (and root): who can reach
 * the socket is trusted without a password. Named after the cluster, so that what a crash leaves is found by the next
 * start. The caller has made sure that no server of the cluster is left.
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
  // tmp is everybody's: the name may have been taken by someone who wants to listen in
  const found = fs.lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} should be a private folder of uid ${uid}: remove it`);
  }
  // a killed server leaves a lock file with its pid, which may be another's by now, or a zombie's
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
  return folder;
}

/** Only with the lock in hand: a start may be making it anew. */
export function removeSocketFolder(address: Address): void {
  if (path.isAbsolute(address.host)) fs.rmSync(address.host, { recursive: true, force: true });
}

function socketParent(name: string, account: Account | null): string {
  const candidates = [fs.realpathSync(os.tmpdir()), '/tmp'];
  const fits = (parent: string) =>
    Buffer.byteLength(path.join(parent, name) + SOCKET_NAME) <= SOCKET_LIMIT && (!account || canEnter(account, parent));
  return candidates.find(fits) ?? '/tmp';
}

/** A loopback port that is free now. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
