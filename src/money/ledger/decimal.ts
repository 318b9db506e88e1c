import type { Minor } from '../../kit/money.ts';

/** Returns an amount in major units as exact text with two decimals, for files and people: `-25000.00`. */
export function decimal(amount_minor: Minor): string {
  const digits = String(amount_minor < 0n ? -amount_minor : amount_minor).padStart(3, '0');
  return `${amount_minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
