import { lowestIdAt } from '../../kit/ids.ts';
import { pageTail } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { allOf, type Fragment, part, type Queryable, sql } from '../../kit/sql.ts';
import type { InvoiceRow } from './schema.ts';
import { columns } from './store.ts';

export interface InvoiceFilters {
  search?: string | undefined;
  status?: string | undefined;
  customer?: string | undefined;
  /** UTC days, inclusive. */
  date_from?: string | undefined;
  date_to?: string | undefined;
}

export function listInvoices(db: Queryable, team_id: bigint, filters: InvoiceFilters, position: Position): Promise<InvoiceRow[]> {
  return db.all<InvoiceRow>(sql`
    select ${columns} from invoices where ${allOf(conditionsOf(team_id, filters))} ${pageTail(position)}`);
}

export async function countInvoices(db: Queryable, team_id: bigint, filters: InvoiceFilters): Promise<number> {
  const rows = await db.all<{ total: bigint }>(
    sql`select count(*) as total from invoices where ${allOf(conditionsOf(team_id, filters))}`,
  );
  return Number(rows[0]?.total ?? 0n);
}

const DAY_MS = 86_400_000;

function conditionsOf(team_id: bigint, { search, status, customer, date_from, date_to }: InvoiceFilters): Fragment[] {
  const conditions = [part`team_id = ${team_id}`];
  if (status) conditions.push(part`status = ${status}`);
  if (customer !== undefined) conditions.push(part`customer_id = ${customer}`);
  if (date_from) conditions.push(part`id >= ${lowestIdAt('inv', 'live', Date.parse(date_from))}`);
  if (date_to) conditions.push(part`id < ${lowestIdAt('inv', 'live', Date.parse(date_to) + DAY_MS)}`);
  if (search) conditions.push(searchCondition(search));
  return conditions;
}

function searchCondition(search: string): Fragment {
  const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return part`(id ilike ${like} or number ilike ${like} or reference ilike ${like} or name ilike ${like} or email ilike ${like}
    or phone ilike ${like})`;
}
