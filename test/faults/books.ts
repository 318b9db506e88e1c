import { type Queryable, sql } from '../../src/kit/sql.ts';

/** What must hold over all teams at the end. @returns what does not */
export async function checkBooks(db: Queryable): Promise<string[]> {
  const faults = await db.all<{ fault: string }>(sql`
    with moved as (
      select team_id, currency, debit as account, -amount_minor as amount_minor from postings
      union all select team_id, currency, credit, amount_minor from postings),
    booked as (select team_id, currency, account, sum(amount_minor) as amount_minor from moved group by 1, 2, 3),
    held as (
      select team_id, currency, account, sum(amount_minor) as amount_minor from (
        select team_id, currency, account, posted_minor as amount_minor from balances
        union all select team_id, currency, account, amount_minor from balance_deltas) parts group by 1, 2, 3)
    select 'drift of ' || coalesce(b.account, h.account) as fault from booked b full join held h using (team_id, currency, account)
      where coalesce(b.amount_minor, 0) <> coalesce(h.amount_minor, 0)
    union all select 'negative ' || account from balances where guarded and posted_minor < 0
    union all select 'pending of ' || h.team_id || ' is not what waits' from held h where h.account = 'pending' and h.amount_minor <> (
      select coalesce(sum(i.amount_minor), 0) from settlement_items i
      where i.team_id = h.team_id and i.currency = h.currency and i.account_id = '' and i.released_at is null)
    -- What was never paid gives back everything that came, the fee too.
    union all select 'over-refunded ' || id from payments
      where refunded_minor > amount_minor and status in ('succeeded', 'partially_refunded', 'refunded')`);
  return faults.map(({ fault }) => fault);
}
