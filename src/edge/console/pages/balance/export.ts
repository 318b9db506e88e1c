import { Readable } from 'node:stream';
import type { HistoryItem } from '../../../../core/balance/schema.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../../../kit/csv.ts';
import { Problem } from '../../../../kit/errors.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { withQuery } from '../../paths.ts';
import { bucketOf, queryOf, type Selection, selectionOf } from './selection.ts';

/** Number of entries that an export holds in memory: the maximum page of the API. */
const PAGE = 100;

/** The columns of the file, in their order. They are listed in docs/console.md; a new one is added at the end. */
const COLUMNS = [
  'id',
  'created_at',
  'kind',
  'bucket',
  'currency',
  'amount',
  'source',
  'subject',
] as const satisfies (keyof HistoryItem)[];

interface Page {
  items: HistoryItem[];
  meta: { has_more: boolean; next_cursor: string };
}

/** Sends the entries of a range of days as a CSV file, page by page, the newest first. */
export async function exportEntries(visit: TeamVisit): Promise<Answer> {
  const { date_from, date_to } = visit.query;
  const selection = await selectionOf(visit);
  let first: Page;
  try {
    first = await pageAt(visit, selection, '');
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    return redirect(withQuery(selection.path, { ...queryOf(selection), date_from, date_to, fault: 'days' }));
  }
  const { subaccount } = selection;
  const range = [date_from, date_to].filter(Boolean).map((day) => `-${day}`);
  return {
    kind: 'file',
    type: 'text/csv; charset=utf-8',
    name: `${['balance', visit.environment, subaccount?.id, selection.currency].filter(Boolean).join('-')}${range.join('')}.csv`,
    // Reading stops when the browser disconnects, because the framework then destroys the stream.
    content: Readable.from(linesOf(visit, selection, first), { objectMode: false }),
  };
}

async function* linesOf(visit: TeamVisit, selection: Selection, first: Page): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(COLUMNS);
  for (
    let page: Page | null = first;
    page !== null;
    page = page.meta.has_more ? await pageAt(visit, selection, page.meta.next_cursor) : null
  ) {
    await visit.stillMay('balance.read');
    yield page.items.map((item) => csvLine(COLUMNS.map((name) => item[name]))).join('');
  }
}

/** Returns a page of the entries. @param cursor empty: the first page */
async function pageAt(visit: TeamVisit, selection: Selection, cursor: string): Promise<Page> {
  const { date_from, date_to } = visit.query;
  const filters = { date_from, date_to, currency: selection.currency, bucket: bucketOf(selection) };
  const { body } = await visit.api('GET /balance/history', {
    query: { ...filters, cursor, per_page: PAGE },
    sync: selection.subaccount?.id ?? null,
  });
  return body as unknown as Page;
}
