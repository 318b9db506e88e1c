import { CURRENCIES, type Minor } from '../../kit/money.ts';
import { clause, type Queryable, sql } from '../../kit/sql.ts';
import type { Account } from './accounts.ts';

/**
 * Returns accounts of a team in one currency, exact in one snapshot: balance rows plus deltas that are not folded yet.
 * @param accounts default: all of them, with those of each subaccount
 */
export async function readBalances(
  db: Queryable,
  team_id: bigint,
  currency: string,
  accounts?: readonly Account[],
): Promise<Map<Account, Minor>> {
  const among = accounts ? clause`and account = any(${[...accounts]}::text[])` : clause``;
  const rows = await db.all<{ account: Account; amount_minor: bigint }>(sql`
    select account, sum(amount_minor)::bigint as amount_minor from (
      select account, posted_minor as amount_minor from balances where team_id = ${team_id} and currency = ${currency} ${among}
      union all
      select account, amount_minor from balance_deltas where team_id = ${team_id} and currency = ${currency} ${among}
    ) all_parts group by account`);
  return new Map(rows.map((row) => [row.account, row.amount_minor]));
}

/** Returns the currencies in which these accounts of a team have had a balance, in alphabetical order. */
export async function currenciesOf(db: Queryable, team_id: bigint, accounts: readonly Account[]): Promise<string[]> {
  // One look for each currency: a marketplace has rows for each of its subaccounts.
  const rows = await db.all<{ currency: string }>(sql`
    select c.currency from unnest(${[...CURRENCIES]}::text[]) as c (currency)
    where exists (select from balances b where b.team_id = ${team_id} and b.currency = c.currency and b.account = any(${[...accounts]}::text[]))
      or exists (
        select from balance_deltas d where d.team_id = ${team_id} and d.currency = c.currency and d.account = any(${[...accounts]}::text[]))
    order by c.currency`);
  return rows.map(({ currency }) => currency);
}
