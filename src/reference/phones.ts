import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js';
import { must } from '../kit/errors.ts';
import { type Channel, CHANNELS } from './channels.ts';
import { type Country, countryByCode } from './countries.ts';

export interface Phone {
  /** `+237650000001`. */
  e164: string;
  /** The digits after the calling code, without a trunk 0. */
  national: string;
}

/**
 * Reads a mobile number of one country: national or international, with or without plus, 00 or trunk 0, with spaces
 * and the usual marks. Only its length is judged, because numbering plans lag behind what operators hand out and
 * because sandbox numbers are not real ones.
 * @param country ISO 3166-1 alpha-2 of the channel
 * @returns null when it is no number, has another length or belongs to another country
 */
export function parsePhone(text: string, country: string): Phone | null {
  const home = countryByCode(country);
  const dialled = digitsOf(text);
  if (!home || dialled === null) return null;
  const international = dialled.startsWith('+') ? null : `+${dialled}`;
  // Integrators also send the international digits bare: tried when they are no national number.
  return read(dialled, home) ?? (international?.startsWith(`+${home.calling_code}`) ? read(international, home) : null);
}

/** Keeps a plus and digits; null when there is anything that does not belong into a number. */
function digitsOf(text: string): string | null {
  // Numbers copied from contact lists carry invisible direction marks.
  const visible = text.replace(/\p{Cf}/gu, '').trim();
  if (!/^\+?[\d\s()./\-\u2010-\u2015]+$/.test(visible)) return null;
  return visible.replace(/[^\d+]/g, '').replace(/^00+/, '+');
}

function read(dialled: string, home: Country): Phone | null {
  if (!isSupportedCountry(home.code)) return null;
  const number = parsePhoneNumberFromString(dialled, { defaultCountry: home.code as CountryCode, extract: false });
  if (!number || !belongsTo(number, home)) return null;
  const national = modern(number.nationalNumber, home);
  // A trunk digit that is still there means that a digit is missing behind it.
  if (national.length !== home.mobile_digits || (home.trunk && national.startsWith(home.trunk))) return null;
  return { e164: `+${home.calling_code}${national}`, national };
}

/** Some calling codes are shared (+1, +44, +212): there the library tells the country from the digits, when it can. */
function belongsTo(number: PhoneNumber, home: Country): boolean {
  return number.countryCallingCode === home.calling_code && (number.country === undefined || number.country === home.code);
}

/** On 30 November 2024 every number of Benin got 01 in front; the eight digits before it are still written. */
function modern(national: string, home: Country): string {
  return home.code === 'BJ' && national.length === 8 ? `01${national}` : national;
}

const channelByPrefix = new Map<string, Channel>(
  CHANNELS.flatMap((channel) => {
    const { calling_code } = must(countryByCode(channel.country), 'channels are made from the countries');
    return channel.prefixes.map((prefix) => [`+${calling_code}${prefix}`, channel] as const);
  }),
);
const LONGEST_PREFIX = Math.max(...[...channelByPrefix.keys()].map((prefix) => prefix.length));

/**
 * The wallet a number was handed out for, by its longest known prefix. A proposal only: numbers are ported between
 * operators, and a Wave wallet can sit on any number.
 */
export function detectChannel(e164: string): Channel | null {
  for (let length = LONGEST_PREFIX; length > 1; length--) {
    const channel = channelByPrefix.get(e164.slice(0, length));
    if (channel) return channel;
  }
  return null;
}

/** For pages and logs that must not name the payer: `+237 6•• ••• •01`. */
export function maskPhone(e164: string): string {
  const calling_code = parsePhoneNumberFromString(e164)?.countryCallingCode ?? '';
  const national = calling_code ? e164.slice(1 + calling_code.length) : e164;
  const hidden = [...national].map((digit, i) => (i === 0 || i >= national.length - 2 ? digit : '•')).join('');
  // Grouped from the end, so that the last two digits always stand in a full group.
  const groups = hidden.replace(/(?<=.)(?=(?:.{3})+$)/gu, ' ');
  return calling_code ? `+${calling_code} ${groups}` : groups;
}
