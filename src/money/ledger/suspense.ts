import type { Minor } from '../../kit/money.ts';
import { fixed, type Queryable, sql } from '../../kit/sql.ts';

/** What a journal is posted under, with its currency. */
interface Posted {
  source_id: string;
  kind: string;
  currency: string;
}

/** Returns the key of a journal in the result of {@link suspenseOf}. */
export function suspenseKey({ source_id, kind, currency }: Posted): string {
  return `${source_id} ${kind} ${currency}`;
}

/** Returns by how much journals changed suspense (`hold`), in hundredths, by {@link suspenseKey}; only for journals that are posted. */
export async function suspenseOf(
  db: Queryable,
  team_id: bigint,
  journals: readonly { source_id: string; kind: string }[],
): Promise<Map<string, Minor>> {
  const rows = await db.all<Posted & { amount_minor: bigint }>(sql`
    select j.source_id, j.kind, p.currency, sum(case when p.credit = 'hold' then p.amount_minor when p.debit = 'hold' then -p.amount_minor else 0 end)::bigint
      as amount_minor
    from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
    where j.team_id = ${team_id} and (j.source_id, j.kind) in (
      select * from unnest(${journals.map(({ source_id }) => source_id)}::text[], ${journals.map(({ kind }) => kind)}::text[]))
    group by 1, 2, 3`);
  return new Map(rows.map((row) => [suspenseKey(row), row.amount_minor]));
}

/**
 * SQL: whether the journal `j` put money in suspense that a statement reported after the end of its operation, even if a person has moved
 * it on since. False when a person decided that the statement was wrong: then other evidence counts.
 */
export const SET_ASIDE_BY_STATEMENT = fixed(`j.kind = 'reconciliation.late'
  and not exists (
    select from journals s join postings p on p.team_id = s.team_id and p.journal_id = s.id
    where s.team_id = j.team_id and s.source_id = j.source_id and s.kind = 'reconciliation.settled:reconciliation.late'
      and 'clearing' in (p.debit, p.credit))`);

/** SQL: whether the journal `j` put such money in suspense, where it still waits for a decision. */
export const UNDECIDED_BY_STATEMENT = fixed(`j.kind = 'reconciliation.late'
  and not exists (
    select from journals s where s.team_id = j.team_id and s.source_id = j.source_id and s.kind = 'reconciliation.settled:reconciliation.late')`);

/**
 * Whether the money of an operation was set aside, see {@link SET_ASIDE_BY_STATEMENT}.
 * @param source_id id of the payout, or of the refund with the number of its part
 */
export async function isSetAsideByStatement(db: Queryable, team_id: bigint, source_id: string): Promise<boolean> {
  const row = await db.maybe(sql`
    select 1 from journals j where j.team_id = ${team_id} and j.source_id = ${source_id} and ${SET_ASIDE_BY_STATEMENT}`);
  return row !== undefined;
}
