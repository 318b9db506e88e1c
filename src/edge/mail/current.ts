import { madeByServer } from '../../core/charge/saved.ts';
import { findPayment } from '../../core/payments/store.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { InvoiceFacts, MailToSend, ReceiptMailFacts } from '../../tenants/outbox/schema.ts';
import { dueOf } from '../invoices/present.ts';
import { invoiceOf } from '../invoices/retry.ts';
import { isPayable } from '../invoices/states.ts';
import { findInvoice } from '../invoices/store.ts';
import type { MailDeps } from './deps.ts';

/*
 * Mails are queued in the transaction of their cause, and sent up to 48 hours later (docs/decisions/0108-mails-when-they-are-sent.md).
 */

/** Returns a mail in its current form; null when it must not be sent any more, or not to this recipient. */
export async function currentMail(deps: MailDeps, store: Store, mail: MailToSend): Promise<MailToSend | null> {
  switch (mail.kind) {
    case 'invoice': {
      const facts = await currentInvoice(store, mail);
      return facts && { ...mail, facts };
    }
    case 'receipt':
      return deps.config.receipt_mail && (await isForPayer(deps, store, mail)) ? mail : null;
    default:
      return mail;
  }
}

/** Returns the facts with the amount that is due now; null for an invoice that is paid or cancelled. */
async function currentInvoice({ db }: Store, { team_id, facts }: Queued<InvoiceFacts>): Promise<InvoiceFacts | null> {
  if (facts.invoice === undefined) return facts;
  const row = await findInvoice(db, { team_id, id: facts.invoice });
  return row && isPayable(row.status) ? { ...facts, due_minor: String(dueOf(row)) } : null;
}

/**
 * Returns whether a receipt goes to the payer: to an address of the payment itself, or to that of a customer set by the merchant's
 * server or an invoice. A number that was typed into a public page may belong to another customer.
 */
async function isForPayer(deps: MailDeps, { db }: Store, { team_id, facts }: Queued<ReceiptMailFacts>): Promise<boolean> {
  const payment = await findPayment(db, team_id, facts.payment);
  if (!payment) return false;
  return payment.email !== null || invoiceOf(payment) !== null || (await madeByServer(deps, payment));
}

interface Queued<Facts> {
  team_id: bigint;
  facts: Facts;
}
