import { dateFormat, numberFormat, relativeFormat } from '../../../kit/formatters.ts';
import { formatMoney, hundredths, type Minor } from '../../../kit/money.ts';
import type { ConsoleLanguage } from '../language.ts';

/** Time zone of the console: that of every day in the API and in statements. */
const ZONE = 'UTC';

/** Formats an amount in hundredths: `25 000 FCFA`. */
export function money(amount: Minor, currency: string, language: ConsoleLanguage): string {
  return formatMoney(amount, currency, language);
}

/** Formats a change of a balance, in hundredths, with its sign: `+25 000 FCFA`. */
export function change(amount: Minor, currency: string, language: ConsoleLanguage): string {
  return amount > 0n ? `+${money(amount, currency, language)}` : signedMoney(amount, currency, language);
}

/** Formats an amount in hundredths that may be negative, with the sign of a printed statement: `−25 000 FCFA`. */
export function signedMoney(amount: Minor, currency: string, language: ConsoleLanguage): string {
  return amount < 0n ? `−${money(-amount, currency, language)}` : money(amount, currency, language);
}

/** Formats an amount that the API returned, in major units: also a balance, which can be negative or larger than any payment. */
export function wireMoney(amount: number, currency: string, language: ConsoleLanguage): string {
  return signedMoney(hundredths(amount), currency, language);
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
  return dateFormat(localeOf(language), { dateStyle: 'medium', timeStyle, timeZone: ZONE }).format(new Date(at));
}

/** Formats a UTC day: `23 Nov 2026`. */
export function dayText(day: string | Date, language: ConsoleLanguage): string {
  return dateFormat(localeOf(language), { dateStyle: 'medium', timeZone: ZONE }).format(new Date(day));
}

/** Formats the month of a UTC day: `November 2026`. */
export function monthText(day: string, language: ConsoleLanguage): string {
  return dateFormat(localeOf(language), { month: 'long', year: 'numeric', timeZone: ZONE }).format(new Date(day));
}

/** Returns the locale whose dates and numbers the console shows: English ones are British. */
export function localeOf(language: ConsoleLanguage): string {
  return language === 'en' ? 'en-GB' : 'fr';
}

/** Formats a count with separators. */
export function number(value: number | bigint, language: ConsoleLanguage): string {
  return numberFormat(language, {}).format(value);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats the time until a moment, in days, hours or minutes, rounded down: `in 6 days`. */
export function timeUntil(left_ms: number, language: ConsoleLanguage): string {
  const words = relativeFormat(language, {});
  if (left_ms >= 2 * DAY_MS) return words.format(Math.floor(left_ms / DAY_MS), 'day');
  if (left_ms >= 2 * HOUR_MS) return words.format(Math.floor(left_ms / HOUR_MS), 'hour');
  return words.format(Math.floor(left_ms / MINUTE_MS), 'minute');
}
