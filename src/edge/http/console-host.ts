import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';

/** More than a name in the DNS and a port. Longer values of Host are not parsed. */
const MAX_HOST = 300;

/** Whether a request names the host of CONSOLE_URL, with or without the port that its scheme has anyway. Never without CONSOLE_URL. */
export function isAtConsole({ console }: Pick<Config, 'console'>, { headers }: Pick<FastifyRequest, 'headers'>): boolean {
  if (!console || console.host === null || (headers.host?.length ?? 0) > MAX_HOST) return false;
  return URL.parse(`${new URL(console.url).protocol}//${headers.host}`)?.host === console.host;
}

/**
 * Whether a request asks the console's own host for something else than the console and the health of the node. A page of payers that
 * answered there would be as close to the sessions as the console's own.
 */
export function isAstray(
  config: Pick<Config, 'console' | 'public_url'>,
  request: Pick<FastifyRequest, 'headers' | 'url'>,
): boolean {
  const apart = config.console?.host !== new URL(config.public_url).host;
  return apart && isAtConsole(config, request) && !/^\/(?:console|health)(?:[/?]|$)/.test(request.url);
}
