import { createRequire } from 'node:module';
import type { CountryCode, PhoneNumber } from 'libphonenumber-js';
import { must } from '../../kit/errors.ts';
import { type Channel, CHANNELS } from './channels.ts';
import { type Country, countryByCode } from './countries.ts';

const load = createRequire(import.meta.url);

/** Returns the library of numbering plans. It is loaded with the first number, because most processes parse none. */
export function numberingPlans() {
  return load('libphonenumber-js') as typeof import('libphonenumber-js');
}

export interface Phone {
  /** E.164: `+237650000001`. */
  e164: string;
  /** The digits after the calling code, without a trunk 0. */
  national: string;
}

/**
 * Parses a mobile number of one country: national or international, with or without plus, 00 or trunk 0, with spaces
 * and the usual punctuation. Only its length is validated, because published numbering plans lag behind the ranges in
 * use and sandbox numbers are not real.
 * @param country ISO 3166-1 alpha-2 of the channel
 * @returns null when it is not a number, has another length or belongs to another country
 */
export function parsePhone(text: string, country: string): Phone | null {
  const home = countryByCode(country);
  const dialled = digitsOf(text);
  if (!home || dialled === null) return null;
  const international = dialled.startsWith('+') ? null : `+${dialled}`;
  // Integrators also send international digits without the plus. They are tried when they are not a national number.
  return read(dialled, home) ?? (international?.startsWith(`+${home.calling_code}`) ? read(international, home) : null);
}

/** Keeps a plus and digits. Returns null when the text contains characters that do not belong in a number. */
function digitsOf(text: string): string | null {
  // Numbers copied from contact lists contain invisible direction marks.
  const visible = text.replace(/\p{Cf}/gu, '').trim();
  if (!/^\+?[\d\s()./\-\u2010-\u2015]+$/.test(visible)) return null;
  return visible.replace(/[^\d+]/g, '').replace(/^00+/, '+');
}

function read(dialled: string, home: Country): Phone | null {
  const { isSupportedCountry, parsePhoneNumberFromString } = numberingPlans();
  if (!isSupportedCountry(home.code)) return null;
  const number = parsePhoneNumberFromString(dialled, { defaultCountry: home.code as CountryCode, extract: false });
  if (!number || !belongsTo(number, home)) return null;
  const national = modern(number.nationalNumber, home);
  // A remaining trunk digit means that another digit is missing.
  if (national.length !== home.mobile_digits || (home.trunk && national.startsWith(home.trunk))) return null;
  return { e164: `+${home.calling_code}${national}`, national };
}

/**
 * Returns whether the number belongs to the country. Some calling codes are shared (+1, +44, +212); the library then
 * derives the country from the digits, where possible.
 */
function belongsTo(number: PhoneNumber, home: Country): boolean {
  return number.countryCallingCode === home.calling_code && (number.country === undefined || number.country === home.code);
}

/**
 * Returns the current form of a number. On 2024-11-30 every number of Benin got the prefix 01; the earlier eight
 * digits are still in use.
 */
function modern(national: string, home: Country): string {
  return home.code === 'BJ' && national.length === 8 ? `01${national}` : national;
}

/** Returns an international number in the groups of its country: `+237 6 50 00 00 01`. Other texts are returned unchanged. */
export function spaced(number: string): string {
  return numberingPlans().parsePhoneNumberFromString(number)?.formatInternational() ?? number;
}

const channelByPrefix = new Map<string, Channel>(
  CHANNELS.flatMap((channel) => {
    const { calling_code } = must(countryByCode(channel.country), 'channels are made from the countries');
    return channel.prefixes.map((prefix) => [`+${calling_code}${prefix}`, channel] as const);
  }),
);
const MAX_PREFIX = Math.max(...[...channelByPrefix.keys()].map((prefix) => prefix.length));

/**
 * Returns the channel whose prefix is the longest match. It is only a suggestion: numbers are ported between
 * operators, and a Wave wallet can have any number.
 */
export function detectChannel(e164: string): Channel | null {
  for (let length = MAX_PREFIX; length > 1; length--) {
    const channel = channelByPrefix.get(e164.slice(0, length));
    if (channel) return channel;
  }
  return null;
}
