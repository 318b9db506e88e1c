import { numberFormat } from './formatters.ts';

/**
 * Amount in hundredths of the major unit, for every currency. On the wire an amount is a JSON number of major units with at
 * most two decimals; it is converted at the edges only.
 */
export type Minor = bigint;

/** Largest major amount whose hundredths are exact in a JSON number of every client (docs/contract/money.md). */
export const MAX_AMOUNT = 9_007_199_254_740;

/** Decimals of the currency in real transactions: a channel of a currency with 0 accepts whole amounts only. */
const DECIMALS = {
  XAF: 0,
  XOF: 0,
  NGN: 2,
  GHS: 2,
  KES: 2,
  UGX: 0,
  RWF: 0,
  TZS: 2,
  CDF: 2,
  GNF: 0,
  ZAR: 2,
  ZMW: 2,
  MAD: 2,
  EGP: 2,
  USD: 2,
  EUR: 2,
  GBP: 2,
} as const;

export type Currency = keyof typeof DECIMALS;

export const CURRENCIES = Object.keys(DECIMALS) as Currency[];

/** Returns whether the value is the code of a supported currency. It may come from a body that does not fit its schema. */
export function isCurrency(value: unknown): value is Currency {
  return typeof value === 'string' && Object.hasOwn(DECIMALS, value);
}

/** Returns the number of decimals of a currency in real transactions: 0 or 2. */
export function decimalsOf(currency: string): number {
  return isCurrency(currency) ? DECIMALS[currency] : 2;
}

/**
 * Converts a wire amount exactly. JavaScript prints the shortest text that reads back as the same number, so the text has more
 * than two decimals exactly when the caller sent more (or exceeded the precision of a double).
 * @param amount major units
 * @returns hundredths, or null when the number is not finite, negative, too large or has more than two decimals
 */
export function minorFromWire(amount: number): Minor | null {
  if (!Number.isFinite(amount) || amount < 0 || amount > MAX_AMOUNT) return null;
  if (Number.isInteger(amount)) return BigInt(amount) * 100n;
  const parts = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(amount));
  if (!parts) return null;
  return BigInt(parts[1] as string) * 100n + BigInt((parts[2] ?? '').padEnd(2, '0'));
}

/** Converts hundredths to a JSON number of major units. Exact for every amount accepted at the edge. */
export function wireFromMinor(amount: Minor): number {
  return Number(amount) / 100;
}

/** Converts major units that {@link wireFromMinor} returned, also negative ones, back to hundredths. */
export function hundredths(amount: number): Minor {
  return BigInt(Math.round(amount * 100));
}

/** Returns whether the amount can be moved in this currency (25000.50 XAF cannot). */
export function isMovable(amount: Minor, currency: string): boolean {
  return decimalsOf(currency) === 2 || amount % 100n === 0n;
}

/**
 * Formats an amount for people in the reader's language, for example `25 000 FCFA`. A provider may report an unknown currency, which
 * is written after the number as it was reported.
 */
export function formatMoney(amount: Minor, currency: string, language: string): string {
  const digits = amount % 100n === 0n && decimalsOf(currency) === 0 ? 0 : 2;
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const value = wireFromMinor(amount);
  if (!isCurrency(currency)) return `${numberFormat(language, decimals).format(value)} ${currency}`;
  return numberFormat(language, { style: 'currency', currency, ...decimals }).format(value);
}

/** Returns the currency as it stands beside amounts in the reader's language: `FCFA`, not `XAF`. An unknown one is returned as it is. */
export function currencyLabel(currency: string, language: string): string {
  if (!isCurrency(currency)) return currency;
  const parts = numberFormat(language, { style: 'currency', currency }).formatToParts(0);
  return parts.find(({ type }) => type === 'currency')?.value ?? currency;
}
