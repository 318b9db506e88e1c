import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { faultOf } from '../../parts/fault.ts';
import { showInvoice } from './one.ts';
import { invoiceOf } from './read.ts';

/** Sends a draft, or a reminder of an invoice that was sent. */
export async function sendInvoice(visit: TeamVisit): Promise<Answer> {
  const { id, status } = await invoiceOf(visit);
  return acted(visit, 'POST /invoices/:id/send', `${visit.base}/invoices/${id}?done=${status === 'draft' ? 'send' : 'remind'}`);
}

/** Cancels an invoice. */
export function cancelInvoice(visit: TeamVisit): Promise<Answer> {
  return acted(visit, 'POST /invoices/:id/cancel', `${visit.base}/invoices/${visit.params.id}?done=cancel`);
}

/** Deletes a draft. */
export function deleteInvoice(visit: TeamVisit): Promise<Answer> {
  return acted(visit, 'DELETE /invoices/:id', `${visit.base}/invoices?done=delete`);
}

/** Runs an operation of the invoice; why it was rejected is shown above the invoice as it is now. */
async function acted(visit: TeamVisit, operation: string, to: string): Promise<Answer> {
  try {
    await visit.api(operation, { params: { id: visit.params.id ?? '' }, idempotency_key: visit.formKey });
  } catch (error) {
    return showInvoice(visit, faultOf(error));
  }
  return redirect(to);
}
