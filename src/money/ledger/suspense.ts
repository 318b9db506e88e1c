import type { Minor } from '../../kit/money.ts';
import { type Queryable, sql } from '../../kit/sql.ts';

/** Returns by how much journals changed suspense (`hold`), in hundredths, by source and kind; only for journals that are posted. */
export async function suspenseOf(
  db: Queryable,
  team_id: bigint,
  journals: readonly { source_id: string; kind: string }[],
): Promise<Map<string, Minor>> {
  const rows = await db.all<{ source_id: string; kind: string; amount_minor: bigint }>(sql`
    select j.source_id, j.kind, sum(case when p.credit = 'hold' then p.amount_minor when p.debit = 'hold' then -p.amount_minor else 0 end)::bigint
      as amount_minor
    from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
    where j.team_id = ${team_id} and (j.source_id, j.kind) in (
      select * from unnest(${journals.map(({ source_id }) => source_id)}::text[], ${journals.map(({ kind }) => kind)}::text[]))
    group by 1, 2`);
  return new Map(rows.map(({ source_id, kind, amount_minor }) => [`${source_id} ${kind}`, amount_minor]));
}
