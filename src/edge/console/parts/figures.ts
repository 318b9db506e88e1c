import { BUCKETS } from '../../../core/balance/schema.ts';
import type { Texts } from '../language.ts';

/** The figures of GET /balance, in their order. */
export const FIGURES = ['total', ...BUCKETS] as const;

export type Figure = (typeof FIGURES)[number];

/** Names of the figures, the same on every page. */
export const FIGURE_NAMES: Texts<Record<Figure, string>> = {
  en: {
    total: 'Total',
    available: 'Available',
    pending: 'Pending',
    reserved: 'Reserved for payouts',
    hold: 'On hold',
    disputed: 'Disputed',
    'in.transit': 'In transit',
    credit: 'Advance',
  },
  fr: {
    total: 'Total',
    available: 'Disponible',
    pending: 'En attente',
    reserved: 'Réservé aux virements',
    hold: 'En suspens',
    disputed: 'En litige',
    'in.transit': 'En transit',
    credit: 'Avance',
  },
};
