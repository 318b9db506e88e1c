import { decimalsOf } from '../../../kit/money.ts';
import type { Offer } from '../contract.ts';

/** The collection method of a channel. Card numbers never reach us: the payer enters them on Flutterwave's page. */
export type Way =
  | { kind: 'page' }
  /** A bank account that is opened for this one payment. */
  | { kind: 'account' }
  /** `type` is the charge type. `fields` are the additional fields of this type. */
  | { kind: 'prompt'; type: string; fields: Readonly<Record<string, string>> };

interface Route {
  channel: string;
  currency: string;
  /** Null: payouts only. */
  way: Way | null;
  /** `account_bank` of a transfer. `recipient`: the recipient's bank code. Null: no payouts. */
  bank: string | null;
}

const PAGE: Way = { kind: 'page' };
const ACCOUNT: Way = { kind: 'account' };

function prompt(type: string, network?: string, country?: string): Way {
  return { kind: 'prompt', type, fields: { ...(network ? { network } : {}), ...(country ? { country } : {}) } };
}

function wallet(channel: string, currency: string, way: Way | null, bank: string | null): Route {
  return { channel, currency, way, bank };
}

function franco(channel: string, currency: string, network: string, bank: string | null): Route {
  return wallet(channel, currency, prompt('mobile_money_franco', network, channel.slice(0, 2).toUpperCase()), bank);
}

/** Countries whose cards are charged in the national currency. */
const CARDS: Readonly<Record<string, string>> = {
  ...{ cm: 'XAF', ci: 'XOF', sn: 'XOF', bf: 'XOF', ng: 'NGN', gh: 'GHS', ke: 'KES', ug: 'UGX', rw: 'RWF', tz: 'TZS' },
  ...{ zm: 'ZMW', za: 'ZAR', us: 'USD', fr: 'EUR', gb: 'GBP' },
};

/**
 * Our channels in Flutterwave's guides: Mobile Money; Mobile Money Transfer, supported networks (the page of October
 * 2026 for Côte d'Ivoire and Ghana, of September 2026 for the others). Burkina Faso has no payouts: it is in neither
 * page.
 */
const ROUTES: readonly Route[] = [
  franco('cm.mtn', 'XAF', 'MTN', 'MTN'),
  franco('cm.orange', 'XAF', 'ORANGEMONEY', 'ORANGEMONEY'),
  // FMM is assumed to be MTN, the only one of the three operators without a code of its own name.
  franco('ci.mtn', 'XOF', 'MTN', 'FMM'),
  franco('ci.orange', 'XOF', 'ORANGEMONEY', 'orangemoney'),
  franco('ci.moov', 'XOF', 'MOOV', 'Moov'),
  franco('sn.orange', 'XOF', 'ORANGEMONEY', 'ORANGEMONEY'),
  franco('bf.orange', 'XOF', 'ORANGEMONEY', null),
  wallet('gh.mtn', 'GHS', prompt('mobile_money_ghana', 'MTN'), 'MTN'),
  wallet('gh.at', 'GHS', prompt('mobile_money_ghana', 'TIGO'), 'AIRTELTIGO'),
  wallet('gh.telecel', 'GHS', prompt('mobile_money_ghana', 'VODAFONE'), 'VODAFONE'),
  wallet('ke.mpesa', 'KES', prompt('mpesa'), 'MPS'),
  wallet('ug.mtn', 'UGX', prompt('mobile_money_uganda', 'MTN'), 'MTN'),
  wallet('ug.airtel', 'UGX', prompt('mobile_money_uganda', 'AIRTEL'), 'AIRTEL'),
  wallet('tz.vodacom', 'TZS', prompt('mobile_money_tanzania', 'VODACOM'), 'VODACOM'),
  wallet('tz.tigo', 'TZS', prompt('mobile_money_tanzania', 'TIGO'), 'TIGO'),
  wallet('tz.airtel', 'TZS', prompt('mobile_money_tanzania', 'AIRTEL'), 'AIRTEL'),
  wallet('tz.halotel', 'TZS', prompt('mobile_money_tanzania', 'HALOPESA'), 'HALOPESA'),
  wallet('rw.mtn', 'RWF', prompt('mobile_money_rwanda', 'MTN'), 'MTN'),
  wallet('rw.airtel', 'RWF', prompt('mobile_money_rwanda', 'AIRTEL'), 'AIRTEL'),
  wallet('zm.mtn', 'ZMW', prompt('mobile_money_zambia', 'MTN'), 'MPS'),
  wallet('zm.airtel', 'ZMW', prompt('mobile_money_zambia', 'AIRTEL'), 'MPS'),
  { channel: 'ng.bank', currency: 'NGN', way: ACCOUNT, bank: 'recipient' },
  { channel: 'gh.bank', currency: 'GHS', way: ACCOUNT, bank: null },
  ...Object.entries(CARDS).map(([cc, currency]) => ({ channel: `${cc}.card`, currency, way: PAGE, bank: null })),
];

const byChannel = new Map(ROUTES.map((route) => [route.channel, route]));

/** Returns the collection method, or undefined where Flutterwave does not collect. */
export function wayOf(channelId: string, currency: string): Way | undefined {
  const route = byChannel.get(channelId);
  return route?.currency === currency ? (route.way ?? undefined) : undefined;
}

/** Returns the bank code of a payout, or undefined where Flutterwave does not pay out. */
export function bankOf(channelId: string, currency: string, bank_code: string | null): string | undefined {
  const route = byChannel.get(channelId);
  if (route?.currency !== currency || route.bank === null) return undefined;
  return route.bank === 'recipient' ? (bank_code ?? undefined) : route.bank;
}

/** Returns whether Flutterwave pays out on this channel in this currency. */
export function paysOut(channelId: string, currency: string): boolean {
  const route = byChannel.get(channelId);
  return route?.currency === currency && route.bank !== null;
}

/**
 * Returns all channels of an account. The channels' own limits apply: Flutterwave publishes none.
 * @param pays whether the account pays out on a channel in a currency
 */
export function offersOf(pays: (channelId: string, currency: string) => boolean): readonly Offer[] {
  return ROUTES.map(({ channel, currency, way }) => ({
    ...{ channel, currency, min_minor: null, max_minor: null, step_minor: null },
    operations: [...(way ? (['collect'] as const) : []), ...(pays(channel, currency) ? (['payout'] as const) : [])],
  }));
}

/** Returns the number of decimals Flutterwave accepts for a currency. */
export function wireDecimals(currency: string): 0 | 2 {
  return decimalsOf(currency) === 0 ? 0 : 2;
}
