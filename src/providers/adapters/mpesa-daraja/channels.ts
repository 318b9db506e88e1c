import type { Offer } from '../contract.ts';

/** The channels of every account. */
export const OFFERS: readonly Offer[] = [
  // Whole shillings. The channel's own limits apply.
  { channel: 'ke.mpesa', currency: 'KES', operations: ['collect'], min_minor: null, max_minor: null, step_minor: 100n },
];
