import { paymentLister } from '../../../core/payments/list.ts';
import { retrieved } from '../../../core/payments/present.ts';
import { listPaymentsQuery, type ListPaymentsQuery } from '../../../core/payments/schema.ts';
import { findManyWithAttempts } from '../../../core/payments/view-store.ts';
import { csvLine } from '../../../kit/csv.ts';
import { validatorOf } from '../../../tenants/api/validation.ts';
import { countText } from '../format.ts';
import { fieldsOf } from '../list-options.ts';
import type { Item } from '../listing.ts';
import { type Operations, type TeamOptions, withOperations } from '../operations.ts';
import { refuse, refuseFaults } from '../refuse.ts';
import { jsonText, writeOut } from '../output.ts';
import { withProgress } from '../progress.ts';
import { FILTERS } from './list.ts';

interface ExportOptions extends TeamOptions {
  format: 'csv' | 'jsonl';
  json?: true;
}

/** Payments that are read together: memory holds a few copies of them, and one may have 10 kB. */
const PAGE = 200;

const FIELDS = [
  ...['id', 'created_at', 'completed_at', 'status', 'reason', 'message', 'reference', 'description', 'amount', 'currency'],
  ...['amount_total', 'amount_captured', 'amount_refunded', 'fee', 'bearer', 'settled', 'channel', 'customer', 'account'],
  ...['payment_method', 'expires_at', 'updated_at', 'sandbox'],
];

/** Writes the payments that exist when the command starts, each as it is when it is read. */
export async function exportPaymentsCommand(options: ExportOptions): Promise<void> {
  const csv = !options.json && options.format === 'csv';
  const lineOf = (payment: Item) => (csv ? csvLine(FIELDS.map((name) => payment[name])) : `${jsonText(payment)}\n`);
  const count = await withProgress(false, (progress) =>
    withOperations(options.environment ?? 'sandbox', options, async (operations) => {
      let written = 0;
      // There is at least one page, so the header is always written. An invalid filter fails before it.
      let head = csv ? csvLine(FIELDS) : '';
      for await (const payments of pagesOf(operations, fieldsOf(options, FILTERS))) {
        await writeOut(head + payments.map(lineOf).join(''));
        head = '';
        written += payments.length;
        progress.update('exporting', () => `${countText(written)} payments`);
      }
      return written;
    }),
  );
  if (process.stderr.isTTY) console.error(`${countText(count)} payments exported`);
}

/** Yields the payments of a query page by page, newest first. Each page begins where the one before ended, so none is read twice. */
async function* pagesOf({ deps, call }: Operations, filters: Record<string, unknown>): AsyncGenerator<Item[]> {
  refuseFaults(validatorOf(undefined, listPaymentsQuery).query(filters));
  const list = paymentLister(deps);
  for (let cursor = '', more = true; more; ) {
    const page = call<unknown, ListPaymentsQuery>({ query: { ...filters, per_page: PAGE, cursor } });
    const { body } = await list(page).catch((error: unknown) => refuse(error));
    const { items, meta } = body as { items: { id: string }[]; meta: { has_more: boolean; next_cursor: string } };
    const { team, store } = page.caller;
    const refs = items.map(({ id }) => ({ team_id: team.id, id }));
    const found = await findManyWithAttempts(store.db, refs);
    yield found.flatMap((payment) => (payment ? [retrieved(store.environment, payment, payment.attempts)] : []));
    [cursor, more] = [meta.next_cursor, meta.has_more];
  }
}
