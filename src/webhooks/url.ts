import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { isLocalhostName, isLoopbackAddress, isPublicAddress } from '../kit/addresses.ts';
import type { Environment } from '../kit/environment.ts';
import type { Guard } from '../kit/fetch.ts';

/** Loopback is for trying things out: only where no real money is, and never in production. */
export function guardOf(config: Pick<Config, 'profile'>, environment: Environment): Guard {
  return config.profile === 'development' && environment === 'sandbox' ? 'public_or_loopback' : 'public';
}

/**
 * What is wrong with the address of an endpoint; null when nothing is. Only what the text itself shows: where a name
 * leads is checked on every connection (kit/guard.ts). The URL parser has turned every disguise of an IPv4 address
 * (decimal, hex, octal, short, full-width digits) into dotted form before we look.
 */
export function urlFault(text: string, guard: Guard): string | null {
  const url = URL.parse(text);
  // The parser drops line breaks and tabs without a word; what is stored must be what is called.
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
