import type { FastifyRequest } from 'fastify';
import type { TrustProxy } from '../../platform/config/config.ts';
import { AddressList, plainAddress } from '../../kit/address-list.ts';
import type { Log } from '../../kit/log.ts';

/** Returns whether an address on the route is one of our proxies. Hop 0 is the peer that connected to us. */
type IsProxy = (address: string, hop: number) => boolean;

/**
 * Returns the trust option for Fastify, which walks X-Forwarded-For from the right and takes the first address that is not a
 * trusted proxy.
 */
export function proxyTrust(trusted: TrustProxy): IsProxy | false {
  if (typeof trusted === 'number') return trusted > 0 && ((_, hop) => hop < trusted);
  const list = new AddressList(trusted);
  return (address: string | undefined) => {
    const plain = plainAddress(address ?? '');
    return plain !== null && list.has(plain);
  };
}

/** The address of a caller that has closed its connection, because the socket no longer has it. */
const GONE = '0.0.0.0';

/**
 * Returns the normalised address of the caller; the proxy's own address when the proxy reports something that is not an
 * address; 0.0.0.0 when the connection was closed before the request was handled.
 */
export function clientAddress(request: FastifyRequest): string {
  const ip: string | undefined = request.ip;
  return plainAddress(ip ?? '') ?? plainAddress(request.socket.remoteAddress ?? '') ?? ip ?? GONE;
}

/** Logs one warning when an unconfigured proxy appears to be in front of us, because all its callers would share one limit. */
export function proxyWarning(trusted: TrustProxy, log: Log): (request: FastifyRequest) => void {
  let watching = trusted === 0;
  return ({ headers }) => {
    if (!watching || headers['x-forwarded-for'] === undefined) return;
    watching = false;
    log.warn('X-Forwarded-For is not believed: if a proxy of yours sends it, name it in TRUST_PROXY (docs/limits.md)');
  };
}
