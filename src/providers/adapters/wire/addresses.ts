import type { Environment } from '../../../kit/environment.ts';
import { isId } from '../../../kit/ids.ts';

// Shared by the adapters whose callbacks do not name our key (mtn-momo, orange-money), and by those that send payers to a
// page (pawapay, orange-money, wave, flutterwave, cinetpay).

/** Returns the id of the attempt or payout in one of our callback addresses, or null if there is none. */
export function idInAddress(url: string, environment: Environment): string | null {
  const parts = url.split(/[?#]/)[0]?.split('/') ?? [];
  return parts.find((part) => isId('att', environment, part) || isId('po', environment, part)) ?? null;
}

/**
 * Returns the address of a provider's page to which a payer can be redirected, or null. It must be https. Plain http
 * is accepted only where the provider itself is reached over http, as a simulator is.
 */
export function pageOf(text: unknown, base_url: string): string | null {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && base_url.startsWith('http:')) ? url.href : null;
}
