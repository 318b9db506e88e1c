import { clause, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { SET_ASIDE_BY_STATEMENT } from '../../money/ledger/suspense.ts';
import type { TransferRow } from './schema.ts';

/**
 * SQL: when it turned out that the transfer `t` reached its recipient after it had ended without money: from its provider, or from a
 * statement that nobody has found to be wrong. Null: it did not turn out. The column alone does not say it, because the money of a statement
 * is posted by a decision, not by the transfer.
 */
export const PAID_LATE_AT = clause`coalesce(t.paid_late_at, (
  select j.created_at from journals j where j.team_id = t.team_id and j.source_id = t.id and ${SET_ASIDE_BY_STATEMENT}))`;

/** Writes that a transfer was paid after it had ended without money. Called only by late.ts. */
export async function writePaidLate(tx: Tx, row: TransferRow): Promise<void> {
  await tx.run(sql`
    update transfers set paid_late_at = ${row.paid_late_at}, provider_ref = ${row.provider_ref}, message = ${row.message},
      resolution = ${row.resolution && JSON.stringify(row.resolution)}, next_poll_at = ${row.next_poll_at}, updated_at = ${row.updated_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

/** Counts the transfers since a moment whose provider reported that they were paid after they had ended without money, up to a bound. */
export async function countPaidLate(db: Queryable, since: Date, max: number): Promise<number> {
  const row = await db.maybe<{ count: number }>(sql`
    select count(*)::integer as count from (select from transfers where paid_late_at >= ${since} limit ${max}) late`);
  return row?.count ?? 0;
}
