import { dateFormat, numberFormat } from '../../../../kit/formatters.ts';
import type { ConsoleLanguage } from '../../language.ts';
import { localeOf } from '../../parts/format.ts';

/** Formats a UTC day for an axis: `23 Nov`. */
export function shortDay(day: string, language: ConsoleLanguage): string {
  return dateFormat(localeOf(language), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day));
}

/** Formats a part of a whole: `97.5%`. */
export function percent(part: number, language: ConsoleLanguage): string {
  return numberFormat(localeOf(language), { style: 'percent', maximumFractionDigits: 1 }).format(part);
}

/** Formats a duration: `42s`, `3m 5s`; in French `42 s`, `3 min 5 s`. */
export function duration(ms: number, language: ConsoleLanguage): string {
  const seconds = Math.round(ms / 1000);
  const unit = (value: number, name: 'second' | 'minute' | 'hour') =>
    numberFormat(localeOf(language), {
      style: 'unit',
      unit: name,
      unitDisplay: language === 'en' ? 'narrow' : 'short',
    }).format(value);
  if (seconds < 60) return unit(ms < 10_000 ? Math.round(ms / 100) / 10 : seconds, 'second');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return [unit(minutes, 'minute'), unit(seconds % 60, 'second')].join(' ');
  return [unit(Math.floor(minutes / 60), 'hour'), unit(minutes % 60, 'minute')].join(' ');
}

/** Formats an amount of major units for an axis: `25K FCFA`. */
export function compactMoney(amount: number, currency: string, language: ConsoleLanguage): string {
  return numberFormat(language, { style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 }).format(amount);
}
