import type { Offer } from '../../contract.ts';

/** The channel of every account, in whole francs. */
export const OFFERS: readonly Offer[] = [
  {
    ...{ channel: 'cm.orange', currency: 'XAF', operations: ['collect'] },
    ...{ min_minor: null, max_minor: null, step_minor: 100n },
  },
];
