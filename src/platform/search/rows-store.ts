import { allOf, fixed, type Fragment, listOf, part, type Queryable, sql } from '../../kit/sql.ts';
import type { Among, IdRange, Matches, Order } from './search.ts';
import type { ListedTable, Searchable, Searched } from './searchable.ts';

// Statements on the tables of other rooms, which name them in a Searchable or ListedTable.

/** Returns the next rows with ids after `after` (null: from the first) up to and including `to`, in the order of ids. */
export async function readTexts(
  db: Queryable,
  { table, id, groups }: Searchable,
  team_id: bigint,
  { after, to }: { after: string | null; to: string },
  limit: number,
): Promise<Searched[]> {
  const texts = groups.flat().map((text, i) => `${text} as t${i}`);
  const rows = await db.all<{ id: string } & Record<string, string | null>>(sql`
    select ${fixed(`${id} as id, ${texts.join(', ')} from ${table}`)}
    where team_id = ${team_id} and ${fixed(id)} > ${after ?? ''} and ${fixed(id)} <= ${to} order by ${fixed(id)} limit ${limit}`);
  return rows.map((row) => {
    let n = 0;
    return { id: row.id, texts: groups.map((group) => group.map(() => row[`t${n++}`] ?? null)) };
  });
}

/** Returns the id of the n-th row after `after`; null when there are fewer. */
export async function nthId(
  db: Queryable,
  { table, id }: Searchable,
  team_id: bigint,
  after: string | null,
  n: number,
): Promise<string | null> {
  const row = await db.maybe<{ id: string }>(sql`
    select ${fixed(`${id} as id from ${table}`)} where team_id = ${team_id} and ${fixed(id)} > ${after ?? ''}
    order by ${fixed(id)} offset ${n - 1} limit 1`);
  return row?.id ?? null;
}

const idOnly = fixed('id');
const ORDERS = { newest_first: fixed('order by id desc'), oldest_first: fixed('order by id') };
/** Sorts after every id. */
const LAST = '~';

/** Returns the rows that fulfil all conditions of a list, for its search. */
export function matchingRows<Row extends { id: string }>(
  db: Queryable,
  table: ListedTable,
  team_id: bigint,
  filters: readonly Fragment[],
): Matches<Row> {
  const from = fixed(table.from);
  const matching = (condition: (id: Fragment) => Fragment) =>
    allOf([part`team_id = ${team_id}`, ...table.ids.map((id) => condition(fixed(id))), ...filters]);
  const inRange = matching((id) => part`${id} > range.after and ${id} <= range.upto`);
  const select = (columns: Fragment, among: Among, order: Order, limit: number) =>
    'ids' in among
      ? sql`
          select ${columns} from ${from}
          where ${matching((id) => part`${id} = any(${[...among.ids]})`)} ${ORDERS[order]} limit ${limit}`
      : sql`
          select found.* from ${rangesOf([among])} cross join lateral (
            select ${columns} from ${from} where ${inRange} ${ORDERS[order]} limit ${limit}) found ${ORDERS[order]}`;
  return {
    rows: (among, order, limit) => db.all<Row>(select(table.columns, among, order, limit)),
    ids: async (among, order, limit) => (await db.all<{ id: string }>(select(idOnly, among, order, limit))).map(({ id }) => id),
    counts: async (ranges) => {
      const rows = await db.all<{ count: bigint }>(sql`
        select counted.count from ${rangesOf(ranges)} cross join lateral (
          select count(*) as count from ${from} where ${inRange}) counted order by range.n`);
      return rows.map(({ count }) => Number(count));
    },
  };
}

/**
 * SQL: ranges of ids as rows. PostgreSQL would estimate visible bounds with the ids of all teams, and read the whole table when most
 * ids of other teams are in the range.
 */
function rangesOf(ranges: readonly IdRange[]): Fragment {
  const after = ranges.map((range) => range.after ?? '');
  const upto = ranges.map(({ to }) => to ?? LAST);
  return part`unnest(${after}::text[], ${upto}::text[]) with ordinality as range (after, upto, n)`;
}

const FEW = 2_000;

/** A condition that an index can serve. */
export interface Indexed {
  condition: Fragment;
  /** Whether the index has its rows in the order of ids. */
  ordered: boolean;
}

/**
 * Returns the ids of the rows that fulfil the narrowest of the conditions, if there are so few that comparing all of them is
 * fastest; otherwise null.
 */
export async function fewIds(
  db: Queryable,
  { from }: ListedTable,
  team_id: bigint,
  conditions: readonly Indexed[],
): Promise<string[] | null> {
  if (conditions.length === 0) return null;
  const first = (columns: Fragment, { condition, ordered }: Indexed) => part`
    select ${columns} from ${fixed(from)} where team_id = ${team_id} and ${condition} ${fixed(ordered ? 'order by id' : '')} limit ${FEW + 1}`;
  const counts = conditions.map((one) => part`(select count(*) from (${first(fixed('1'), one)}) few)`);
  const row = await db.maybe<{ counts: bigint[] }>(sql`select array[${listOf(counts)}] as counts`);
  const found = (row?.counts ?? []).map(Number);
  const least = Math.min(...found);
  if (least > FEW) return null;
  const rows = await db.all<{ id: string }>(sql`${first(idOnly, conditions[found.indexOf(least)] as Indexed)}`);
  return rows.map(({ id }) => id);
}
