import type { Offer } from '../contract.ts';

/** One operator as served by CinetPay. */
export interface Service {
  channel: string;
  currency: string;
  /** Calling code of its country, without the plus. */
  calling_code: string;
  /** The section of the payment page to open. */
  page: 'MOBILE_MONEY' | 'WALLET';
  /** CinetPay's name of the operator in a transfer. Null where only collections are supported. */
  payment_method: string | null;
}

const CALLING_CODES: Readonly<Record<string, string>> = {
  ...{ ci: '225', sn: '221', ml: '223', tg: '228', bf: '226', cm: '237', gn: '224' },
};

function service(channel: string, currency: string, payment_method: string | null): Service {
  const page = channel.endsWith('.wave') ? 'WALLET' : 'MOBILE_MONEY';
  return { channel, currency, calling_code: CALLING_CODES[channel.slice(0, 2)] ?? '', page, payment_method };
}

/**
 * Labels as seen in CinetPay's notifications. Benin and the Congo are not included, because their labels are not
 * published. Cards are not included either: they require the payer's postal address, which we do not store for this
 * purpose.
 */
const SERVICES: readonly Service[] = [
  service('ci.orange', 'XOF', 'OM'),
  service('ci.mtn', 'XOF', 'MOMO'),
  service('ci.moov', 'XOF', 'FLOOZ'),
  service('ci.wave', 'XOF', 'WAVECI'),
  service('sn.orange', 'XOF', 'OMSN'),
  service('sn.free', 'XOF', 'FREESN'),
  service('sn.expresso', 'XOF', 'EXPRESSOSN'),
  service('sn.wave', 'XOF', 'WAVESN'),
  service('ml.orange', 'XOF', 'OMML'),
  service('ml.moov', 'XOF', 'MOOVML'),
  service('tg.tmoney', 'XOF', 'TMONEYTG'),
  service('tg.moov', 'XOF', 'FLOOZTG'),
  service('bf.orange', 'XOF', 'OMBF'),
  service('bf.moov', 'XOF', 'MOOVBF'),
  service('cm.orange', 'XAF', 'OMCM'),
  service('cm.mtn', 'XAF', 'MTNCM'),
  service('gn.orange', 'GNF', null),
];

const byChannel = new Map(SERVICES.map((one) => [one.channel, one]));

/** Returns the service of a site's currency on a channel, or undefined if there is none. */
export type Serve = (channelId: string, currency: string) => Service | undefined;

/**
 * Returns the channel lookup for one site.
 * @param site the currency of the account's site; a site moves no other currency
 */
export function serving(site: string): Serve {
  return (channelId, currency) => {
    const found = byChannel.get(channelId);
    return currency === site && found?.currency === site ? found : undefined;
  };
}

/** Payment pages accept only multiples of 5 (checkout, initialisation). */
const STEP_MINOR = 5_00n;
/** Amount limits of payment pages. */
const COLLECTED: Readonly<Record<string, { min_minor: bigint; max_minor: bigint }>> = {
  XOF: { min_minor: 100_00n, max_minor: 2_000_000_00n },
  XAF: { min_minor: 100_00n, max_minor: 1_500_000_00n },
  GNF: { min_minor: 1_000_00n, max_minor: 15_000_000_00n },
};
/** Amount limits of transfers (codes 719 and 720). They are published in XOF only; whether others apply in XAF is not known. */
const PAID_OUT = { min_minor: 200_00n, max_minor: 1_500_000_00n };

/** Currencies of a site. Each site moves one currency. */
export const CURRENCIES = Object.keys(COLLECTED);

/** Returns the channels and operations of an account in its currency. */
export function offersIn(currency: string, paysOut: boolean): Offer[] {
  const collected = COLLECTED[currency];
  if (!collected) return [];
  return SERVICES.filter((one) => one.currency === currency).flatMap(({ channel, payment_method }): Offer[] => [
    { channel, currency, operations: ['collect'], ...collected, step_minor: STEP_MINOR },
    ...(paysOut && payment_method !== null
      ? [{ channel, currency, operations: ['payout'] as const, ...PAID_OUT, step_minor: STEP_MINOR }]
      : []),
  ]);
}

/** Returns whether a payment page accepts this amount. */
export function isCollectable(currency: string, amount_minor: bigint): boolean {
  const bounds = COLLECTED[currency];
  return !!bounds && amount_minor >= bounds.min_minor && amount_minor <= bounds.max_minor && amount_minor % STEP_MINOR === 0n;
}
