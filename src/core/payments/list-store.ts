import type { Environment } from '../../kit/environment.ts';
import { type Conditions, conditionsOf, containing, equalTo, withinAmounts, withinDays } from '../../kit/list-filters.ts';
import { countOrder, pageTail, planOf } from '../../kit/pages.ts';
import type { PagingQuery, Position } from '../../kit/paging.ts';
import { allOf, clause, type Fragment, fixed, type Queryable, sql } from '../../kit/sql.ts';
import { type EqualField, equalColumns, searchedFields } from './fields.ts';
import type { ListPaymentsQuery } from './schema.ts';
import { LISTED_COLUMNS, type ListedRow } from './present.ts';

/** Payments of one customer, or of one payment link. */
export type PaymentsOf = { customer_id: string } | { link_id: string };

type Filters = Omit<ListPaymentsQuery, keyof PagingQuery>;

const listedColumns = fixed(LISTED_COLUMNS.join(', '));

const equalities = Object.fromEntries(equalColumns.map(({ name, column }) => [name, equalTo(column)])) as Pick<
  Conditions<Filters>,
  EqualField
>;
const searched = (by: 'anyone' | 'secret_key') => containing(searchedFields(by).map(({ column }) => column));
const search = { anyone: searched('anyone'), secret_key: searched('secret_key') };

/** Returns the conditions of a list besides its team; empty for all payments of the team. */
export function filterConditions(
  environment: Environment,
  query: Filters,
  searcher: keyof typeof search,
  of?: PaymentsOf,
): Fragment[] {
  const conditions: Conditions<Filters> = {
    ...equalities,
    ...withinDays('trx', environment),
    ...withinAmounts,
    search: search[searcher],
  };
  return [...(of ? [belongingTo(of)] : []), ...conditionsOf(query, conditions)];
}

/** Returns the condition of a list of one customer or payment link. */
export function belongingTo(of: PaymentsOf): Fragment {
  if ('customer_id' in of) return clause`customer_id = ${of.customer_id}`;
  // Worded like the predicate of the partial index on payments of links, so that PostgreSQL uses it.
  return clause`key_id = ${of.link_id} and key_id like 'lnk\\_%'`;
}

/**
 * Returns one page, in reading order, with the columns that a list shows. Cursor pages contain one row more than requested when
 * there is another page.
 */
export function listPayments(db: Queryable, team_id: bigint, filters: Fragment[], position: Position): Promise<ListedRow[]> {
  const conditions = allOf([ofTeam(team_id), ...filters]);
  if (position.kind !== 'offset' || position.page === 1) {
    return db.all<ListedRow>(
      sql`select ${listedColumns} from payments where ${conditions} ${pageTail(position)}${planOf(filters)}`,
    );
  }
  // The skipped rows are read from the index only. A range and not a lookup of each id: several indexes hold the columns of a
  // lookup, and a plan made for an empty table takes any of them; only one has the rows in order.
  const { page, per_page } = position;
  const first = clause`select id from payments where ${conditions} order by id desc limit 1 offset ${(page - 1) * per_page}`;
  return db.all<ListedRow>(sql`
    select ${listedColumns} from payments where ${conditions} and id <= (${first})
    ${pageTail({ kind: 'offset', page: 1, per_page })}${planOf(filters)}`);
}

const ofTeam = (team_id: bigint) => clause`team_id = ${team_id}`;

/** Counts payments, of an id range when given: `from` inclusive, `to` exclusive. */
export async function countPayments(
  db: Queryable,
  team_id: bigint,
  filters: Fragment[],
  from: string | null,
  to: string | null,
): Promise<number> {
  const conditions = [ofTeam(team_id), ...filters];
  if (from !== null) conditions.push(clause`id >= ${from}`);
  if (to !== null) conditions.push(clause`id < ${to}`);
  const counted = clause`select id from payments where ${allOf(conditions)} ${countOrder(filters)}`;
  const rows = await db.all<{ total: bigint }>(sql`select count(*) as total from (${counted}) counted${planOf(filters)}`);
  return Number(rows[0]?.total ?? 0n);
}
