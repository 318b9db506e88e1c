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

function franco(channel: string, currency: string, network: string, bank: string | null = 'FMM'): Route {
  return wallet(channel, currency, prompt('mobile_money_franco', network, channel.slice(0, 2).toUpperCase()), bank);
}

/** Countries whose cards go in their own currency. */
const CARDS: Readonly<Record<string, string>> = {
  ...{ cm: 'XAF', ci: 'XOF', sn: 'XOF', bf: 'XOF', ng: 'NGN', gh: 'GHS', ke: 'KES', ug: 'UGX', rw: 'RWF', tz: 'TZS' },
  ...{ zm: 'ZMW', za: 'ZAR', us: 'USD', fr: 'EUR', gb: 'GBP' },
};

/**
 * Flutterwave's guides (collections-inflow, making-payments); our channels only. Left out: Ghana's Telecel, which wants a
 * voucher from the payer and is only paid out to, and what its guides claim without naming the network.
 */
const ROUTES: readonly Route[] = [
  franco('cm.mtn', 'XAF', 'MTN'),
  franco('cm.orange', 'XAF', 'ORANGEMONEY'),
  franco('ci.mtn', 'XOF', 'MTN'),
  franco('ci.orange', 'XOF', 'ORANGEMONEY'),
  // Whether FMM reaches Moov is not said.
  franco('ci.moov', 'XOF', 'MOOV', null),
  franco('sn.orange', 'XOF', 'ORANGEMONEY'),
  franco('bf.orange', 'XOF', 'ORANGEMONEY'),
  wallet('gh.mtn', 'GHS', prompt('mobile_money_ghana', 'MTN'), 'MTN'),
  wallet('gh.at', 'GHS', prompt('mobile_money_ghana', 'TIGO'), 'TIGO'),
  wallet('gh.telecel', 'GHS', null, 'VODAFONE'),
  wallet('ke.mpesa', 'KES', prompt('mpesa'), 'MPS'),
  wallet('ug.mtn', 'UGX', prompt('mobile_money_uganda', 'MTN'), 'MPS'),
  wallet('ug.airtel', 'UGX', prompt('mobile_money_uganda', 'AIRTEL'), 'MPS'),
  wallet('tz.vodacom', 'TZS', prompt('mobile_money_tanzania', 'VODACOM'), 'MPS'),
  wallet('tz.tigo', 'TZS', prompt('mobile_money_tanzania', 'TIGO'), 'MPS'),
  wallet('tz.airtel', 'TZS', prompt('mobile_money_tanzania', 'AIRTEL'), 'MPS'),
  wallet('tz.halotel', 'TZS', prompt('mobile_money_tanzania', 'HALOPESA'), 'MPS'),
  wallet('rw.mtn', 'RWF', prompt('mobile_money_rwanda'), 'MPS'),
  wallet('rw.airtel', 'RWF', prompt('mobile_money_rwanda'), 'MPS'),
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

/** Everything it serves. The channels' own bounds hold: Flutterwave publishes none. */
export const OFFERS: readonly Offer[] = ROUTES.map(({ channel, currency, way, bank }) => ({
  ...{ channel, currency, min_minor: null, max_minor: null, step_minor: null },
  operations: [...(way ? (['collect'] as const) : []), ...(bank ? (['payout'] as const) : [])],
}));

/** Decimals Flutterwave takes for a currency. */
export function wireDecimals(currency: string): 0 | 2 {
  return decimalsOf(currency) === 0 ? 0 : 2;
}
