import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Position } from '../../kit/paging.ts';
import { allOf, type Fragment, fixed, part, type Queryable, sql } from '../../kit/sql.ts';
import type { PaymentRow } from './schema.ts';
import { columns } from './store.ts';

export interface PaymentFilters {
  search?: string | undefined;
  /** Searches id and reference only: the search allowed for a public key. */
  search_ids_only: boolean;
  status?: string | undefined;
  /** UTC days, inclusive. */
  date_from?: string | undefined;
  date_to?: string | undefined;
  amount_min_minor?: bigint | undefined;
  amount_max_minor?: bigint | undefined;
  customer_id?: string | undefined;
  link_id?: string | undefined;
}

/** Returns one page, in reading order. Cursor pages contain one row more than requested when there is another page. */
export function listPayments(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  filters: PaymentFilters,
  position: Position,
): Promise<PaymentRow[]> {
  const conditions = [part`team_id = ${team_id}`, ...filterConditions(environment, filters), ...positionConditions(position)];
  const order = position.kind === 'newer' ? fixed('id') : fixed('id desc');
  if (position.kind === 'offset') {
    // The skipped rows are read from the index only; just the page itself is read from the table.
    return db.all<PaymentRow>(sql`
      select ${columns} from payments where team_id = ${team_id} and id in (
        select id from payments where ${allOf(conditions)} order by id desc
        limit ${position.per_page} offset ${(position.page - 1) * position.per_page}
      ) order by id desc`);
  }
  return db.all<PaymentRow>(sql`
    select ${columns} from payments where ${allOf(conditions)} order by ${order} limit ${position.per_page + 1}`);
}

/** Counts payments, of an id range when given: `from` inclusive, `to` exclusive. */
export async function countPayments(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  filters: PaymentFilters,
  from: string | null,
  to: string | null,
): Promise<number> {
  const conditions = [part`team_id = ${team_id}`, ...filterConditions(environment, filters)];
  if (from !== null) conditions.push(part`id >= ${from}`);
  if (to !== null) conditions.push(part`id < ${to}`);
  const rows = await db.all<{ total: bigint }>(sql`select count(*) as total from payments where ${allOf(conditions)}`);
  return Number(rows[0]?.total ?? 0n);
}

function positionConditions(position: Position): Fragment[] {
  if (position.kind === 'older') return position.than === null ? [] : [part`id < ${position.than}`];
  if (position.kind === 'newer') return [position.inclusive ? part`id >= ${position.than}` : part`id > ${position.than}`];
  return [];
}

const DAY_MS = 86_400_000;

function filterConditions(environment: Environment, filters: PaymentFilters): Fragment[] {
  const conditions: Fragment[] = [];
  const { status, date_from, date_to, amount_min_minor, amount_max_minor, customer_id, link_id, search } = filters;
  if (customer_id !== undefined) conditions.push(part`customer_id = ${customer_id}`);
  // Worded like the predicate of the partial index on payments of links, so that PostgreSQL uses it.
  if (link_id !== undefined) conditions.push(part`key_id = ${link_id} and key_id like 'lnk\\_%'`);
  if (status) conditions.push(part`status = ${status}`);
  if (date_from) conditions.push(part`id >= ${lowestIdAt('trx', environment, Date.parse(date_from))}`);
  if (date_to) conditions.push(part`id < ${lowestIdAt('trx', environment, Date.parse(date_to) + DAY_MS)}`);
  if (amount_min_minor !== undefined) conditions.push(part`amount_minor >= ${amount_min_minor}`);
  if (amount_max_minor !== undefined) conditions.push(part`amount_minor <= ${amount_max_minor}`);
  if (search) conditions.push(searchCondition(search, filters.search_ids_only));
  return conditions;
}

function searchCondition(search: string, idsOnly: boolean): Fragment {
  const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  if (idsOnly) return part`(id ilike ${like} or reference ilike ${like})`;
  return part`(id ilike ${like} or reference ilike ${like} or description ilike ${like} or name ilike ${like}
    or email ilike ${like} or phone ilike ${like})`;
}
