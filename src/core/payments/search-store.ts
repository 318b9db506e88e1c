import { allOf, fixed, type Fragment, part, type Queryable, sql } from '../../kit/sql.ts';
import { type IdRange, type Matches, type Order, within } from '../../platform/search/search.ts';
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
const ORDERS = { newest_first: fixed('order by id desc'), oldest_first: fixed('order by id') };

/** Returns the payments that fulfil all conditions of a list, for its search. */
export function matchingPayments(db: Queryable, team_id: bigint, filters: readonly Fragment[]): Matches<ListedRow> {
  const matching = (among: Fragment) => allOf([part`team_id = ${team_id}`, among, ...filters]);
  return {
    rows: (among: Fragment, order: Order, limit: number) =>
      db.all<ListedRow>(sql`select ${listedColumns} from payments where ${matching(among)} ${ORDERS[order]} limit ${limit}`),
    ids: async (among, order, limit) => {
      const rows = await db.all<{ id: string }>(sql`
        select id from payments where ${matching(among)} ${ORDERS[order]} limit ${limit}`);
      return rows.map(({ id }) => id);
    },
    counts: async (ranges) => {
      const counts = ranges.map((range: IdRange) => part`(select count(*) from payments where ${matching(within(range))})`);
      const [row] = await db.all<{ counts: bigint[] }>(sql`
        select array[${counts.reduce((left, right) => part`${left}, ${right}`)}] as counts`);
      return (row?.counts ?? []).map(Number);
    },
  };
}

const FEW = 2_000;

/** Whether so few payments fulfil conditions that have an index that reading all of them is fastest. */
export async function areFew(db: Queryable, team_id: bigint, filters: readonly Fragment[]): Promise<boolean> {
  const row = await db.maybe<{ count: bigint }>(sql`
    select count(*) from (select 1 from payments where ${allOf([part`team_id = ${team_id}`, ...filters])} limit ${FEW + 1}) few`);
  return Number(row?.count) <= FEW;
}
