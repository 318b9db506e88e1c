import type { Environment } from '../../kit/environment.ts';
import { type Conditions, conditionsOf, containing, equalTo, withinAmounts, withinDays } from '../../kit/list-filters.ts';
import { pageTail } from '../../kit/pages.ts';
import type { PagingQuery, Position } from '../../kit/paging.ts';
import { allOf, type Fragment, part, type Queryable, sql } from '../../kit/sql.ts';
import { type EqualField, equalColumns, searchedFields } from './fields.ts';
import type { ListPaymentsQuery, PaymentRow } from './schema.ts';
import { columns } from './store.ts';

/** Payments of one customer, or of one payment link. */
export type PaymentsOf = { customer_id: string } | { link_id: string };

type Filters = Omit<ListPaymentsQuery, keyof PagingQuery>;

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

function belongingTo(of: PaymentsOf): Fragment {
  if ('customer_id' in of) return part`customer_id = ${of.customer_id}`;
  // Worded like the predicate of the partial index on payments of links, so that PostgreSQL uses it.
  return part`key_id = ${of.link_id} and key_id like 'lnk\\_%'`;
}

/** Returns one page, in reading order. Cursor pages contain one row more than requested when there is another page. */
export function listPayments(db: Queryable, team_id: bigint, filters: Fragment[], position: Position): Promise<PaymentRow[]> {
  const page = part`${allOf([part`team_id = ${team_id}`, ...filters])} ${pageTail(position)}`;
  if (position.kind !== 'offset') return db.all<PaymentRow>(sql`select ${columns} from payments where ${page}`);
  // The skipped rows are read from the index only; just the page itself is read from the table.
  return db.all<PaymentRow>(sql`
    select ${columns} from payments where team_id = ${team_id} and id in (select id from payments where ${page}) order by id desc`);
}

/** Counts payments, of an id range when given: `from` inclusive, `to` exclusive. */
export async function countPayments(
  db: Queryable,
  team_id: bigint,
  filters: Fragment[],
  from: string | null,
  to: string | null,
): Promise<number> {
  const conditions = [part`team_id = ${team_id}`, ...filters];
  if (from !== null) conditions.push(part`id >= ${from}`);
  if (to !== null) conditions.push(part`id < ${to}`);
  const rows = await db.all<{ total: bigint }>(sql`select count(*) as total from payments where ${allOf(conditions)}`);
  return Number(rows[0]?.total ?? 0n);
}
