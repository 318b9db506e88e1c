import type { Offer } from '../contract.ts';

type AuthType = 'PROVIDER_AUTH' | 'PREAUTH' | 'REDIRECT_AUTH';
type Operation = Offer['operations'][number];

/** The terms of one operation on one channel in one currency. */
export interface Terms {
  auth: AuthType;
  decimals: 0 | 2;
}

/** One channel as served by pawaPay. */
interface Route {
  channel: string;
  /** pawaPay's name of the operator. */
  provider: string;
  currencies: readonly string[];
  auth: AuthType;
}

const route = (channel: string, provider: string, currencies: string, auth: AuthType = 'PROVIDER_AUTH'): Route => ({
  channel,
  provider,
  currencies: currencies.split(' '),
  auth,
});

/** The channels of docs.pawapay.io/v2/docs/providers in countries we support. */
export const ROUTES: readonly Route[] = [
  route('bj.mtn', 'MTN_MOMO_BEN', 'XOF'),
  route('bj.moov', 'MOOV_BEN', 'XOF'),
  route('bf.moov', 'MOOV_BFA', 'XOF'),
  route('bf.orange', 'ORANGE_BFA', 'XOF', 'PREAUTH'),
  route('cm.mtn', 'MTN_MOMO_CMR', 'XAF'),
  route('cm.orange', 'ORANGE_CMR', 'XAF'),
  route('ci.mtn', 'MTN_MOMO_CIV', 'XOF'),
  route('ci.orange', 'ORANGE_CIV', 'XOF'),
  route('ci.wave', 'WAVE_CIV', 'XOF', 'REDIRECT_AUTH'),
  route('cd.vodacom', 'VODACOM_MPESA_COD', 'CDF USD'),
  route('cd.airtel', 'AIRTEL_COD', 'CDF USD'),
  route('cd.orange', 'ORANGE_COD', 'CDF USD'),
  route('cg.mtn', 'MTN_MOMO_COG', 'XAF'),
  route('cg.airtel', 'AIRTEL_COG', 'XAF'),
  route('ga.airtel', 'AIRTEL_GAB', 'XAF'),
  route('gh.mtn', 'MTN_MOMO_GHA', 'GHS'),
  route('gh.at', 'AIRTELTIGO_GHA', 'GHS'),
  route('gh.telecel', 'VODAFONE_GHA', 'GHS'),
  route('ke.mpesa', 'MPESA_KEN', 'KES'),
  route('ng.airtel', 'AIRTEL_NGA', 'NGN'),
  route('ng.mtn', 'MTN_MOMO_NGA', 'NGN'),
  route('rw.mtn', 'MTN_MOMO_RWA', 'RWF'),
  route('rw.airtel', 'AIRTEL_RWA', 'RWF'),
  route('sn.orange', 'ORANGE_SEN', 'XOF'),
  route('sn.free', 'FREE_SEN', 'XOF'),
  route('sn.wave', 'WAVE_SEN', 'XOF', 'REDIRECT_AUTH'),
  route('tz.airtel', 'AIRTEL_TZA', 'TZS'),
  route('tz.vodacom', 'VODACOM_TZA', 'TZS'),
  route('tz.tigo', 'TIGO_TZA', 'TZS'),
  route('tz.halotel', 'HALOTEL_TZA', 'TZS'),
  route('ug.mtn', 'MTN_MOMO_UGA', 'UGX'),
  route('ug.airtel', 'AIRTEL_OAPI_UGA', 'UGX'),
  route('zm.mtn', 'MTN_MOMO_ZMB', 'ZMW'),
  route('zm.airtel', 'AIRTEL_OAPI_ZMB', 'ZMW'),
  route('zm.zamtel', 'ZAMTEL_ZMB', 'ZMW'),
];

const byChannel = new Map(ROUTES.map((one) => [one.channel, one]));
const byProvider = new Map(ROUTES.map((one) => [one.provider, one]));

/** Returns pawaPay's name of the channel's operator, or undefined for a channel it does not serve. */
export function providerOf(channelId: string): string | undefined {
  return byChannel.get(channelId)?.provider;
}

/** Returns the channel of pawaPay's operator, or undefined for an operator we have no channel for. */
export function routeOfProvider(provider: string): Route | undefined {
  return byProvider.get(provider);
}

/**
 * Returns the scope of a wallet: the channel of its operator where it has one, else its country. Null when we serve
 * neither.
 * @param country ISO 3166 alpha-3 code, such as CMR
 */
export function areaOf(country: unknown, provider: unknown): string | null {
  if (typeof provider === 'string') return routeOfProvider(provider)?.channel ?? null;
  if (typeof country !== 'string' || !/^[A-Z]{3}$/.test(country)) return null;
  const route = ROUTES.find((one) => one.provider.endsWith(`_${country}`));
  return route?.channel.split('.')[0] ?? null;
}

/** Returns the default terms of an operation, used before the account's own configuration was read. */
export function staticTerms(channelId: string, currency: string): Terms | undefined {
  const known = byChannel.get(channelId);
  if (!known?.currencies.includes(currency)) return undefined;
  return { auth: known.auth, decimals: decimalsOf(known, currency) };
}

/** All channels of pawaPay, used before the account's own configuration was read. */
export const STATIC_OFFERS: readonly Offer[] = ROUTES.flatMap(({ channel, currencies }) =>
  currencies.map((currency) => ({
    ...{ channel, currency, operations: ['collect', 'payout'] as const satisfies Operation[] },
    ...{ min_minor: null, max_minor: null, step_minor: decimalsOf({ channel }, currency) === 0 ? 100n : null },
  })),
);

/**
 * Returns the number of decimals accepted (Providers, decimals in amount): none for some currencies, and none for
 * M-Pesa of the DRC in either of its currencies.
 */
function decimalsOf({ channel }: Pick<Route, 'channel'>, currency: string): 0 | 2 {
  return channel === 'cd.vodacom' || ['XAF', 'XOF', 'UGX', 'RWF'].includes(currency) ? 0 : 2;
}
