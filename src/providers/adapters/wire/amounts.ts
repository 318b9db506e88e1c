import type { Minor } from '../../../kit/money.ts';

/**
 * Formats hundredths as the shortest text in major units: `25000`, `12.50`.
 * @param decimals number of decimals the provider accepts
 * @returns null when the amount is not positive or cannot be expressed in these decimals
 */
export function amountText(amount_minor: Minor, decimals: 0 | 2): string | null {
  if (amount_minor <= 0n) return null;
  const cents = amount_minor % 100n;
  if (cents === 0n) return String(amount_minor / 100n);
  return decimals === 0 ? null : `${amount_minor / 100n}.${String(cents).padStart(2, '0')}`;
}

/**
 * Parses an amount in major units exactly, with any number of trailing zeros.
 * @returns hundredths; null when the value is not an amount or is finer than hundredths
 */
export function minorOf(amount: unknown): Minor | null {
  const text = typeof amount === 'number' ? String(amount) : amount;
  const parts = typeof text === 'string' ? /^(\d{1,15})(?:\.(\d{1,2})0*)?$/.exec(text) : null;
  return parts ? BigInt(parts[1] as string) * 100n + BigInt((parts[2] ?? '').padEnd(2, '0')) : null;
}

/**
 * Parses a balance in major units. Unlike an amount it may be negative, and decimals beyond hundredths are rounded down: a balance is only
 * shown and compared, so what is less than a hundredth does not matter.
 * @returns hundredths; null when the value is not a number
 */
export function balanceOf(amount: unknown): Minor | null {
  const text = typeof amount === 'number' ? String(amount) : amount;
  const parts = typeof text === 'string' ? /^(-?)(\d{1,15})(?:\.(\d{1,2})(\d*))?$/.exec(text) : null;
  if (!parts) return null;
  const [, sign, units = '', cents = '', finer = ''] = parts;
  const hundredths = BigInt(units) * 100n + BigInt(cents.padEnd(2, '0'));
  if (sign !== '-') return hundredths;
  return /[1-9]/.test(finer) ? -hundredths - 1n : -hundredths;
}
