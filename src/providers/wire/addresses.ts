import type { Environment } from '../../kit/environment.ts';
import { isId } from '../../kit/ids.ts';

// Shared by the adapters whose callbacks do not name our key (mtn-momo, orange-money), and by those that send payers to a
// page (pawapay, orange-money, wave, flutterwave, cinetpay).

/** The attempt or transfer of ours that one of our callback addresses names. */
export function idInAddress(url: string, environment: Environment): string | null {
  const parts = url.split(/[?#]/)[0]?.split('/') ?? [];
  return parts.find((part) => isId('att', environment, part) || isId('po', environment, part)) ?? null;
}

/**
 * A provider's page, as an address a payer can be sent to: https, and plain http only where the provider itself is reached
 * by it, as a twin is. Null for anything else.
 */
export function pageOf(text: unknown, base_url: string): string | null {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && base_url.startsWith('http:')) ? url.href : null;
}
