import { decimalsOf, hundredths, type Minor } from '../../kit/money.ts';
import { numberFormat } from '../../kit/formatters.ts';
import { must } from '../../kit/errors.ts';
import { decimal } from '../../money/ledger/decimal.ts';

/**
 * Formats an amount for people: `2,500,000 XAF`, `2,500.50 NGN`. Decimals are left out only where the currency has none and the
 * amount has none either.
 * @param amount hundredths (bigint), or major units as on the wire (number)
 */
export function moneyText(amount: Minor | number, currency: string): string {
  return `${amountText(amount, currency)} ${currency}`;
}

/** Formats an amount as {@link moneyText} does, without its currency. */
export function amountText(amount: Minor | number, currency: string): string {
  // A balance can be larger than any payment.
  const text = exactText(typeof amount === 'bigint' ? amount : hundredths(amount));
  return decimalsOf(currency) === 0 ? text.replace(/\.00$/, '') : text;
}

/** Formats an amount with separators and both decimals, for columns of the ledger: `2,500,000.00`. */
export function exactText(amount: Minor): string {
  return decimal(amount).replace(/\B(?=(\d{3})+\.)/g, ',');
}

/** Formats a number of things with separators. */
export function countText(count: number): string {
  return numberFormat('en', {}).format(count);
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;
/** Above this number of one unit, a duration is easier to read in several. */
const MAX_OF_ONE_UNIT = 120;

/** Formats a duration: `90 s`, `25 h`, `2 d`, `23 h 59 min 59 s`. Milliseconds only below a second. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  const [unit, length] = must(
    UNITS.find(([, length]) => seconds % length === 0),
    'every second is divisible by one',
  );
  if (unit === 'd' || seconds / length <= MAX_OF_ONE_UNIT) return `${countText(seconds / length)} ${unit}`;
  let rest = seconds;
  return UNITS.flatMap(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count} ${name}`] : [];
  }).join(' ');
}
