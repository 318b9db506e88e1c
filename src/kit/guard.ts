import dns from 'node:dns';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import tls from 'node:tls';
import type { buildConnector } from 'undici';
import { isLocalhostName, isLoopbackAddress, isPublicAddress } from './addresses.ts';

const load = createRequire(import.meta.url);

/** Resolves a name to all its addresses. Tests inject their own. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** The address or the scheme is not allowed. Nothing was sent. */
export class BlockedError extends Error {}

const CONNECT_MS = 10_000;

// dns.lookup runs in one of libuv's four threads, so four names with unresponsive name servers would block every other
// endpoint. The system resolver is used only when no name server is reachable (nsswitch without DNS).
const resolver = new dns.promises.Resolver({ timeout: 2_000, tries: 2 });

export const resolveName: Resolve = async (hostname) => {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const reason: unknown = answers.find((answer) => answer.status === 'rejected')?.reason;
  if ((reason as { code?: string }).code !== 'ECONNREFUSED') throw reason;
  return (await dns.promises.lookup(hostname, { all: true })).map((entry) => entry.address);
};

/**
 * Opens connections to public addresses only. A literal address is never resolved, so it is checked first. A name is resolved
 * once, rejected unless all its addresses are public, and connected to exactly those addresses, so a second lookup with
 * another result (DNS rebinding) cannot occur. The remote address of the connected socket is checked last.
 * @param resolve finds the addresses of a name
 * @param allowLoopback also allows loopback, without certificate checks (development, sandbox only)
 */
export function guardedConnector(resolve: Resolve, allowLoopback: boolean): buildConnector.connector {
  const buildConnector = load('undici/lib/core/connect.js') as typeof import('undici').buildConnector; // the reason: fetch.ts
  // Shared, because a context for each connection would take a tenth of the CPU of a service that opens many.
  const secureContext = tls.createSecureContext();
  // undici's type of `connect` lacks `lookup`, which is passed on to net.connect.
  const build = (lookup: LookupFunction, rejectUnauthorized: boolean) =>
    buildConnector({
      lookup,
      rejectUnauthorized,
      secureContext,
      allowH2: false,
      timeout: CONNECT_MS,
    } as buildConnector.BuildOptions);
  const toPublic = build(
    lookupIn(async (hostname) => vetted(await resolve(hostname).catch(noAddresses))),
    true,
  );
  const toLoopback = build(
    lookupIn(async () => ['127.0.0.1', '::1']),
    false,
  );
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const local = allowLoopback && (isLocalhostName(host) || isLoopbackAddress(host));
    const blocked = local ? null : blockReason(options.protocol, host);
    if (blocked) return callback(blocked, null);
    const connect = local ? toLoopback : toPublic;
    const allowed = local ? isLoopbackAddress : isPublicAddress;
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      if (allowed(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new BlockedError('the connection reached an address that is not public'), null);
    });
  };
}

function blockReason(protocol: string, host: string): BlockedError | null {
  if (protocol !== 'https:') return new BlockedError('only https is allowed');
  if (isLocalhostName(host)) return new BlockedError('localhost is not a public host');
  if (isIP(host) !== 0 && !isPublicAddress(host)) return new BlockedError('the address is not public');
  return null;
}

/** Returns no addresses for the error of a name that does not exist, and throws every other. */
function noAddresses(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
  throw error;
}

/**
 * Returns the addresses when all are public. The error message contains no address and is the same as for a name that does not
 * exist, so that merchants cannot probe names in our network.
 * @throws BlockedError when there is no address or one is not public
 */
function vetted(addresses: string[]): string[] {
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return addresses;
  throw new BlockedError('the name does not exist, or leads to an address that is not public');
}

function lookupIn(find: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    find(hostname).then(
      (addresses) => {
        const entries = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) return callback(null, entries);
        callback(null, entries[0]?.address ?? '', entries[0]?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
