import type { Offer } from '../contract.ts';
import type { Product } from './client.ts';

/** The channels and the currency of one MTN operating company. Its name is the value of `X-Target-Environment`. */
export interface Market {
  /** Our channels it serves. */
  channels: readonly string[];
  currency: string;
  /** USSD code with which the payer opens a pending request when the prompt did not appear, where MTN publishes it. */
  ussd?: string;
}

/**
 * The markets of MTN's Open API whose channels and currencies we know. Eswatini, South Africa, Liberia and South Sudan
 * are not included: we have no `.mtn` channel there.
 */
const REAL: Record<string, Market> = {
  mtncameroon: { channels: ['cm.mtn'], currency: 'XAF', ussd: '*126#' },
  mtnivorycoast: { channels: ['ci.mtn'], currency: 'XOF', ussd: '*133#' },
  mtnbenin: { channels: ['bj.mtn'], currency: 'XOF' },
  mtncongo: { channels: ['cg.mtn'], currency: 'XAF' },
  mtnguineaconakry: { channels: ['gn.mtn'], currency: 'GNF' },
  mtnghana: { channels: ['gh.mtn'], currency: 'GHS', ussd: '*170#' },
  mtnnigeria: { channels: ['ng.mtn'], currency: 'NGN' },
  mtnuganda: { channels: ['ug.mtn'], currency: 'UGX', ussd: '*165#' },
  mtnrwanda: { channels: ['rw.mtn'], currency: 'RWF', ussd: '*182#' },
  mtnzambia: { channels: ['zm.mtn'], currency: 'ZMW' },
};

/** Markets by target environment. MTN's own sandbox has no countries and no currency but EUR. */
export const MARKETS: Readonly<Record<string, Market>> = {
  ...REAL,
  sandbox: { channels: Object.values(REAL).flatMap(({ channels }) => channels), currency: 'EUR' },
};

/** Returns the channels of an account that has these products. */
export function offersOf({ channels, currency }: Market, products: readonly Product[]): Offer[] {
  const operations: Offer['operations'] = [
    ...(products.includes('collection') ? (['collect'] as const) : []),
    ...(products.includes('disbursement') ? (['payout'] as const) : []),
  ];
  if (operations.length === 0) return [];
  // The channels' own limits apply: MTN publishes none.
  return channels.map((channel) => ({ channel, currency, operations, min_minor: null, max_minor: null, step_minor: null }));
}
