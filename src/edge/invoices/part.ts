import { isMovable, type Minor } from '../../kit/money.ts';
import { leastOf } from '../../providers/reference/channels.ts';
import { checkLargest, largestOf } from '../../providers/reference/largest.ts';
import { dueOf } from './present.ts';
import type { InvoiceRow } from './schema.ts';

/** Minimum and maximum of a partial payment. */
export interface Part {
  least: Minor;
  most: Minor;
}

/**
 * Returns the limits of a partial payment; null when the amount due has to be paid at once. Neither the part nor the
 * remainder may be below the minimum of every channel of the currency: such a remainder could never be paid. A part above their largest
 * amount could not be paid either.
 */
export function partOf(row: InvoiceRow): Part | null {
  if (!row.allow_partial) return null;
  const floor = leastOf(row.currency);
  const wanted = row.least_minor ?? 0n;
  const least = wanted > floor ? wanted : floor;
  const rest = dueOf(row) - floor;
  const largest = largestOf(row.currency) ?? rest;
  const most = rest < largest ? rest : largest;
  if (least <= most) return { least, most };
  // The merchant's minimum would leave too small a remainder. It is lowered where the whole amount cannot be paid at once either.
  return needsParts(row) ? { least: most, most } : null;
}

/** Returns whether a payment may be of this amount: all that is due, or a part within the limits. */
export function isPayableAmount(row: InvoiceRow, amount: Minor): boolean {
  if (amount === dueOf(row)) return !needsParts(row);
  const part = partOf(row);
  return part !== null && amount >= part.least && amount <= part.most && isMovable(amount, row.currency);
}

/** Returns whether no channel accepts the amount due at once, so that it has to be paid in parts. */
export function needsParts(row: InvoiceRow): boolean {
  return row.allow_partial && checkLargest(row.currency, dueOf(row)) !== null;
}
