import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';

/** Maximum length of a parsed Host header: more than a DNS name and a port. */
const MAX_HOST = 300;

/** Returns whether a request names the host of CONSOLE_URL, with or without the default port. Always false without CONSOLE_URL. */
export function isAtConsole({ console }: Pick<Config, 'console'>, { headers }: Pick<FastifyRequest, 'headers'>): boolean {
  if (!console || console.host === null || (headers.host?.length ?? 0) > MAX_HOST) return false;
  return URL.parse(`${new URL(console.url).protocol}//${headers.host}`)?.host === console.host;
}

/**
 * Returns whether a request to the console's own host is for anything but the console and the health of the node. A page of payers on
 * that host would have the same access to the sessions as the console itself.
 */
export function isAstray(
  config: Pick<Config, 'console' | 'public_url'>,
  request: Pick<FastifyRequest, 'headers' | 'url'>,
): boolean {
  const apart = config.console?.host !== new URL(config.public_url).host;
  return apart && isAtConsole(config, request) && !/^\/(?:console|health)(?:[/?]|$)/.test(request.url);
}
