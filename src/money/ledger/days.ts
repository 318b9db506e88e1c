import type { Minor } from '../../kit/money.ts';
import { clause, type Db, type Fragment, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { MARK_SETTLED, MARK_XID } from '../../platform/db/marks.ts';
import { type AccountName, account, OWN_ACCOUNTS } from './accounts.ts';
import { LAST_ID } from './books.ts';

/** Journals that one transaction adds up. */
const BATCH = 500;
/** Maximum journals that a statement reads itself. With more, the background work is behind and the statement is not available yet. */
const MAX_UNCOUNTED = 100_000;

/** How far the journals of a team are added up: ids below are. */
interface Progress {
  counted_to: bigint;
  /** The same for the sums of subaccounts; never greater than `counted_to`. */
  subaccounts_counted_to: bigint;
  /** No journal with a smaller id can be added any more. */
  settled_to: bigint;
}

/** Whose sums a batch of journals is added to. */
type Sums = 'team' | 'subaccounts';

/**
 * Adds the next journals of a team to its sums by day and those of its subaccounts, each journal once. Journals that a transaction
 * still open could precede wait for a later round.
 * @returns number of journals added up; 0 too when another worker has the team
 */
export function countDays(db: Db, team_id: bigint): Promise<number> {
  return db.transaction(async (tx) => {
    // Read before this transaction has a number. A transaction with a greater number draws the ids of its journals later (`book` in
    // post.ts), so these ids are not below `end`.
    const end = await endOf(tx, team_id);
    const progress = await lockCount(tx, team_id);
    if (!progress) return 0;
    const journals = await countNext(tx, team_id, progress);
    await moveMark(tx, team_id, end);
    return journals;
  });
}

async function countNext(tx: Tx, team_id: bigint, progress: Progress): Promise<number> {
  const { counted_to, subaccounts_counted_to, settled_to } = progress;
  const next = (sums: readonly Sums[]) => addBatch(tx, team_id, sums, { from: counted_to, before: settled_to });
  if (subaccounts_counted_to === counted_to) return (await next(['team', 'subaccounts'])).journals;
  // A release that did not add up subaccounts left their sums behind. They catch up in batches of their own. The team's sums continue
  // meanwhile: with a long ledger they would fall behind too.
  const followed = await addBatch(tx, team_id, ['subaccounts'], { from: subaccounts_counted_to, before: counted_to });
  if (followed.to === counted_to) return followed.journals;
  return followed.journals + (await next(['team'])).journals;
}

/** Maximum batches of one team in one round. With only one, a team with many journals a second would fall behind the others. */
const MAX_BATCHES = 20;
/** Journals after which a round leaves a team. */
export const MAX_JOURNALS = MAX_BATCHES * BATCH;

/**
 * Adds up the journals of a team, batch by batch, until none is left or the others have waited long enough.
 * @returns number of journals added up; from {@link MAX_JOURNALS} on, some may be left
 */
export async function countFurther(db: Db, team_id: bigint): Promise<number> {
  let counted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const journals = await countDays(db, team_id);
    counted += journals;
    if (journals < BATCH) break;
  }
  return counted;
}

/**
 * Adds up to {@link BATCH} journals to sums, and stores how far they are.
 * @param range ids, `from` inclusive, `before` exclusive
 * @returns `to`: the id before which the sums now have all journals
 */
async function addBatch(
  tx: Tx,
  team_id: bigint,
  sums: readonly Sums[],
  { from, before }: { from: bigint; before: bigint },
): Promise<{ to: bigint; journals: number }> {
  const row = await tx.maybe<{ last: bigint | null; journals: number }>(sql`
    select max(id) as last, count(*)::integer as journals from (
      select id from journals where team_id = ${team_id} and id >= ${from} and id < ${before} order by id limit ${BATCH}) batch`);
  const journals = row?.journals ?? 0;
  const to = journals < BATCH ? before : (row?.last ?? from - 1n) + 1n;
  if (to === from) return { to, journals };
  await addUp(tx, team_id, sums, { from, to });
  await tx.run(sql`
    update balance_day_counts set counted_to = greatest(counted_to, ${to}),
      subaccounts_counted_to = case when ${sums.includes('subaccounts')}::boolean then ${to} else subaccounts_counted_to end
    where team_id = ${team_id}`);
  return { to, journals };
}

/** Locks the progress of a team until the transaction ends. @returns undefined: another worker has it */
async function lockCount(tx: Tx, team_id: bigint): Promise<Progress | undefined> {
  await tx.run(sql`
    insert into balance_day_counts (team_id, counted_to) values (${team_id}, 0) on conflict (team_id) do nothing`);
  return tx.maybe<Progress>(sql`
    select counted_to, subaccounts_counted_to,
      case when ${MARK_SETTLED} then greatest(marked_to, counted_to) else counted_to end as settled_to
    from balance_day_counts where team_id = ${team_id} for update skip locked`);
}

/** Returns the id after a team's newest journal. The team is passed as a row: for a plain value PostgreSQL would read all its journals. */
async function endOf(db: Queryable, team_id: bigint): Promise<bigint> {
  const row = await db.maybe<{ id: bigint }>(sql`
    select newest.id + 1 as id from (select ${team_id}::bigint as team_id offset 0) t
    cross join lateral (select j.id from journals j where j.team_id = t.team_id order by j.id desc limit 1) newest`);
  return row?.id ?? 0n;
}

/** Sets a mark once the journals before the last one are added up. */
async function moveMark(tx: Tx, team_id: bigint, to: bigint): Promise<void> {
  await tx.run(sql`
    update balance_day_counts set marked_xid = ${MARK_XID}, marked_to = ${to}
    where team_id = ${team_id} and (marked_to is null or marked_to <= counted_to)`);
}

/** Returns the id below which no journal of a team is added any more; those above it are few, unless the background work is behind. */
export async function settledBelow(db: Queryable, team_id: bigint): Promise<bigint> {
  const row = await db.maybe<{ id: bigint }>(sql`select counted_to as id from balance_day_counts where team_id = ${team_id}`);
  return row?.id ?? 0n;
}

/**
 * Adds the journals of a range to sums, in one statement that reads them once.
 * @param range ids, `from` inclusive, `to` exclusive
 */
async function addUp(tx: Tx, team_id: bigint, sums: readonly Sums[], { from, to }: { from: bigint; to: bigint }): Promise<void> {
  const bounds = clause`select ${from}::bigint as low, ${to}::bigint as high`;
  await tx.run(sql`
    with changes as materialized (
      select subaccount, currency, day, account, kind, sum(amount_minor) as amount_minor
      from (${changesOf(team_id, bounds, BATCH, clause`split_part(v.account, ':', 1) = any(${[...OWN_ACCOUNTS]}::text[])`)}) each_change
      group by subaccount, currency, day, account, kind
    ), of_subaccounts as (
      insert into subaccount_balance_days (team_id, subaccount, currency, day, account, kind, amount_minor)
      select ${team_id}::bigint, subaccount, currency, day, account, kind, amount_minor from changes
      where subaccount <> '' and ${sums.includes('subaccounts')}::boolean
      on conflict (team_id, subaccount, currency, day, account, kind) do update
        set amount_minor = subaccount_balance_days.amount_minor + excluded.amount_minor
    )
    insert into balance_days (team_id, currency, day, account, kind, amount_minor)
    select ${team_id}::bigint, currency, day, account, kind, amount_minor from changes
    where subaccount = '' and ${sums.includes('team')}::boolean
    on conflict (team_id, currency, day, account, kind) do update
      set amount_minor = balance_days.amount_minor + excluded.amount_minor`);
}

/**
 * Returns the changes of balances by journals of a range: one row for each side of each line.
 * @param bounds row with the ids `low`, inclusive, and `high`, exclusive. Under row-level security PostgreSQL searches an index by
 * columns of another row, and not by a subquery: it would read all journals instead. `offset 0` keeps the row one of its own.
 * @param limit maximum number of journals
 * @param among condition on `v.account`: the accounts whose changes are returned
 */
function changesOf(team_id: bigint, bounds: Fragment, limit: number, among: Fragment): Fragment {
  return clause`
    select split_part(s.account, ':', 2) collate "C" as subaccount, s.currency collate "C" as currency,
      (j.created_at at time zone 'UTC')::date as day, split_part(s.account, ':', 1) collate "C" as account,
      coalesce(j.family, j.kind) collate "C" as kind, s.amount_minor
    from (${bounds} offset 0) b
    cross join lateral (
      select j.team_id, j.id, j.kind, j.family, j.created_at from journals j
      where j.team_id = ${team_id} and j.id >= b.low and j.id < b.high order by j.id limit ${limit}) j
    cross join lateral (
      select p.currency, v.account, v.amount_minor
      from postings p, lateral (values (p.debit, -p.amount_minor), (p.credit, p.amount_minor)) v (account, amount_minor)
      where p.team_id = j.team_id and p.journal_id = j.id and ${among} offset 0) s`;
}

/** Bounds of the journals that the sums do not have. */
function uncounted(team_id: bigint, subaccount: string | null): Fragment {
  const counted_to = subaccount === null ? clause`counted_to` : clause`subaccounts_counted_to`;
  return clause`
    select coalesce((select ${counted_to} from balance_day_counts where team_id = ${team_id}), 0) as low, ${LAST_ID}::bigint as high`;
}

/** Returns the teams among these that have journals which are not added up. */
export async function teamsToCount(db: Queryable, team_ids: readonly bigint[]): Promise<bigint[]> {
  const rows = await db.all<{ team_id: bigint }>(sql`
    select t.team_id from unnest(${[...team_ids]}::bigint[]) as t (team_id)
    cross join lateral (select j.id from journals j where j.team_id = t.team_id order by j.id desc limit 1) newest
    left join balance_day_counts c on c.team_id = t.team_id
    where newest.id >= coalesce(c.counted_to, 0) or c.subaccounts_counted_to < c.counted_to`);
  return rows.map(({ team_id }) => team_id);
}

/** What the journals of one kind changed in one balance. */
export interface Change {
  /** UTC, `2026-11-23`; null: all days before the period together. */
  day: string | null;
  /** Without the subaccount. */
  account: AccountName;
  /** Kind of the journals, up to the colon; empty before the period. */
  kind: string;
  amount_minor: Minor;
}

/** Days of a statement, UTC: `from` inclusive, `before` exclusive. */
export interface Days {
  from: string;
  before: string;
}

/** The owner and the currency of the changes in a statement. */
export interface Owner {
  team_id: bigint;
  /** Null: the team itself. */
  subaccount: string | null;
  currency: string;
}

/**
 * Returns the changes of the balances of a team or a subaccount by day, and their sums before the period, exact in one snapshot: sums
 * by day plus the journals that are not in them yet.
 * @returns null while so many journals are not added up that reading them would take long
 */
export async function readChanges(db: Queryable, owner: Owner, days: Days): Promise<Change[] | null> {
  const { team_id, subaccount, currency } = owner;
  const late = uncounted(team_id, subaccount);
  const behind = await db.maybe(sql`
    select j.id from (${late} offset 0) b cross join lateral (
      select j.id from journals j where j.team_id = ${team_id} and j.id >= b.low order by j.id limit 1 offset ${MAX_UNCOUNTED}) j`);
  if (behind) return null;
  const within = clause`day >= ${days.from}::date`;
  const accounts = OWN_ACCOUNTS.map((name) => account(name, subaccount));
  return db.all<Change>(sql`
    select case when ${within} then to_char(day, 'YYYY-MM-DD') end as day, account, case when ${within} then kind else '' end as kind,
      sum(amount_minor)::bigint as amount_minor
    from (
      select day, account, kind, amount_minor from ${
        subaccount === null
          ? clause`balance_days where team_id = ${team_id}`
          : clause`subaccount_balance_days where team_id = ${team_id} and subaccount = ${subaccount}`
      } and currency = ${currency} and day < ${days.before}::date
      union all
      select day, account, kind, amount_minor
      from (${changesOf(team_id, late, 2 * MAX_UNCOUNTED, clause`v.account = any(${accounts}::text[])`)}) uncounted
      where currency = ${currency} and day < ${days.before}::date
    ) changes group by 1, 2, 3 order by 1, 2, 3`);
}
