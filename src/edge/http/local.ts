import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { plainAddress } from '../../kit/address-list.ts';
import { isLocalhostName, isLoopbackAddress } from '../../kit/addresses.ts';

/** Headers with which proxies and tunnels report the sender of a request. A browser sends none of them. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Returns whether a request comes from a browser on this machine that requested an address of this machine. The peer alone proves
 * nothing: with DNS rebinding, the page of another site reaches a loopback address under that site's own name, which is then in the
 * Host header. A proxy or tunnel on this machine connects from loopback too. nginx with its default configuration reports no sender
 * and sends a loopback Host, but uses HTTP/1.0, which no browser does.
 */
export function isLocal({ public_url }: Pick<Config, 'public_url'>, { headers, raw, socket }: FastifyRequest): boolean {
  const { host } = headers;
  if (raw.httpVersion === '1.0' || FORWARDED.some((name) => headers[name] !== undefined) || typeof host !== 'string')
    return false;
  const address = plainAddress(socket.remoteAddress ?? '');
  if (address === null || !isLoopback(address)) return false;
  return isLoopback(host.replace(/:\d{1,5}$/, '')) && isLoopback(new URL(public_url).hostname);
}

function isLoopback(host: string): boolean {
  const address = plainAddress(host);
  return address === null ? isLocalhostName(host) : isLoopbackAddress(address);
}
