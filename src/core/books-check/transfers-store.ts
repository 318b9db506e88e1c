import { PLANNED_EACH_TIME, type Queryable, sql } from '../../kit/sql.ts';
import type { Compared } from './differences.ts';
import type { SubjectRange } from './payments-store.ts';
import { planningOf } from './planning.ts';

/** Returns the id that ends a chunk of transfers; null when fewer transfers are left. */
export async function lastTransferOfChunk(db: Queryable, team_id: bigint, after: string, chunk: number): Promise<string | null> {
  const row = await db.maybe<{ id: string }>(sql`
    select id from transfers where team_id = ${team_id} and id > ${after} order by id offset ${chunk - 1} limit 1${PLANNED_EACH_TIME}`);
  return row?.id ?? null;
}

/** Returns where the stages of a range of transfers and the journals about them differ. */
export function compareTransfers(db: Queryable, { team_id, after, to, few }: SubjectRange): Promise<Compared[]> {
  return db.all<Compared>(sql`
    with expected as (
      select t.id, t.currency, v.account, v.amount_minor
      from transfers t cross join lateral (select coalesce(':' || t.account_id, '') as suffix) payer cross join lateral (values
        ('available' || payer.suffix, case when t.paid_late_at is not null then -t.amount_minor
          when t.stage <> 'closed' or t.status = 'succeeded' then -(t.amount_minor + t.fee_minor) else 0 end),
        ('reserved' || payer.suffix, case t.stage when 'reserved' then t.amount_minor + t.fee_minor when 'dispatched' then t.fee_minor else 0 end),
        ('in.transit' || payer.suffix, case when t.stage = 'dispatched' then t.amount_minor else 0 end),
        ('clearing', case when t.status = 'succeeded' or t.paid_late_at is not null then t.amount_minor else 0 end),
        ('fee_income', case when t.status = 'succeeded' then t.fee_minor else 0 end)) v(account, amount_minor)
      where t.team_id = ${team_id} and t.id > ${after} and t.id <= ${to}
    ),
    booked as (
      -- Of a late success, the platform may advance what the balance does not cover.
      select j.subject_id as id, p.currency, replace(s.account, 'credit', 'available') as account, sum(s.amount_minor) as amount_minor
      from journals j
        cross join lateral (select currency, debit, credit, amount_minor from postings p
          where p.team_id = j.team_id and p.journal_id = j.id offset 0) p
        cross join lateral (values (p.debit, -p.amount_minor), (p.credit, p.amount_minor)) s(account, amount_minor)
      where j.team_id = ${team_id} and j.subject_id > ${after} and j.subject_id <= ${to}
        and j.kind not like 'reconciliation.%' and j.kind not like 'credit.repaid:%'
      group by 1, 2, 3
    )
    select id as subject, currency, account, coalesce(e.amount_minor, 0)::bigint as expected,
      coalesce(b.amount_minor, 0)::bigint as found
    from expected e full join booked b using (id, currency, account)
    where coalesce(e.amount_minor, 0) <> coalesce(b.amount_minor, 0)
    order by 1, 2, 3${planningOf(few)}`);
}
