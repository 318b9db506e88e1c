import { must } from '../../kit/errors.ts';
import type { Minor } from '../../kit/money.ts';
import { type Queryable, sql } from '../../kit/sql.ts';

/** A range of a team's journals: ids above `after`, up to and including `to`. */
export interface JournalRange {
  team_id: bigint;
  after: bigint;
  to: bigint;
}

/** The largest possible id. */
export const LAST_ID = 2n ** 63n - 1n;

/** The balance of one account according to the balance tables. Amounts are in hundredths. */
export interface HeldAccount {
  currency: string;
  account: string;
  held_minor: Minor;
  /** The balance without the postings of transactions that were still open in the snapshot. */
  closed_minor: Minor;
  /** Whether its row must not go below zero; null: it has no row. */
  guarded: boolean | null;
}

/** Returns the next team that appears in any table of the ledger, or null. */
export async function nextTeam(db: Queryable, after: bigint): Promise<bigint | null> {
  const row = await db.maybe<{ team_id: bigint | null }>(sql`
    select least(
      (select min(team_id) from journals where team_id > ${after}), (select min(team_id) from postings where team_id > ${after}),
      (select min(team_id) from balances where team_id > ${after}), (select min(team_id) from balance_deltas where team_id > ${after})
    ) as team_id`);
  return row?.team_id ?? null;
}

/** Returns a team's balances in one snapshot, and the id below which every transaction was closed in it. */
export async function booksOf(db: Queryable, team_id: bigint): Promise<{ closed_before: string; accounts: HeldAccount[] }> {
  const rows = await db.all<HeldAccount & { closed_before: string }>(sql`
    select s.closed_before::text, b.currency, b.account, b.held_minor, b.closed_minor, b.guarded
    from (select pg_snapshot_xmin(pg_current_snapshot()) as closed_before) s left join lateral (
      select currency, account, coalesce(sum(amount_minor) filter (where not later), 0)::bigint as held_minor, sum(amount_minor)::bigint as closed_minor,
        bool_and(guarded) as guarded
      from (
        select currency, account, posted_minor as amount_minor, false as later, guarded from balances where team_id = ${team_id}
        union all
        select currency, account, amount_minor, false, null from balance_deltas where team_id = ${team_id}
        union all
        select p.currency, v.account, v.amount_minor, true, null
        from journals j, lateral (select * from postings p where p.team_id = j.team_id and p.journal_id = j.id offset 0) p,
          lateral (values (p.debit, p.amount_minor), (p.credit, -p.amount_minor)) v(account, amount_minor)
        where j.team_id = ${team_id} and j.tx >= s.closed_before
      ) parts group by currency, account
    ) b on true`);
  const { closed_before } = must(rows[0], 'a snapshot has a row even where there are no accounts');
  return { closed_before, accounts: rows.filter(({ account }) => account !== null) };
}

/** Returns the id that ends a chunk of journals; {@link LAST_ID} when fewer journals are left. */
export async function lastOfChunk(db: Queryable, team_id: bigint, after: bigint, chunk: number): Promise<bigint> {
  const row = await db.maybe<{ id: bigint }>(sql`
    select id from journals where team_id = ${team_id} and id > ${after} order by id offset ${chunk - 1} limit 1`);
  return row?.id ?? LAST_ID;
}

/** Sums of the lines of a chunk of journals. */
export interface BookedSums {
  journals: number;
  lines: number;
  /** Amounts by pair of accounts, in hundredths. */
  flows: { currency: string; debit: string; credit: string; amount_minor: Minor }[];
}

/**
 * Returns the sums of the closed lines of a chunk by pair of accounts, and their number. The query works journal by journal
 * (`offset 0` prevents a join): the plan of a join depends on statistics, which are wrong just after a bulk load.
 */
export async function bookedSums(
  db: Queryable,
  { team_id, after, to }: JournalRange,
  closed_before: string,
): Promise<BookedSums> {
  const rows = await db.all<BookedSums['flows'][number] & { lines: bigint; journals: bigint }>(sql`
    select p.currency, p.debit, p.credit, sum(p.amount_minor)::bigint as amount_minor, count(*) as lines,
      (select count(*) from journals where team_id = ${team_id} and id > ${after} and id <= ${to} and tx < ${closed_before}::xid8) as journals
    from journals j, lateral (
      select currency, debit, credit, amount_minor from postings p where p.team_id = j.team_id and p.journal_id = j.id offset 0) p
    where j.team_id = ${team_id} and j.id > ${after} and j.id <= ${to} and j.tx < ${closed_before}::xid8
    group by p.currency, p.debit, p.credit`);
  return {
    flows: rows,
    journals: Number(rows[0]?.journals ?? 0n),
    lines: rows.reduce((lines, row) => lines + Number(row.lines), 0),
  };
}
