import { dateFormat } from '../../kit/formatters.ts';
import { COUNTRIES } from '../../providers/reference/countries.ts';
import { channelById } from '../../providers/reference/channels.ts';
import { type Language, localeOf } from './language.ts';

/**
 * Time zone of a channel, by country. For DR Congo, which has two, it is the capital's. The United States have too many to
 * choose one. The UTC offset is always shown with the time, so the reader does not need to know the zone.
 */
const ZONES: Record<string, string> = {
  CM: 'Africa/Douala',
  CI: 'Africa/Abidjan',
  SN: 'Africa/Dakar',
  BJ: 'Africa/Porto-Novo',
  BF: 'Africa/Ouagadougou',
  ML: 'Africa/Bamako',
  TG: 'Africa/Lome',
  GA: 'Africa/Libreville',
  CG: 'Africa/Brazzaville',
  TD: 'Africa/Ndjamena',
  CF: 'Africa/Bangui',
  GN: 'Africa/Conakry',
  CD: 'Africa/Kinshasa',
  GH: 'Africa/Accra',
  NG: 'Africa/Lagos',
  KE: 'Africa/Nairobi',
  UG: 'Africa/Kampala',
  TZ: 'Africa/Dar_es_Salaam',
  RW: 'Africa/Kigali',
  ZM: 'Africa/Lusaka',
  ZA: 'Africa/Johannesburg',
  MA: 'Africa/Casablanca',
  EG: 'Africa/Cairo',
  FR: 'Europe/Paris',
  GB: 'Europe/London',
};

/** Returns the likely time zone of the merchant: that of the country of the channel used. UTC when it is unknown. */
export function zoneOf(channel: string | null): string {
  return ZONES[(channel !== null && channelById(channel)?.country) || ''] ?? 'UTC';
}

/** Returns the time zone of a document that belongs to no channel: that of the first country of the currency. */
export function zoneOfCurrency(currency: string): string {
  const home = COUNTRIES.find(({ currencies }) => currencies.some((one) => one === currency));
  return ZONES[home?.code ?? ''] ?? 'UTC';
}

/** Formats date and time with the UTC offset: `21 November 2026 at 18:05 (UTC+1)`. */
export function moment(at: Date, zone: string, language: Language): string {
  const format = dateFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short', timeZone: zone });
  return `${format.format(at)} (${offsetOf(at, zone)})`;
}

/** Formats a date: `21 November 2026`. */
export function day(at: Date, zone: string, language: Language): string {
  return dateFormat(localeOf(language), { dateStyle: 'long', timeZone: zone }).format(at);
}

function offsetOf(at: Date, zone: string): string {
  const parts = dateFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(at);
  return (parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT').replace(/^GMT(\+0$)?/, 'UTC');
}
