import { recordEvents } from '../../money/webhooks/record-store.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { type LockedPayment, lockPaymentProgress, cancelLockedPayment } from '../../core/payments/locked.ts';
import { applySteps, ENVIRONMENT, eventOf } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import { type InvoiceRequest, changedDraft } from './draft.ts';
import { type ChangeInvoiceBody, changeInvoiceBody, type InvoiceRow } from './schema.ts';
import { isPayable, nextInvoiceStatus } from './states.ts';
import { deleteInvoice, findInvoice, insertFormerCustomer, lockInvoices } from './store.ts';
import type { InvoiceRef } from './token.ts';
import { Moved } from './transact.ts';

/**
 * Returns an invoice.
 * @throws Problem 404, the same for an unknown id, another team's and a sandbox id
 */
export async function getInvoice(db: Queryable, ref: InvoiceRef): Promise<InvoiceRow> {
  const row = isId('inv', ENVIRONMENT, ref.id) ? await findInvoice(db, ref) : undefined;
  if (!row) throw notFound('Invoice');
  return row;
}

/**
 * Returns the invoice, locked until the transaction ends.
 * @throws Problem 404
 */
export async function lockInvoice(tx: Tx, ref: InvoiceRef): Promise<InvoiceRow> {
  const row = isId('inv', ENVIRONMENT, ref.id) ? (await lockInvoices(tx, [ref]))[0] : undefined;
  if (!row) throw notFound('Invoice');
  return row;
}

/**
 * Changes the fields in the body. Only `metadata` of a sent invoice can change: the customer already has the rest.
 * @throws Problem 400 already sent, 404, 422
 */
export async function changeInvoice(tx: Tx, request: InvoiceRequest, id: string, body: ChangeInvoiceBody): Promise<InvoiceRow> {
  const before = await lockInvoice(tx, { team_id: request.team_id, id });
  request.verify?.(before);
  const changes = before.status === 'draft' ? await changedDraft(tx, request, before, body) : relabelled(before, body);
  const [row] = await applySteps(tx, request.at, [{ before, changes }]);
  if (row?.customer_id !== before.customer_id) await insertFormerCustomer(tx, before);
  return must(row, 'one step, one row');
}

function relabelled({ status, metadata }: InvoiceRow, body: ChangeInvoiceBody): Partial<InvoiceRow> {
  const named = FIELDS.filter((field) => body[field] !== undefined && field !== 'metadata');
  if (named.length > 0) {
    throw new Problem(400, `The invoice is ${status}: only its metadata can be changed. Cancel it and make another.`);
  }
  return { metadata: body.metadata === undefined ? metadata : (body.metadata as InvoiceRow['metadata']) };
}

const FIELDS = Object.keys(changeInvoiceBody.properties) as (keyof ChangeInvoiceBody)[];

/**
 * Deletes a draft and records `invoice.cancelled` for receivers of its earlier events.
 * @throws Problem 400 already sent, 404
 */
export async function removeInvoice(tx: Tx, at: number, ref: InvoiceRef): Promise<InvoiceRow> {
  const row = await lockInvoice(tx, ref);
  if (row.status !== 'draft')
    throw new Problem(400, `The invoice is ${row.status}: only a draft can be deleted. Cancel it instead.`);
  const gone: InvoiceRow = { ...row, status: 'cancelled', cancelled_at: new Date(at), event_count: row.event_count + 1 };
  await recordEvents(tx, ENVIRONMENT, at, [eventOf(gone, 'invoice.cancelled')]);
  await insertFormerCustomer(tx, row);
  await deleteInvoice(tx, ref);
  return gone;
}

/**
 * Cancels an invoice and its payment without a charge. Paid amounts remain, and can be refunded by POST /refunds.
 * @throws Problem 400 paid, cancelled or payment in progress, 404
 */
export async function cancelInvoice(
  tx: Tx,
  deps: Pick<InvoiceDeps, 'listeners'>,
  at: number,
  ref: InvoiceRef,
): Promise<InvoiceRow> {
  const { held, row } = await lockWithPayment(tx, ref);
  if (nextInvoiceStatus(row.status, 'cancelled') === null) throw new Problem(400, `The invoice is ${row.status}.`);
  if (held?.progress === 'under_way') throw new Problem(400, 'The invoice is being paid: wait for the payment to end.');
  const [cancelled] = await applySteps(tx, at, [{ before: row, trigger: 'cancelled' }]);
  if (held?.progress === 'not_started')
    await cancelLockedPayment(tx, { environment: ENVIRONMENT, at, listeners: deps.listeners }, held);
  return must(cancelled, 'one step, one row');
}

/**
 * Returns the invoice with its last payment, both locked. The payment is locked first, as in all code. Which payment is the
 * last is certain only when the invoice is locked too.
 * @throws Problem 404; {@link Moved} when another payment was created concurrently: {@link transact} retries it
 */
export async function lockWithPayment(tx: Tx, ref: InvoiceRef): Promise<{ row: InvoiceRow; held: LockedPayment | null }> {
  const { payment_id } = await getInvoice(tx, ref);
  const held = payment_id === null ? null : await lockPaymentProgress(tx, { team_id: ref.team_id, id: payment_id });
  const row = await lockInvoice(tx, ref);
  if (row.payment_id !== payment_id) throw new Moved();
  return { row, held };
}

/** Records the first view of the page. */
export async function markViewed(tx: Tx, at: number, ref: InvoiceRef): Promise<InvoiceRow> {
  const before = await lockInvoice(tx, ref);
  if (before.viewed_at !== null || !isPayable(before.status)) return before;
  const [row] = await applySteps(tx, at, [{ before, trigger: 'viewed', changes: { viewed_at: new Date(at) } }]);
  return must(row, 'one step, one row');
}
