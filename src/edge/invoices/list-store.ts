import { type Conditions, conditionsOf, containing, equalTo, withinDays } from '../../kit/list-filters.ts';
import { rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { type Queryable, sql } from '../../kit/sql.ts';
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

const CONDITIONS: Conditions<InvoiceFilters> = {
  status: equalTo('status'),
  customer: equalTo('customer_id'),
  ...withinDays('inv', 'live'),
  search: containing(['id', 'number', 'reference', 'name', 'email', 'phone']),
};

export function listInvoices(db: Queryable, team_id: bigint, query: InvoiceFilters, position: Position): Promise<InvoiceRow[]> {
  const page = rowsOfPage(rowsOf(team_id, conditionsOf(query, CONDITIONS)), position);
  return db.all<InvoiceRow>(sql`select ${columns} from invoices where ${page}`);
}

export async function countInvoices(db: Queryable, team_id: bigint, query: InvoiceFilters): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, conditionsOf(query, CONDITIONS)));
  const rows = await db.all<{ total: bigint }>(sql`
    select count(*) as total from (select id from invoices where ${counted}) counted`);
  return Number(rows[0]?.total ?? 0n);
}
