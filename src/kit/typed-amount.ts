import { decimalsOf, type Minor, minorFromWire } from './money.ts';

/**
 * Parses an amount as people type it: `25000`, `25 000`, `25.000`, `25,000.50`, `25 000,5`. A separator followed by three digits
 * separates thousands; an amount with thousands cannot begin with 0. Followed by one or two digits, it separates the hundredths. In a
 * currency with hundredths, `25.000` alone is ambiguous and is rejected, because a wrong guess is wrong by a factor of a thousand.
 * @returns hundredths, or null for any other text
 */
export function typedAmount(text: string, currency: string): Minor | null {
  const match = /^(\d{1,13}|[1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3}){0,3})(?:([.,])(\d{1,2}))?$/.exec(text.replace(/[\s'’]/g, ''));
  if (!match) return null;
  const [, whole = '', thousands, mark, hundredths] = match;
  if (thousands !== undefined && thousands === mark) return null;
  if (decimalsOf(currency) > 0 && mark === undefined && /^\d+[.,]\d+$/.test(whole)) return null;
  return minorFromWire(Number(`${whole.replace(/[.,]/g, '')}${hundredths === undefined ? '' : `.${hundredths}`}`));
}
