import { allOf, fixed, type Fragment, part, type Queryable, sql } from '../../kit/sql.ts';
import type { Among, IdRange, Matches, Order } from '../../platform/search/search.ts';
import type { Searchable } from '../../platform/search/searchable.ts';
import { searchedFields } from './fields.ts';
import { LISTED_COLUMNS, type ListedRow } from './present.ts';

const columnsOf = (by: 'anyone' | 'secret_key') => searchedFields(by).map(({ column }) => column);
const SEARCHED = columnsOf('secret_key');

/** Columns by group. The index keeps the groups apart, so that a public key does not search what only the owner may. */
const GROUP_COLUMNS = [columnsOf('anyone'), SEARCHED.filter((column) => !columnsOf('anyone').includes(column))];
export const GROUPS = { anyone: [0], secret_key: [0, 1] } as const;
const texts = fixed(SEARCHED.join(', '));

/** Payments for the search index. */
export const SEARCHABLE_PAYMENTS: Searchable = {
  kind: 'payments',
  prefix: 'trx',
  async read(db, team_id, after, to, limit) {
    const rows = await db.all<{ id: string } & Record<string, string | null>>(sql`
      select ${texts} from payments where team_id = ${team_id} and id > ${after ?? ''} and id <= ${to} order by id limit ${limit}`);
    return rows.map((row) => ({ id: row.id, texts: GROUP_COLUMNS.map((group) => group.map((column) => row[column] ?? null)) }));
  },
  async nth(db, team_id, after, n) {
    const row = await db.maybe<{ id: string }>(sql`
      select id from payments where team_id = ${team_id} and id > ${after ?? ''} order by id offset ${n - 1} limit 1`);
    return row?.id ?? null;
  },
};

const listedColumns = fixed(LISTED_COLUMNS.join(', '));
const idOnly = fixed('id');
const ORDERS = { newest_first: fixed('order by id desc'), oldest_first: fixed('order by id') };
/** Sorts after every id. */
const LAST = '~';

/** Returns the payments that fulfil all conditions of a list, for its search. */
export function matchingPayments(db: Queryable, team_id: bigint, filters: readonly Fragment[]): Matches<ListedRow> {
  const matching = (ids: Fragment) => allOf([part`team_id = ${team_id}`, ids, ...filters]);
  const inRange = matching(part`id > range.after and id <= range.upto`);
  const select = (columns: Fragment, among: Among, order: Order, limit: number) =>
    'ids' in among
      ? sql`select ${columns} from payments where ${matching(part`id = any(${[...among.ids]})`)} ${ORDERS[order]} limit ${limit}`
      : sql`
          select found.* from ${rangesOf([among])} cross join lateral (
            select ${columns} from payments where ${inRange} ${ORDERS[order]} limit ${limit}) found ${ORDERS[order]}`;
  return {
    rows: (among, order, limit) => db.all<ListedRow>(select(listedColumns, among, order, limit)),
    ids: async (among, order, limit) => (await db.all<{ id: string }>(select(idOnly, among, order, limit))).map(({ id }) => id),
    counts: async (ranges) => {
      const rows = await db.all<{ count: bigint }>(sql`
        select counted.count from ${rangesOf(ranges)} cross join lateral (
          select count(*) as count from payments where ${inRange}) counted order by range.n`);
      return rows.map(({ count }) => Number(count));
    },
  };
}

/**
 * SQL: ranges of ids as rows. Bounds that PostgreSQL can see would be estimated with the ids of all teams: it reads the whole table
 * when most ids of other teams are in the range.
 */
function rangesOf(ranges: readonly IdRange[]): Fragment {
  const after = ranges.map((range) => range.after ?? '');
  const upto = ranges.map(({ to }) => to ?? LAST);
  return part`unnest(${after}::text[], ${upto}::text[]) with ordinality as range (after, upto, n)`;
}

const FEW = 2_000;

/** Whether a customer or link has so few payments that reading all of them is fastest. */
export async function areFew(db: Queryable, team_id: bigint, of: Fragment): Promise<boolean> {
  const row = await db.maybe<{ count: bigint }>(sql`
    select count(*) from (select id from payments where team_id = ${team_id} and ${of} order by id limit ${FEW + 1}) few`);
  return Number(row?.count) <= FEW;
}
