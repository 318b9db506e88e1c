import { doneOnce, isRecorded } from '../../done-once.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { faultOf } from '../../parts/fault.ts';
import { refuseUnseen } from '../../parts/seen.ts';
import { showInvoice } from './one.ts';
import type { Invoice } from './read.ts';
import { typedFrom } from './typed.ts';

/** Sends a draft as the person saw it, or a reminder of an invoice that was sent. */
export async function sendInvoice(visit: TeamVisit): Promise<Answer> {
  const { base, params, formKey } = visit;
  try {
    const verifySeen = (before: object) => {
      const invoice = before as Invoice;
      if (invoice.status === 'draft') refuseUnseen(visit, typedFrom(invoice));
    };
    const call = { params: { id: params.id ?? '' }, idempotency_key: formKey, verifySeen };
    const { id, sent_at, updated_at } = (await visit.api('POST /invoices/:id/send', call)).body.invoice as Invoice;
    // A repeated submit returns the same answer. Only the first sending sets `sent_at` and `updated_at` to the same time.
    return redirect(`${base}/invoices/${id}?done=${sent_at === updated_at ? 'send' : 'remind'}`);
  } catch (error) {
    return showInvoice(visit, faultOf(visit, error));
  }
}

/** Cancels an invoice. */
export async function cancelInvoice(visit: TeamVisit): Promise<Answer> {
  const { id = '' } = visit.params;
  try {
    await visit.api('POST /invoices/:id/cancel', { params: { id }, idempotency_key: visit.formKey });
  } catch (error) {
    return showInvoice(visit, faultOf(visit, error));
  }
  return redirect(`${visit.base}/invoices/${id}?done=cancel`);
}

/** Deletes a draft. */
export async function deleteInvoice(visit: TeamVisit): Promise<Answer> {
  const { id = '' } = visit.params;
  try {
    await doneOnce(
      () => visit.api('DELETE /invoices/:id', { params: { id } }),
      () => isRecorded(visit, 'invoice.delete', id),
    );
  } catch (error) {
    return showInvoice(visit, faultOf(visit, error));
  }
  return redirect(`${visit.base}/invoices?done=delete`);
}
