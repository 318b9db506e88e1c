import type { Minor } from '../../kit/money.ts';
import { type Queryable, sql } from '../../kit/sql.ts';
import type { Account } from './accounts.ts';

/** Returns every account of a team in one currency, exact in one snapshot: balance rows plus deltas that are not folded yet. */
export async function readBalances(db: Queryable, team_id: bigint, currency: string): Promise<Map<Account, Minor>> {
  const rows = await db.all<{ account: Account; amount_minor: bigint }>(sql`
    select account, sum(amount_minor)::bigint as amount_minor from (
      select account, posted_minor as amount_minor from balances where team_id = ${team_id} and currency = ${currency}
      union all
      select account, amount_minor from balance_deltas where team_id = ${team_id} and currency = ${currency}
    ) all_parts group by account`);
  return new Map(rows.map((row) => [row.account, row.amount_minor]));
}

/** Returns the currencies in which a team has had a balance, in alphabetical order. */
export async function currenciesOf(db: Queryable, team_id: bigint): Promise<string[]> {
  const rows = await db.all<{ currency: string }>(sql`
    select currency from balances where team_id = ${team_id}
    union select currency from balance_deltas where team_id = ${team_id} order by currency`);
  return rows.map(({ currency }) => currency);
}
