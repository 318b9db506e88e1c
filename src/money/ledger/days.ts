import type { Minor } from '../../kit/money.ts';
import { clause, type Db, type Fragment, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { type Account, OWN_ACCOUNTS } from './accounts.ts';
import { LAST_ID } from './books.ts';
import { settledBelow } from './moments.ts';

/** Journals that one transaction adds up. */
const BATCH = 500;
/** Journals that a statement reads by itself. With more the background work is behind, and there is no statement yet. */
const MAX_UNCOUNTED = 100_000;

/**
 * Adds the next journals of a team to its sums by day, each journal once. Journals that a transaction still open could precede wait
 * for a later round.
 * @returns number of journals added up; 0 too when another worker has the team
 */
export function countDays(db: Db, team_id: bigint): Promise<number> {
  return db.transaction(async (tx) => {
    const from = await lockCount(tx, team_id);
    if (from === undefined) return 0;
    const before = await settledBelow(tx, team_id);
    const row = await tx.maybe<{ last: bigint | null; journals: number }>(sql`
      select max(id) as last, count(*)::integer as journals from (
        select id from journals where team_id = ${team_id} and id >= ${from} and id < ${before} order by id limit ${BATCH}) batch`);
    if (!row || row.last === null) return 0;
    const to = row.last + 1n;
    await tx.run(sql`
      insert into balance_days (team_id, currency, day, account, kind, amount_minor)
      select ${team_id}::bigint, currency, day, account, kind, sum(amount_minor)
      from (${changesOf(team_id, clause`select ${from}::bigint as low, ${to}::bigint as high`, BATCH)}) changes
      group by currency, day, account, kind
      on conflict (team_id, currency, day, account, kind) do update
        set amount_minor = balance_days.amount_minor + excluded.amount_minor`);
    await tx.run(sql`update balance_day_counts set counted_to = ${to} where team_id = ${team_id}`);
    return row.journals;
  });
}

/** Locks the progress of a team until the transaction ends. @returns undefined: another worker has it */
async function lockCount(tx: Tx, team_id: bigint): Promise<bigint | undefined> {
  await tx.run(sql`
    insert into balance_day_counts (team_id, counted_to) values (${team_id}, 0) on conflict (team_id) do nothing`);
  const row = await tx.maybe<{ counted_to: bigint }>(sql`
    select counted_to from balance_day_counts where team_id = ${team_id} for update skip locked`);
  return row?.counted_to;
}

/**
 * Every change of a team's own balances by journals of a range: one row for each side of each line.
 * @param bounds row with the ids `low`, inclusive, and `high`, exclusive. Under row-level security PostgreSQL searches an index by
 * columns of another row, and not by a subquery: it would read all journals instead. `offset 0` keeps the row one of its own.
 * @param limit maximum number of journals
 */
function changesOf(team_id: bigint, bounds: Fragment, limit: number): Fragment {
  return clause`
    select s.currency collate "C" as currency, (j.created_at at time zone 'UTC')::date as day, s.account collate "C" as account,
      coalesce(j.family, j.kind) collate "C" as kind, s.amount_minor
    from (${bounds} offset 0) b
    cross join lateral (
      select j.team_id, j.id, j.kind, j.family, j.created_at from journals j
      where j.team_id = ${team_id} and j.id >= b.low and j.id < b.high order by j.id limit ${limit}) j
    cross join lateral (
      select p.currency, v.account, v.amount_minor
      from postings p, lateral (values (p.debit, -p.amount_minor), (p.credit, p.amount_minor)) v (account, amount_minor)
      where p.team_id = j.team_id and p.journal_id = j.id and v.account = any(${[...OWN_ACCOUNTS]}::text[]) offset 0) s`;
}

/** Bounds of the journals of a team that are not added up. */
function uncounted(team_id: bigint): Fragment {
  return clause`
    select coalesce((select counted_to from balance_day_counts where team_id = ${team_id}), 0) as low, ${LAST_ID}::bigint as high`;
}

/** Returns the teams among these that have journals which are not added up. */
export async function teamsToCount(db: Queryable, team_ids: readonly bigint[]): Promise<bigint[]> {
  const rows = await db.all<{ team_id: bigint }>(sql`
    select t.team_id from unnest(${[...team_ids]}::bigint[]) as t (team_id)
    cross join lateral (select j.id from journals j where j.team_id = t.team_id order by j.id desc limit 1) newest
    left join balance_day_counts c on c.team_id = t.team_id
    where newest.id >= coalesce(c.counted_to, 0)`);
  return rows.map(({ team_id }) => team_id);
}

/** What the journals of one kind changed in one balance. */
export interface Change {
  /** UTC, `2026-11-23`; null: all days before the period together. */
  day: string | null;
  account: Account;
  /** Kind of the journals, up to the colon; empty before the period. */
  kind: string;
  amount_minor: Minor;
}

/** Days of a statement, UTC: `from` inclusive, `before` exclusive. */
export interface Days {
  from: string;
  before: string;
}

/**
 * Returns the changes of a team's own balances by day, and their sums before the period, exact in one snapshot: sums by day plus the
 * journals that are not in them yet.
 * @returns null while so many journals are not added up that reading them would take long
 */
export async function readChanges(db: Queryable, team_id: bigint, currency: string, days: Days): Promise<Change[] | null> {
  const behind = await db.maybe(sql`
    select j.id from (${uncounted(team_id)} offset 0) b cross join lateral (
      select j.id from journals j where j.team_id = ${team_id} and j.id >= b.low order by j.id limit 1 offset ${MAX_UNCOUNTED}) j`);
  if (behind) return null;
  const within = clause`day >= ${days.from}::date`;
  return db.all<Change>(sql`
    select case when ${within} then to_char(day, 'YYYY-MM-DD') end as day, account, case when ${within} then kind else '' end as kind,
      sum(amount_minor)::bigint as amount_minor
    from (
      select day, account, kind, amount_minor from balance_days
      where team_id = ${team_id} and currency = ${currency} and day < ${days.before}::date
      union all
      select day, account, kind, amount_minor from (${changesOf(team_id, uncounted(team_id), 2 * MAX_UNCOUNTED)}) late
      where currency = ${currency} and day < ${days.before}::date
    ) changes group by 1, 2, 3 order by 1, 2, 3`);
}
