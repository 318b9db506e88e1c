import type { Queryable } from '../../kit/sql.ts';
import type { RefundRow } from '../refunds/schema.ts';
import { isSetAside } from '../refunds/store.ts';

/**
 * Returns the note for a person when a statement shows one of these failed refunds and payouts of a return as paid, and has set its money
 * aside; null when none does. Nothing else may be sent to the payer until the person has decided.
 */
export async function statedNote(db: Queryable, ways: readonly RefundRow[]): Promise<string | null> {
  for (const way of ways)
    if (await isSetAside(db, way, 0)) return `a statement shows the ${way.way} as paid: "pirogue breaks settle" decides about it`;
  return null;
}
