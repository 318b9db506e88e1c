import { Readable } from 'node:stream';
import { type ExportedPayment, exportedPayments } from '../../../../core/payments/export-store.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../../../kit/csv.ts';
import { Problem } from '../../../../kit/errors.ts';
import { wireFromMinor } from '../../../../kit/money.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { withQuery } from '../../paths.ts';
import { filtersOf } from './list.ts';

/** Number of payments that an export holds in memory: the maximum page of the API. */
const PAGE = 100;

/** The columns of the file, in their order. They are listed in docs/console.md; a new one is added at the end. */
const COLUMNS: readonly (readonly [name: string, cell: (row: ExportedPayment) => string | number | null])[] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }) => created_at.toISOString()],
  ['completed_at', ({ completed_at }) => completed_at?.toISOString() ?? null],
  ['status', ({ status }) => status],
  ['currency', ({ currency }) => currency],
  ['amount', ({ amount_minor }) => wireFromMinor(amount_minor)],
  ['fee', ({ fee_minor }) => wireFromMinor(fee_minor)],
  ['fee_bearer', ({ bearer }) => bearer],
  ['amount_captured', ({ captured_minor }) => wireFromMinor(captured_minor)],
  ['amount_refunded', ({ refunded_minor }) => wireFromMinor(refunded_minor)],
  ['channel', ({ channel }) => channel],
  ['reason', ({ reason }) => reason],
  ['reference', ({ reference }) => reference],
  ['description', ({ description }) => description],
  ['customer', ({ customer_id }) => customer_id],
  ['name', ({ name }) => name],
  ['phone', ({ phone }) => phone],
  ['email', ({ email }) => email],
];

interface Page {
  ids: string[];
  /** Cursor of the next page; null after the last one. */
  next: string | null;
}

/** Sends the filtered list as a CSV file, page by page: a list of any length takes the memory of one page. */
export async function exportPayments(visit: TeamVisit): Promise<Answer> {
  let first: Page;
  try {
    first = await pageAt(visit, '');
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    return redirect(withQuery(`${visit.base}/payments`, filtersOf(visit)));
  }
  const day = new Date(visit.at).toISOString().slice(0, 10);
  return {
    kind: 'file',
    type: 'text/csv; charset=utf-8',
    name: `payments-${visit.environment}-${day}.csv`,
    // Reading stops when the browser disconnects, because the framework then destroys the stream.
    content: Readable.from(linesOf(visit, first), { objectMode: false }),
  };
}

async function* linesOf(visit: TeamVisit, first: Page): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(COLUMNS.map(([name]) => name));
  for (let page: Page | null = first; page !== null; page = page.next === null ? null : await pageAt(visit, page.next)) {
    await visit.stillMay('payment.read');
    const rows = await exportedPayments(visit.store.db, visit.team.id, page.ids);
    yield rows.map((row) => csvLine(COLUMNS.map(([, cell]) => cell(row)))).join('');
  }
}

/**
 * Returns a page of the list as the API filters it.
 * @param cursor empty: the first page
 */
async function pageAt(visit: TeamVisit, cursor: string): Promise<Page> {
  const { body } = await visit.api('GET /payments', { query: { ...filtersOf(visit), cursor, per_page: PAGE } });
  const { items, meta } = body as unknown as { items: { id: string }[]; meta: { has_more: boolean; next_cursor: string } };
  return { ids: items.map(({ id }) => id), next: meta.has_more ? meta.next_cursor : null };
}
