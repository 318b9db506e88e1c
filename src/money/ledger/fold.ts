import { type Queryable, sql } from '../../kit/sql.ts';

/**
 * Moves deltas into the balances. They are deleted and added in one statement, so that a balance (row plus deltas in one
 * snapshot) is exact at every moment. Any number of workers may fold at the same time.
 * @returns number of folded deltas
 */
export async function foldDeltas(db: Queryable, limit: number): Promise<number> {
  const rows = await db.all<{ folded: bigint }>(sql`
    with gone as (
      delete from balance_deltas where (team_id, id) in (
        select team_id, id from balance_deltas order by team_id, id limit ${limit} for update skip locked
      ) returning team_id, currency, account, amount_minor
    ),
    sums as (
      select team_id, currency, account, sum(amount_minor)::bigint as amount_minor, count(*) as deltas
      from gone group by team_id, currency, account order by team_id, currency, account
    ),
    added as (
      insert into balances (team_id, currency, account, guarded, posted_minor)
      select team_id, currency, account, false, amount_minor from sums
      on conflict (team_id, currency, account) do update set posted_minor = balances.posted_minor + excluded.posted_minor
    )
    select coalesce(sum(deltas), 0)::bigint as folded from sums`);
  return Number(rows[0]?.folded ?? 0n);
}
