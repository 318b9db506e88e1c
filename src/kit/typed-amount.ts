import { decimalsOf, type Minor, minorFromWire } from './money.ts';

/**
 * An amount as people type it: `25000`, `25 000`, `25.000`, `25,000.50`, `25 000,5`. A mark with three digits behind it
 * parts thousands, with one or two it parts the hundredths. In a currency with hundredths `25.000` alone may be either: it is
 * not guessed which, because guessing wrong is a factor of a thousand.
 * @returns null for anything else
 */
export function typedAmount(text: string, currency: string): Minor | null {
  const match = /^(\d{1,13}|\d{1,3}(?:([.,])\d{3})(?:\2\d{3}){0,3})(?:([.,])(\d{1,2}))?$/.exec(text.replace(/[\s'’]/g, ''));
  if (!match) return null;
  const [, whole = '', thousands, mark, hundredths] = match;
  if (thousands !== undefined && thousands === mark) return null;
  if (decimalsOf(currency) > 0 && mark === undefined && /^\d+[.,]\d+$/.test(whole)) return null;
  return minorFromWire(Number(`${whole.replace(/[.,]/g, '')}${hundredths === undefined ? '' : `.${hundredths}`}`));
}
