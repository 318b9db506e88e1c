import { type Currency, isCurrency, type Minor, wireFromMinor } from '../../kit/money.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';
import { COUNTRIES, type Country } from './countries.ts';
import { type Limits, limitsFor } from './limits.ts';
import { OPERATORS, type Operator } from './operators.ts';

/** One payment method in one country. */
export interface Channel {
  /** `<country>.<operator>`, lower case. */
  id: string;
  name: string;
  kind: ChannelKind;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** The first is the default. */
  currencies: readonly Currency[];
  limits: Readonly<Partial<Record<Currency, Limits>>>;
  /** First digits of its numbers after the calling code. Empty when numbers do not identify the channel. */
  prefixes: readonly string[];
  ussd_hint?: string;
}

/** All channels, in the country order of COUNTRIES: mobile money, then bank, then card. */
export const CHANNELS: readonly Channel[] = COUNTRIES.flatMap(channelsOfCountry);

const byId = new Map(CHANNELS.map((channel) => [channel.id, channel]));
const byCountry = Map.groupBy(CHANNELS, (channel) => channel.country);

/** Returns the channel with this id, or undefined if there is none. */
export function channelById(id: string): Channel | undefined {
  return byId.get(id);
}

/** Returns the channel's limits, or undefined when it does not accept the currency. */
export function limitsOf(channel: Channel, currency: string): Limits | undefined {
  return isCurrency(currency) ? channel.limits[currency] : undefined;
}

/**
 * Returns the lowest minimum amount of all channels in the currency, in hundredths. A smaller amount could be
 * requested but never paid.
 */
export function leastOf(currency: string): Minor {
  const floors = channelsFor({ currency }).flatMap((channel) => limitsOf(channel, currency)?.min_minor ?? []);
  return floors.reduce((least, floor) => (floor < least ? floor : least));
}

export interface ChannelFilter {
  currency?: string | undefined;
  /** ISO 3166-1 alpha-2, in either case. */
  country?: string | undefined;
  kind?: ChannelKind | undefined;
  /** Hundredths. Without a currency, the amount may be valid in any of the channel's currencies. */
  amount_minor?: Minor | undefined;
}

/**
 * Returns the matching channels, in the order of CHANNELS. An amount excludes the channels for which {@link
 * checkAmount} returns an error. A mobile money channel is therefore included above its maximum, because such a
 * payment is collected in several charges.
 */
export function channelsFor(filter: ChannelFilter): Channel[] {
  const { currency, country, kind, amount_minor } = filter;
  const candidates = country === undefined ? CHANNELS : (byCountry.get(country.toUpperCase()) ?? []);
  return candidates.filter((channel) => {
    if (kind !== undefined && channel.kind !== kind) return false;
    const currencies = currency === undefined ? channel.currencies : channel.currencies.filter((code) => code === currency);
    return currencies.some((code) => amount_minor === undefined || checkAmount(channel, code, amount_minor) === null);
  });
}

/**
 * Returns the reason why the channel cannot accept this amount, as the message under `errors.amount`; null when it
 * can. The maximum does not apply to mobile money: a larger amount is split into several charges. Also returns null
 * for a currency the channel does not accept, which the caller reports under another field.
 */
export function checkAmount(channel: Channel, currency: string, amount_minor: Minor): string | null {
  const limits = limitsOf(channel, currency);
  if (!limits) return null;
  if (amount_minor < limits.min_minor) return atLeast(channel.id, currency, limits.min_minor);
  if (amount_minor % limits.step_minor !== 0n) return stepFault(channel.id, currency, limits.step_minor);
  if (channel.kind !== 'mobile_money' && amount_minor > limits.max_minor) return atMost(channel.id, currency, limits.max_minor);
  return null;
}

/** Returns the message for a country other than the channel's; null when it is the same, in upper or lower case, or absent. */
export function countryFault(channel: Channel, country: string | null | undefined): string | null {
  if (!country || country.toUpperCase() === channel.country) return null;
  return `is not the country of ${channel.id}`;
}

/** Returns the message for an amount below a minimum. */
export function atLeast(channelId: string, currency: string, min_minor: Minor): string {
  return `must be at least ${words(min_minor, currency)} on ${channelId}`;
}

/** Returns the message for an amount above a maximum. */
export function atMost(channelId: string, currency: string, max_minor: Minor): string {
  return `must be at most ${words(max_minor, currency)} on ${channelId}`;
}

/** Returns the message for an amount that is not a multiple of a step. */
export function stepFault(channelId: string, currency: string, step_minor: Minor): string {
  return `must be ${stepWords(step_minor, currency)} on ${channelId}`;
}

function words(amount: Minor, currency: string): string {
  return `${wireFromMinor(amount)} ${currency}`;
}

function stepWords(step: Minor, currency: string): string {
  return step === 100n ? `a whole number of ${currency}` : `a multiple of ${words(step, currency)}`;
}

function channelsOfCountry(country: Country): Channel[] {
  const cc = country.code.toLowerCase();
  const operators = OPERATORS.filter((operator) => operator.id.startsWith(`${cc}.`));
  return [
    ...operators.map((operator) => walletChannel(country, operator)),
    plainChannel(country, `${cc}.bank`, 'bank', 'Bank transfer'),
    // Nigerian banks are also reached by dialling the bank's own USSD code.
    ...(cc === 'ng' ? [plainChannel(country, 'ng.ussd', 'bank', 'Bank USSD')] : []),
    plainChannel(country, `${cc}.card`, 'card', 'Card'),
  ];
}

function walletChannel(country: Country, operator: Operator): Channel {
  const { id, name, limits, ussd_hint } = operator;
  return {
    id,
    name,
    kind: 'mobile_money',
    country: country.code,
    currencies: country.currencies,
    limits: limitsByCurrency(country, (currency) => limitsFor('mobile_money', currency, limits?.[currency])),
    prefixes: expandPrefixes(operator.prefixes),
    ...(ussd_hint ? { ussd_hint } : {}),
  };
}

function plainChannel(country: Country, id: string, kind: 'bank' | 'card', name: string): Channel {
  return {
    id,
    name,
    kind,
    country: country.code,
    currencies: country.currencies,
    limits: limitsByCurrency(country, (currency) => limitsFor(kind, currency)),
    prefixes: [],
  };
}

function limitsByCurrency(country: Country, limits: (currency: Currency) => Limits): Channel['limits'] {
  return Object.fromEntries(country.currencies.map((currency) => [currency, limits(currency)]));
}

/** Expands `67 650-652` to 67, 650, 651, 652. Leading zeros are kept. */
function expandPrefixes(text: string): string[] {
  return text
    .split(' ')
    .filter(Boolean)
    .flatMap((part) => {
      const [first, last] = part.split('-') as [string, string?];
      const count = Number(last ?? first) - Number(first) + 1;
      return Array.from({ length: count }, (_, i) => String(Number(first) + i).padStart(first.length, '0'));
    });
}
