import type { Offer } from '../contract.ts';

/** Countries with a Wave wallet for which we have a channel. All use one currency. */
export const COUNTRIES = ['sn', 'ci', 'ml', 'bf'] as const;
export const CURRENCY = 'XOF';

/** Returns the channel of a wallet in this country. */
export function channelOf(country: string): string {
  return `${country}.wave`;
}

/** Returns the operations of a wallet, in whole francs. */
export function offersOf(channel: string): readonly Offer[] {
  return [
    {
      ...{ channel, currency: CURRENCY, operations: ['collect', 'payout'] },
      ...{ min_minor: null, max_minor: null, step_minor: 100n },
    },
  ];
}
