import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { ComplianceRow } from './schema.ts';

/** Creates or replaces the compliance record of a customer. */
export async function upsertRecord(tx: Tx, row: ComplianceRow): Promise<ComplianceRow> {
  const rows = await tx.all<ComplianceRow>(sql`
    insert into compliance_records (team_id, customer_id, status, author, note, created_at, updated_at)
    values (${row.team_id}, ${row.customer_id}, ${row.status}, ${row.author}, ${row.note}, ${row.created_at}, ${row.updated_at})
    on conflict (team_id, customer_id) do update set status = excluded.status, author = excluded.author, note = excluded.note,
      updated_at = excluded.updated_at
    returning team_id, customer_id, status, author, note, created_at, updated_at`);
  return rows[0] as ComplianceRow;
}

/** Returns the records, the most recently changed first. */
export function listRecords(db: Queryable, team_id: bigint, limit: number): Promise<ComplianceRow[]> {
  return db.all<ComplianceRow>(sql`
    select team_id, customer_id, status, author, note, created_at, updated_at from compliance_records
    where team_id = ${team_id} order by updated_at desc, customer_id limit ${limit}`);
}
