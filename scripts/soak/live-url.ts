import type { Guard } from '../../src/kit/fetch.ts';

export { urlFault } from '../../src/money/webhooks/url.ts';

/** Allows live deliveries to loopback: the receiver of the soak is on this machine. */
export function guardOf(): Guard {
  return 'public_or_loopback';
}
