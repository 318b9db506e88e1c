import { fixed, type Queryable, sql } from '../../kit/sql.ts';
import type { PaymentRow } from './schema.ts';

/** The columns of an exported payment. None of them is archived, so that old payments are exported whole. */
const EXPORTED = [
  ...(['id', 'created_at', 'completed_at', 'status', 'currency', 'amount_minor', 'fee_minor', 'bearer'] as const),
  ...(['captured_minor', 'refunded_minor', 'channel', 'reason', 'reference', 'description', 'customer_id'] as const),
  ...(['name', 'phone', 'email'] as const),
] as const;

export type ExportedPayment = Pick<PaymentRow, (typeof EXPORTED)[number]>;

/** Returns payments in the order of these ids. One that does not exist is left out. */
export async function exportedPayments(db: Queryable, team_id: bigint, ids: readonly string[]): Promise<ExportedPayment[]> {
  const rows = await db.all<ExportedPayment>(sql`
    select ${fixed(EXPORTED.join(', '))} from payments where team_id = ${team_id} and id = any(${ids}::text[])`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
