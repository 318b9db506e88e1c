import { formatMoney, type Minor, minorFromWire } from '../../../kit/money.ts';
import type { ConsoleLanguage } from '../language.ts';

/** Time zone of the console: that of every day in the API and in statements. */
const ZONE = 'UTC';

/** Formats an amount in hundredths: `25 000 FCFA`. */
export function money(amount: Minor, currency: string, language: ConsoleLanguage): string {
  return formatMoney(amount, currency, language);
}

/** Formats an amount of the API, in major units. */
export function wireMoney(amount: number, currency: string, language: ConsoleLanguage): string {
  return money(minorFromWire(amount) ?? 0n, currency, language);
}

/** Formats a moment to the minute, in UTC: `23 Nov 2026, 18:05`. */
export function moment(at: Date | string, language: ConsoleLanguage): string {
  return formatted(at, language, 'short');
}

/** Formats a moment to the second, in UTC. */
export function exactMoment(at: Date | string, language: ConsoleLanguage): string {
  return formatted(at, language, 'medium');
}

function formatted(at: Date | string, language: ConsoleLanguage, timeStyle: 'short' | 'medium'): string {
  const locale = language === 'en' ? 'en-GB' : 'fr';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle, timeZone: ZONE }).format(new Date(at));
}

/** Formats a count with separators. */
export function number(value: number | bigint, language: ConsoleLanguage): string {
  return new Intl.NumberFormat(language).format(value);
}
