import { isIP } from 'node:net';
import type { Config } from '../../platform/config/config.ts';
import { isLocalhostName, isLoopbackAddress, isPublicAddress } from '../../kit/addresses.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Guard } from '../../kit/fetch.ts';

/** Returns the guard for deliveries. Loopback is for trying things out: only in the sandbox, and never in production. */
export function guardOf(config: Pick<Config, 'profile'>, environment: Environment): Guard {
  return config.profile === 'development' && environment === 'sandbox' ? 'public_or_loopback' : 'public';
}

/**
 * Validates the URL of an endpoint by its text alone: the address of a name is checked on every connection (kit/guard.ts). The
 * URL parser has already converted every spelling of an IPv4 address (decimal, hex, octal, short, full-width digits) to dotted
 * form.
 * @returns an error message, or null when the URL is acceptable
 */
export function urlFault(text: string, guard: Guard): string | null {
  const url = URL.parse(text);
  // The parser silently drops line breaks and tabs, but the stored URL must be the URL that is called.
  if (!url || /[\s\p{Cc}]/u.test(text)) return 'must be a valid https address';
  if (url.protocol !== 'https:') return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (guard === 'public_or_loopback' && (isLocalhostName(host) || isLoopbackAddress(host))) return null;
  if (isLocalhostName(host) || (isIP(host) !== 0 && !isPublicAddress(host))) {
    return 'must lead to a public host: loopback, private, link-local and metadata addresses are not called';
  }
  return null;
}
