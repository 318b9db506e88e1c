import type { PaymentRow } from '../../core/payments/schema.ts';
import { must } from '../../kit/errors.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { applySteps } from './apply.ts';
import { isPayableAmount } from './part.ts';
import type { InvoiceRow } from './schema.ts';
import { isPayable } from './states.ts';
import { awaitsDecision, findInvoice, insertPayment, lockInvoices } from './store.ts';
import type { InvoiceRef } from './token.ts';

/** A failed payment of an invoice. */
type Failed = Pick<PaymentRow, 'team_id' | 'id' | 'key_id' | 'amount_minor'>;

/** Returns the invoice that created a payment; null for a payment that comes from no invoice. */
export function invoiceOf({ team_id, key_id }: Pick<PaymentRow, 'team_id' | 'key_id'>): InvoiceRef | null {
  return key_id.startsWith('inv_') ? { team_id, id: key_id } : null;
}

/** Returns whether the page of an invoice's failed payment offers another try. */
export async function invoiceTakesRetry(db: Queryable, ref: InvoiceRef, failed: Failed): Promise<boolean> {
  const row = await findInvoice(db, ref);
  return row !== undefined && isDue(row, failed) && !(await awaitsDecision(db, row));
}

/**
 * Returns the invoice, locked, if it accepts another payment of the same amount. The caller has locked the failed payment, so that a
 * retry and a concurrent submit of the invoice's own page create only one open payment.
 */
export async function lockForRetry(tx: Tx, ref: InvoiceRef, failed: Failed): Promise<InvoiceRow | null> {
  const row = must((await lockInvoices(tx, [ref]))[0], 'an invoice with payments is never deleted');
  return isDue(row, failed) && !(await awaitsDecision(tx, row)) ? row : null;
}

/** Makes a payment the open one of its locked invoice. */
export async function replacePayment(tx: Tx, at: number, before: InvoiceRow, payment_id: string): Promise<void> {
  await insertPayment(tx, before, payment_id);
  await applySteps(tx, at, [{ before, changes: { payment_id } }]);
}

/**
 * Returns whether no other payment of the invoice has been created since, and a payment may still be of this amount. After a refund it can
 * be a part that leaves too little.
 */
function isDue(row: InvoiceRow, failed: Failed): boolean {
  return row.payment_id === failed.id && isPayable(row.status) && isPayableAmount(row, failed.amount_minor);
}
