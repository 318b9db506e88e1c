import { decimalsOf } from '../../kit/money.ts';
import type { Offer } from '../contract.ts';

/** How Flutterwave collects on a channel. No card number reaches us: cards are typed on its own page. */
export type Way =
  | { kind: 'page' }
  /** A bank account that is opened for this one payment. */
  | { kind: 'account' }
  /** `type`: of the charge; `fields`: what only this type wants. */
  | { kind: 'prompt'; type: string; fields: Readonly<Record<string, string>> };

interface Route {
  channel: string;
  currency: string;
  /** Null: it is only paid out to. */
  way: Way | null;
  /** `account_bank` of a transfer; `recipient`: the recipient's bank code; null: it is not paid out to. */
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

/** Countries whose cards go in their own currency. */
const CARDS: Readonly<Record<string, string>> = {
  ...{ cm: 'XAF', ci: 'XOF', sn: 'XOF', bf: 'XOF', ng: 'NGN', gh: 'GHS', ke: 'KES', ug: 'UGX', rw: 'RWF', tz: 'TZS' },
  ...{ zm: 'ZMW', za: 'ZAR', us: 'USD', fr: 'EUR', gb: 'GBP' },
};

/**
 * Flutterwave's guides (Mobile Money; Mobile Money Transfer, supported networks: the page of October 2026 for Côte d'Ivoire
 * and Ghana, that of September 2026 for the others); our channels only. Nothing is paid out to Burkina Faso: it is in neither.
 */
const ROUTES: readonly Route[] = [
  franco('cm.mtn', 'XAF', 'MTN', 'MTN'),
  franco('cm.orange', 'XAF', 'ORANGEMONEY', 'ORANGEMONEY'),
  // FMM is left for MTN, the only one of the three without a name of its own.
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

/** How it collects, undefined where it does not. */
export function wayOf(channelId: string, currency: string): Way | undefined {
  const route = byChannel.get(channelId);
  return route?.currency === currency ? (route.way ?? undefined) : undefined;
}

/** What stands as the bank of a payout, undefined where it does not pay out. */
export function bankOf(channelId: string, currency: string, bank_code: string | null): string | undefined {
  const route = byChannel.get(channelId);
  if (route?.currency !== currency || route.bank === null) return undefined;
  return route.bank === 'recipient' ? (bank_code ?? undefined) : route.bank;
}

export function paysOut(channelId: string, currency: string): boolean {
  const route = byChannel.get(channelId);
  return route?.currency === currency && route.bank !== null;
}

/**
 * Everything an account serves. The channels' own bounds hold: Flutterwave publishes none.
 * @param pays whether it pays out where we have a network
 */
export function offersOf(pays: (channelId: string, currency: string) => boolean): readonly Offer[] {
  return ROUTES.map(({ channel, currency, way }) => ({
    ...{ channel, currency, min_minor: null, max_minor: null, step_minor: null },
    operations: [...(way ? (['collect'] as const) : []), ...(pays(channel, currency) ? (['payout'] as const) : [])],
  }));
}

/** Decimals Flutterwave takes for a currency. */
export function wireDecimals(currency: string): 0 | 2 {
  return decimalsOf(currency) === 0 ? 0 : 2;
}
