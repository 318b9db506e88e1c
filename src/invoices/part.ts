import type { Minor } from '../kit/money.ts';
import { leastOf } from '../reference/channels.ts';
import { dueOf } from './present.ts';
import type { InvoiceRow } from './schema.ts';

export interface Part {
  least: Minor;
  most: Minor;
}

/**
 * From where to where a part of what is left can be; null where all of it has to be paid at once. Neither the part nor
 * what is left after it is below what every channel of the currency takes: it could be asked for, and never be paid.
 */
export function partOf(row: InvoiceRow): Part | null {
  if (!row.allow_partial) return null;
  const floor = leastOf(row.currency);
  const wanted = row.least_minor ?? 0n;
  const least = wanted > floor ? wanted : floor;
  const most = dueOf(row) - floor;
  return least <= most ? { least, most } : null;
}
