import { type Account, account } from '../ledger/accounts.ts';
import { type Journal, lockBalances, post } from '../ledger/post.ts';
import type { Minor } from '../../kit/money.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';

/** Money that became available to a party, identified by its source. */
export interface Arrival {
  team_id: bigint;
  currency: string;
  /** The connected subaccount; '' is the team itself. */
  account_id: string;
  source_id: string;
  subject_id: string;
}

/**
 * Repays the platform's advances from money that has just become available, before anything else can use it. Most teams owe
 * nothing; one query for all of them finds those that do.
 */
export async function repayCredit(tx: Tx, arrivals: Arrival[]): Promise<void> {
  const owing = await owed(tx, arrivals);
  for (const arrival of arrivals.filter(({ team_id, currency, account_id }) =>
    owing.has(key(team_id, currency, creditOf(account_id))),
  )) {
    await repay(tx, arrival);
  }
}

async function repay(tx: Tx, arrival: Arrival): Promise<void> {
  const { team_id, currency, source_id, subject_id } = arrival;
  const [available, credit] = [account('available', arrival.account_id || null), creditOf(arrival.account_id)];
  const balances = await lockBalances(tx, team_id, currency, [available, credit]);
  const debt = -(balances[credit] ?? 0n);
  const amount_minor = debt < (balances[available] ?? 0n) ? debt : (balances[available] ?? 0n);
  if (amount_minor <= 0n) return;
  const journal: Journal = {
    team_id,
    kind: `credit.repaid:${currency}:${available}`,
    source_id,
    subject_id,
    currency,
    postings: [{ debit: available, credit, amount_minor }],
  };
  await post(tx, [journal]);
}

/** Returns the sum that the platform has advanced to a team and its subaccounts, in hundredths. */
export async function owedByTeam(db: Queryable, team_id: bigint, currency: string): Promise<Minor> {
  const row = await db.maybe<{ owed: bigint }>(sql`
    select coalesce(-sum(posted_minor), 0)::bigint as owed from balances
    where team_id = ${team_id} and currency = ${currency} and split_part(account, ':', 1) = 'credit'`);
  return row?.owed ?? 0n;
}

/** Returns which of the parties owe anything. */
async function owed(db: Queryable, arrivals: Arrival[]): Promise<Set<string>> {
  const rows = await db.all<{ team_id: bigint; currency: string; account: Account }>(sql`
    select team_id, currency, account from balances
    where (team_id, currency, account) in (select * from unnest(${arrivals.map((a) => a.team_id)}::bigint[],
      ${arrivals.map((a) => a.currency)}::text[], ${arrivals.map((a) => creditOf(a.account_id))}::text[])) and posted_minor < 0`);
  return new Set(rows.map((row) => key(row.team_id, row.currency, row.account)));
}

function creditOf(account_id: string): Account {
  return account('credit', account_id || null);
}

function key(team_id: bigint, currency: string, name: Account): string {
  return `${team_id} ${currency} ${name}`;
}
