import type { Offer } from '../contract.ts';

/** One operator as CinetPay serves it. */
export interface Service {
  channel: string;
  currency: string;
  /** Of its country, without the plus. */
  calling_code: string;
  /** Which part of the payment page opens. */
  page: 'MOBILE_MONEY' | 'WALLET';
  /** What CinetPay calls the operator in a transfer; null: it is only collected from. */
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
 * Labels as seen in its notifications. Left out: Benin and the Congo, whose labels nobody has published. Cards are left out
 * too: they want the payer's postal address, which we do not keep for it.
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

/** What a site of this currency does on a channel. */
export type Serve = (channelId: string, currency: string) => Service | undefined;

/** @param site the currency of the account's site, which moves no other */
export function serving(site: string): Serve {
  return (channelId, currency) => {
    const found = byChannel.get(channelId);
    return currency === site && found?.currency === site ? found : undefined;
  };
}

/** A page takes multiples of 5 only (checkout, initialisation). */
const STEP_MINOR = 5_00n;
/** What a page takes, and what a transfer may be where that is published (719 and 720 of its codes). */
const COLLECTED: Readonly<Record<string, { min_minor: bigint; max_minor: bigint }>> = {
  XOF: { min_minor: 100_00n, max_minor: 2_000_000_00n },
  XAF: { min_minor: 100_00n, max_minor: 1_500_000_00n },
  GNF: { min_minor: 1_000_00n, max_minor: 15_000_000_00n },
};
const PAID_OUT: typeof COLLECTED = { XOF: { min_minor: 200_00n, max_minor: 1_500_000_00n } };
const UNBOUND = { min_minor: null, max_minor: null };

/** A site moves one currency. */
export const CURRENCIES = Object.keys(COLLECTED);

/** What an account takes in its currency. */
export function offersIn(currency: string, paysOut: boolean): Offer[] {
  return SERVICES.filter((one) => one.currency === currency).flatMap(({ channel, payment_method }): Offer[] => [
    { channel, currency, operations: ['collect'], ...(COLLECTED[currency] ?? UNBOUND), step_minor: STEP_MINOR },
    ...(paysOut && payment_method !== null
      ? [{ channel, currency, operations: ['payout'] as const, ...(PAID_OUT[currency] ?? UNBOUND), step_minor: STEP_MINOR }]
      : []),
  ]);
}

/** Whether a page takes this amount. */
export function isCollectable(currency: string, amount_minor: bigint): boolean {
  const bounds = COLLECTED[currency];
  return !!bounds && amount_minor >= bounds.min_minor && amount_minor <= bounds.max_minor && amount_minor % STEP_MINOR === 0n;
}
