import type { Clock } from '../../../kit/clock.ts';
import type { Provider } from '../contract.ts';
import { collections } from './collect.ts';
import { payouts } from './payout.ts';
import { refunds } from './refund.ts';

const NAME = 'sandbox';

/**
 * Returns the provider of test mode. It stores no state and sets no timer. The outcome of an attempt follows from its
 * number, its submission time and the clock, so a restart changes nothing.
 * @param options.delay_ms how long an operation stays pending
 */
export function sandboxProvider(options: { clock: Clock; delay_ms: number }): Provider {
  const { clock, delay_ms } = options;
  return {
    name: NAME,
    account_id: NAME,
    capabilities: {
      idempotency: 'replays',
      readable_by: 'ours',
      polls: { first_ms: delay_ms, factor: 2, max_ms: 60_000 },
      not_found_grace_ms: 600_000,
    },
    offers: () => null,
    keyOf: (id) => id,
    ...collections(clock, delay_ms),
    payouts: payouts(clock, delay_ms),
    refunds: refunds(),
  };
}
