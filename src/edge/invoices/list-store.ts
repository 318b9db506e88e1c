import { type Conditions, conditionsOf, containing, equalTo, withinDays } from '../../kit/list-filters.ts';
import { rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { type Fragment, type Queryable, sql } from '../../kit/sql.ts';
import { ListSearcher } from '../../platform/search/list.ts';
import type { Searchable } from '../../platform/search/searchable.ts';
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

const SEARCHED = ['id', 'number', 'reference', 'name', 'email', 'phone'];

/** Invoices for the search index. */
export const SEARCHABLE_INVOICES: Searchable = {
  ...{ kind: 'invoices', prefix: 'inv', table: 'invoices', id: 'id' },
  groups: [SEARCHED],
};

/** Creates the searcher of invoices. */
export function invoiceSearcher(): ListSearcher<InvoiceRow> {
  return new ListSearcher(SEARCHABLE_INVOICES, { from: 'invoices', ids: ['id'], columns });
}

const CONDITIONS: Conditions<InvoiceFilters> = {
  status: equalTo('status'),
  customer: equalTo('customer_id'),
  ...withinDays('inv', 'live'),
  search: containing(SEARCHED),
};

/** Returns the conditions of a list besides its team. */
export function invoiceConditions(query: InvoiceFilters): Fragment[] {
  return conditionsOf(query, CONDITIONS);
}

/** Returns one page, in the order of the list. */
export function listInvoices(db: Queryable, team_id: bigint, query: InvoiceFilters, position: Position): Promise<InvoiceRow[]> {
  const page = rowsOfPage(rowsOf(team_id, invoiceConditions(query)), position);
  return db.all<InvoiceRow>(sql`select ${columns} from invoices where ${page}`);
}

/** Counts the invoices that match the query. */
export async function countInvoices(db: Queryable, team_id: bigint, query: InvoiceFilters): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, invoiceConditions(query)));
  const rows = await db.all<{ total: bigint }>(sql`
    select count(*) as total from (select id from invoices where ${counted}) counted`);
  return Number(rows[0]?.total ?? 0n);
}
