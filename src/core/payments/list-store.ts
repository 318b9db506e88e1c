import type { Environment } from '../../kit/environment.ts';
import { type Conditions, conditionsOf, containing, equalTo, withinAmounts, withinDays } from '../../kit/list-filters.ts';
import { ALL_IDS, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { PagingQuery, Position } from '../../kit/paging.ts';
import { clause, type Fragment, fixed, type Queryable, sql } from '../../kit/sql.ts';
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
  const ids = (rows: Fragment) => clause`select id from payments where ${rows}`;
  return db.all<ListedRow>(sql`
    select ${listedColumns} from payments where ${rowsOfPage(rowsOf(team_id, filters), position, ids)}`);
}

/** Counts the payments that match the filters, in a range of ids. */
export async function countPayments(db: Queryable, team_id: bigint, filters: Fragment[], ids = ALL_IDS): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, filters), ids);
  const rows = await db.all<{ total: bigint }>(sql`
    select count(*) as total from (select id from payments where ${counted}) counted`);
  return Number(rows[0]?.total ?? 0n);
}
