import { type Conditions, conditionsOf } from '../../kit/list-filters.ts';
import { type Ids, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { clause, type Fragment, fixed, ONE_PLAN, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { ListSearcher } from '../../platform/search/list.ts';
import type { Searchable } from '../../platform/search/searchable.ts';
import type { CustomerRow } from './schema.ts';
import { needlesOf, searchText } from './search.ts';

/** SQL: an object of a customer. In rows of before the constraint `customers_objects`, anything else counts as absent. */
const object = (name: string) => `case when json_typeof(${name}) = 'object' then ${name} end as ${name}`;

const columns = fixed(`team_id, id, name, email, phone, company_name, ${object('address')}, ${object('billing')}, tax_id,
  ${object('metadata')}, blocked_at, archived_at, event_count, created_at, updated_at`);

export interface CustomerRef {
  team_id: bigint;
  id: string;
}

/**
 * Inserts a customer and its search text.
 * @throws a unique violation when the e-mail address or phone number is another customer's
 */
export async function insertCustomer(tx: Tx, row: CustomerRow): Promise<void> {
  await tx.run(sql`
    insert into customers (team_id, id, name, email, phone, company_name, address, billing, tax_id, metadata, event_count,
      created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.name}, ${row.email}, ${row.phone}, ${row.company_name}, ${json(row.address)},
      ${json(row.billing)}, ${row.tax_id}, ${json(row.metadata)}, ${row.event_count}, ${row.created_at}, ${row.updated_at})`);
  await writeSearch(tx, row);
}

/** Returns a customer, erased or not; undefined when the team has no such customer. */
export function findCustomer(db: Queryable, ref: CustomerRef): Promise<CustomerRow | undefined> {
  return db.maybe<CustomerRow>(sql`select ${columns} from customers where team_id = ${ref.team_id} and id = ${ref.id}`);
}

/** Returns the customer, locked until the transaction ends. */
export function lockCustomer(tx: Tx, ref: CustomerRef): Promise<CustomerRow | undefined> {
  return tx.maybe<CustomerRow>(sql`
    select ${columns} from customers where team_id = ${ref.team_id} and id = ${ref.id} for update`);
}

/** Returns the ids of other customers with the e-mail address and with the phone number. */
export async function findHolders(
  db: Queryable,
  { team_id, id, email, phone }: Pick<CustomerRow, 'team_id' | 'id' | 'email' | 'phone'>,
): Promise<{ email?: string; phone?: string }> {
  const rows = await db.all<{ field: 'email' | 'phone'; id: string }>(sql`
    select 'email' as field, id from customers where team_id = ${team_id} and email_key = ${email?.toLowerCase() ?? null} and id <> ${id}
    union all
    select 'phone', id from customers where team_id = ${team_id} and phone = ${phone} and id <> ${id}`);
  return Object.fromEntries(rows.map((row) => [row.field, row.id]));
}

/**
 * Writes every column that can change, and the search text.
 * @throws a unique violation, as {@link insertCustomer}
 */
export async function updateCustomer(tx: Tx, row: CustomerRow): Promise<void> {
  await tx.run(sql`
    update customers set name = ${row.name}, email = ${row.email}, phone = ${row.phone}, company_name = ${row.company_name},
      address = ${json(row.address)}, billing = ${json(row.billing)}, tax_id = ${row.tax_id}, metadata = ${json(row.metadata)},
      blocked_at = ${row.blocked_at}, archived_at = ${row.archived_at}, event_count = ${row.event_count},
      updated_at = ${row.updated_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
  if (row.archived_at === null) await writeSearch(tx, row);
  else await tx.run(sql`delete from customer_search where team_id = ${row.team_id} and customer_id = ${row.id}`);
}

async function writeSearch(tx: Tx, row: CustomerRow): Promise<void> {
  await tx.run(sql`
    insert into customer_search (team_id, customer_id, text) values (${row.team_id}, ${row.id}, ${searchText(row)})
    on conflict (team_id, customer_id) do update set text = excluded.text where customer_search.text <> excluded.text`);
}

export interface CustomerFilters {
  search?: string | undefined;
  blocked?: boolean | undefined;
}

const blocked = (is: boolean) => (is ? clause`blocked_at is not null` : part`blocked_at is null`);

function listedOf(team_id: bigint, query: CustomerFilters) {
  const conditions: Conditions<CustomerFilters> = {
    blocked,
    search: (text) => part`id in (select customer_id from customer_search where team_id = ${team_id} and ${matching(text)})`,
  };
  return rowsOf(team_id, conditionsOf(query, conditions), clause`archived_at is null`);
}

/** SQL: whether the text of a customer has what is searched. */
function matching(search: string): Fragment {
  const found = needlesOf(search).map((needle) => part`text like ${`%${needle.replace(/[\\%_]/g, '\\$&')}%`}`);
  return part`(${found.reduce((left, right) => part`${left} or ${right}`)})`;
}

/** Separates the fields of a search text in the index, instead of the line break. No folded text contains it. */
const SEPARATOR = 'ÿ';

/** The texts of customers for the search index. Erased ones have none. */
export const SEARCHABLE_CUSTOMERS: Searchable = {
  kind: 'customers',
  prefix: 'cus',
  table: 'customer_search',
  id: 'customer_id',
  groups: [[`translate(text, e'\\n', '${SEPARATOR}')`]],
  indexed: (search) => needlesOf(search).map((needle) => needle.replaceAll('\n', SEPARATOR)),
};

/** Returns the searcher of lists of customers, without erased customers. */
export function customerSearcher(): ListSearcher<CustomerRow> {
  return new ListSearcher(SEARCHABLE_CUSTOMERS, {
    from: `(select c.*, s.customer_id, s.text from customers c join customer_search s on s.team_id = c.team_id and s.customer_id = c.id
      where c.archived_at is null) customers`,
    ids: ['id', 'customer_id'],
    columns,
  });
}

/** Returns the conditions of a search by its index. */
export function searchConditions(query: CustomerFilters): Fragment[] {
  const conditions: Conditions<CustomerFilters> = { blocked, search: matching };
  return conditionsOf(query, conditions);
}

/** Returns one page, in the order of the list. Erased customers are not listed. */
export function listCustomers(
  db: Queryable,
  team_id: bigint,
  query: CustomerFilters,
  position: Position,
): Promise<CustomerRow[]> {
  return db.all<CustomerRow>(sql`select ${columns} from customers where ${rowsOfPage(listedOf(team_id, query), position)}`);
}

/** Counts the customers that match the filters, without erased customers. */
export async function countCustomers(db: Queryable, team_id: bigint, query: CustomerFilters): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from customers where ${rowsToCount(listedOf(team_id, query))}) counted`);
  return Number(row?.total ?? 0n);
}

/** Counts customers, erased or not. */
export async function countEver(db: Queryable, team_id: bigint, ids: Ids): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from customers where ${rowsToCount(rowsOf(team_id), ids)}) counted`);
  return Number(row?.total ?? 0n);
}

/** Counts the customers erased since a time, inclusive, and before another; null is open. */
export async function countErased(db: Queryable, team_id: bigint, from: Date | null, to: Date | null): Promise<number> {
  const since = from === null ? clause`` : clause`and archived_at >= ${from}`;
  const before = to === null ? clause`` : clause`and archived_at < ${to}`;
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (
      select 1 from customers where team_id = ${team_id} and archived_at is not null ${since} ${before} order by archived_at
    ) counted${ONE_PLAN}`);
  return Number(row?.total ?? 0n);
}

function json(value: object | null): string | null {
  return value && JSON.stringify(value);
}
