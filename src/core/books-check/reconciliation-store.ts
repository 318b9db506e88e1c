import { fixed, PLANNED_EACH_TIME, type Queryable, sql } from '../../kit/sql.ts';
import type { Minor } from '../../kit/money.ts';
import type { BreakRow } from '../reconciliation/schema.ts';

/** A break whose money was set aside, with the provider account that its reconciliation run compared. */
export type SetAside = BreakRow & { provider_account: string };

const columns =
  fixed(`b.team_id, b.run_id, b.id, b.kind, b.flow, b.line, b.key, b.reference, b.subject_id, b.of_id, b.leg, b.there_minor, b.there_currency,
  b.there_at, b.there_status, b.here_minor, b.here_currency, b.here_at, b.here_standing, b.action, b.state, b.outcome`);

/** Returns breaks that were corrected, in the order of their key. */
export function setAsideAfter(
  db: Queryable,
  team_id: bigint,
  after: Pick<BreakRow, 'run_id' | 'id'> & { kind: string },
  limit: number,
): Promise<SetAside[]> {
  return db.all<SetAside>(sql`
    select ${columns}, r.provider_account
    from reconciliation_breaks b join reconciliation_runs r on r.team_id = b.team_id and r.id = b.run_id
    where b.team_id = ${team_id} and (b.run_id, b.kind, b.id) > (${after.run_id}, ${after.kind}, ${after.id})
      and b.action = 'correct' and b.state in ('held', 'settled')
    order by b.run_id, b.kind, b.id limit ${limit}${PLANNED_EACH_TIME}`);
}

/** Returns corrections and settlements without a matching break. */
export function findUnaccounted(db: Queryable, team_id: bigint, limit: number): Promise<{ kind: string; subject_id: string }[]> {
  return db.all(sql`
    select j.kind, j.subject_id from journals j
    where j.team_id = ${team_id} and j.family like 'reconciliation.%' and not exists (
      select 1 from reconciliation_breaks b
      where b.team_id = j.team_id and b.action = 'correct' and coalesce(b.of_id, b.run_id) = j.subject_id
        and b.state in ('held', 'settled')
        and (j.family <> 'reconciliation.settled' or exists (
          -- The settled break may belong to another run about the same money.
          select 1 from reconciliation_breaks s where s.team_id = j.team_id and s.state = 'settled'
            and (s.of_id, s.key, s.reference, s.kind, s.flow) is not distinct from (b.of_id, b.key, b.reference, b.kind, b.flow))))
    order by j.id limit ${limit}${PLANNED_EACH_TIME}`);
}

/** Money of a payout's breaks that a settlement moved on the available balance of a party that did not pay it, in hundredths. */
export interface Misassigned {
  subject_id: string;
  currency: string;
  account: string;
  amount_minor: Minor;
}

/** Returns what settlements of payouts' breaks moved on the available balances of other parties, unless a later journal corrected it. */
export function findMisassigned(db: Queryable, team_id: bigint, limit: number): Promise<Misassigned[]> {
  return db.all<Misassigned>(sql`
    select j.subject_id, p.currency, s.account, sum(s.amount_minor)::bigint as amount_minor
    from journals j
      join transfers t on t.team_id = j.team_id and t.id = j.subject_id
      join postings p on p.team_id = j.team_id and p.journal_id = j.id
      cross join lateral (values (p.debit, -p.amount_minor), (p.credit, p.amount_minor)) s(account, amount_minor)
    where j.team_id = ${team_id} and j.family = 'reconciliation.settled' and split_part(s.account, ':', 1) = 'available'
      and s.account <> 'available' || coalesce(':' || t.account_id, '')
    group by 1, 2, 3 having sum(s.amount_minor) <> 0
    order by 1, 2, 3 limit ${limit}${PLANNED_EACH_TIME}`);
}
