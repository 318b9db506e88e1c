import { doneOnce, isRecorded } from '../../done-once.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { faultOf } from '../../parts/fault.ts';
import { refuseUnseen } from '../../parts/seen.ts';
import { showInvoice } from './one.ts';
import { invoiceOf } from './read.ts';
import { typedFrom } from './typed.ts';

/** Sends a draft as the person saw it, or a reminder of an invoice that was sent. */
export async function sendInvoice(visit: TeamVisit): Promise<Answer> {
  const invoice = await invoiceOf(visit);
  const isDraft = invoice.status === 'draft';
  try {
    if (isDraft) refuseUnseen(visit, typedFrom(invoice));
  } catch (error) {
    return showInvoice(visit, faultOf(visit, error));
  }
  return acted(visit, 'POST /invoices/:id/send', `${visit.base}/invoices/${invoice.id}?done=${isDraft ? 'send' : 'remind'}`);
}

/** Cancels an invoice. */
export function cancelInvoice(visit: TeamVisit): Promise<Answer> {
  return acted(visit, 'POST /invoices/:id/cancel', `${visit.base}/invoices/${visit.params.id}?done=cancel`);
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

/** Runs an operation of the invoice; why it was rejected is shown above the invoice as it is now. */
async function acted(visit: TeamVisit, operation: string, to: string): Promise<Answer> {
  try {
    await visit.api(operation, { params: { id: visit.params.id ?? '' }, idempotency_key: visit.formKey });
  } catch (error) {
    return showInvoice(visit, faultOf(visit, error));
  }
  return redirect(to);
}
