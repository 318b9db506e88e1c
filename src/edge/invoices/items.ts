import type { FieldErrors } from '../../kit/errors.ts';
import { decimalsOf, isMovable, MAX_AMOUNT, type Minor, minorFromWire, wireFromMinor } from '../../kit/money.ts';
import { leastOf } from '../../providers/reference/channels.ts';
import { checkLargest } from '../../providers/reference/largest.ts';
import type { InvoiceRow, ItemBody, StoredItem } from './schema.ts';

const MAX_MINOR = BigInt(MAX_AMOUNT) * 100n;

/**
 * Returns a quantity in thousandths, as kilogrammes, hours and metres need.
 * @returns null for more than three decimals
 */
export function thousandthsOf(quantity: number): bigint | null {
  const parts = /^(\d+)(?:\.(\d{1,3}))?$/.exec(String(quantity));
  return parts && BigInt(parts[1] as string) * 1000n + BigInt((parts[2] ?? '').padEnd(3, '0'));
}

/**
 * Returns quantity times price, rounded half-up to an amount that can be paid in the currency: 1.5 × 333 XAF is 500 XAF. Each
 * line is rounded separately, so that the lines on the invoice add up to its total.
 */
export function lineTotal(quantity: bigint, unit_price_minor: Minor, currency: string): Minor {
  const step = decimalsOf(currency) === 0 ? 100n : 1n;
  const divisor = 1000n * step;
  return ((quantity * unit_price_minor + divisor / 2n) / divisor) * step;
}

/**
 * Returns the items as they are stored.
 * @param items checked by {@link checkItems}
 */
export function itemsOf(items: readonly ItemBody[], currency: string): StoredItem[] {
  return items.map(({ name, description, quantity = 1, unit_price }) => {
    const price = minorFromWire(unit_price) ?? 0n;
    const total = lineTotal(thousandthsOf(quantity) ?? 0n, price, currency);
    return { name, description: description ?? null, quantity, unit_price_minor: String(price), amount_minor: String(total) };
  });
}

/** Returns the sum of the items in hundredths. */
export function totalOf(items: readonly StoredItem[]): Minor {
  return items.reduce((sum, { amount_minor }) => sum + BigInt(amount_minor), 0n);
}

/** Validates what the schema of items cannot check. The items may not match the schema. */
export function checkItems(items: unknown): FieldErrors {
  const errors: FieldErrors = {};
  if (!Array.isArray(items)) return errors;
  for (const [i, item] of items.entries()) {
    const { quantity, unit_price } = (item ?? {}) as Partial<ItemBody>;
    if (typeof quantity === 'number' && thousandthsOf(quantity) === null) {
      errors[`items.${i}.quantity`] = ['must have at most three decimals'];
    }
    if (typeof unit_price === 'number' && minorFromWire(unit_price) === null) {
      errors[`items.${i}.unit_price`] = [`must have at most two decimals and be at most ${MAX_AMOUNT}`];
    }
  }
  return errors;
}

/** The terms that determine whether an invoice can be paid. */
type Payable = Pick<InvoiceRow, 'amount_minor' | 'currency' | 'allow_partial'>;

/**
 * Returns the error of a total, or null. No channel collects a payment below the minimum of the currency, or above its largest amount. An
 * invoice above that amount is paid in parts, if it allows partial payments.
 */
export function objectionToTotal({ amount_minor, currency, allow_partial }: Payable): string | null {
  if (amount_minor <= 0n) return 'must add up to more than nothing';
  if (amount_minor > MAX_MINOR) return `must add up to at most ${MAX_AMOUNT}`;
  const least = leastOf(currency);
  if (amount_minor < least) return `must be at least ${wireFromMinor(least)} ${currency}`;
  return allow_partial ? null : checkLargest(currency, amount_minor);
}

/** {@link Payable} in a request, in which the total may not be known: null while the items are not valid. */
export interface WantedTerms extends Omit<Payable, 'amount_minor'> {
  amount_minor: Minor | null;
  least_minor: Minor | null;
}

/** Returns the errors of the total and of the minimum partial payment, by field. */
export function termFaults({ amount_minor, least_minor, ...terms }: WantedTerms): FieldErrors {
  const total = amount_minor === null ? null : objectionToTotal({ amount_minor, ...terms });
  const least = least_minor === null ? null : objectionToLeast(least_minor, { amount_minor, ...terms });
  return { ...(total ? { items: [total] } : {}), ...(least ? { min_amount: [least] } : {}) };
}

function objectionToLeast(
  least_minor: Minor,
  { amount_minor, currency, allow_partial }: Omit<WantedTerms, 'least_minor'>,
): string | null {
  if (!allow_partial) return 'needs allow_partial';
  if (!isMovable(least_minor, currency)) return `must be a whole amount of ${currency}`;
  if (amount_minor !== null && least_minor > amount_minor) return 'must not be more than the whole';
  return checkLargest(currency, least_minor);
}
