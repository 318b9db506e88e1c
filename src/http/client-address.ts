import type { FastifyRequest } from 'fastify';
import type { TrustProxy } from '../config.ts';
import { AddressList, plainAddress } from '../kit/address-list.ts';
import type { Log } from '../kit/log.ts';

/** Tells of each address on the way, the nearest (hop 0: who connected to us) first, whether it is a proxy of ours. */
type IsProxy = (address: string, hop: number) => boolean;

/** For Fastify, which walks X-Forwarded-For from the right and takes the first address that is no proxy of ours. */
export function proxyTrust(trusted: TrustProxy): IsProxy | false {
  if (typeof trusted === 'number') return trusted > 0 && ((_, hop) => hop < trusted);
  const list = new AddressList(trusted);
  return (address) => {
    const plain = plainAddress(address);
    return plain !== null && list.has(plain);
  };
}

/** The calling address in its one spelling; where a proxy names something else, the proxy's own. */
export function clientAddress(request: FastifyRequest): string {
  return plainAddress(request.ip) ?? plainAddress(request.socket.remoteAddress ?? '') ?? request.ip;
}

/** Says once that a proxy seems to stand in front of us which nobody told us of: all its callers share one limit. */
export function proxyWarning(trusted: TrustProxy, log: Log): (request: FastifyRequest) => void {
  let watching = trusted === 0;
  return ({ headers }) => {
    if (!watching || headers['x-forwarded-for'] === undefined) return;
    watching = false;
    log.warn('X-Forwarded-For is not believed: if a proxy of yours sends it, name it in TRUST_PROXY (docs/limits.md)');
  };
}
