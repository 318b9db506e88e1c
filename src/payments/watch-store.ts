import { type Queryable, sql, type Tx } from '../kit/sql.ts';
import type { AttemptRow, PaymentRow } from './schema.ts';
import type { PaymentRef } from './store.ts';

/** As much of a payment as says how it stands. */
export interface Glimpse {
  payment: Pick<PaymentRow, 'team_id' | 'id' | 'status' | 'expires_at' | 'continue_at'>;
  /** Oldest first. */
  attempts: Pick<AttemptRow, 'status' | 'action'>[];
}

/** How many payments stand, in one statement. */
export async function readGlimpses(db: Queryable, refs: readonly PaymentRef[]): Promise<Glimpse[]> {
  type Row = Glimpse['payment'] & Pick<Glimpse, 'attempts'>;
  const rows = await db.all<Row>(sql`
    select team_id, id, status, expires_at, continue_at, coalesce((
      select json_agg(json_build_object('status', a.status, 'action', a.action) order by a.id)
      from attempts a where a.team_id = p.team_id and a.payment_id = p.id), '[]') as attempts
    from payments p
    where (team_id, id) in (select * from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]))`);
  return rows.map(({ attempts, ...payment }) => ({ payment, attempts }));
}

/**
 * Charges of a team on one payer that did not end well, or have not ended, since a moment. Until the transaction ends,
 * nobody else counts the same payer: of two at once the second sees the first.
 */
export async function countVainCharges(tx: Tx, team_id: bigint, payer: string, since: Date): Promise<number> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${payer}, ${team_id}))`);
  const row = await tx.maybe<{ count: number }>(sql`
    select count(*)::int as count from attempts
    where team_id = ${team_id} and payer = ${payer} and created_at > ${since} and status not in ('succeeded', 'unavailable')`);
  return row?.count ?? 0;
}
