import { invoiceListener } from './invoices/listener.ts';
import { countLinkPayments } from './links/counting.ts';
import type { Secrets } from './kit/crypto.ts';
import type { PaymentListener } from './payments/listeners.ts';
import { rememberMethods } from './payments/saved.ts';
import { mailReceipts } from './receipts/mails.ts';

/**
 * Who is told of payments that changed, in this order: one list for the service and the command line alike.
 * @param secrets null on the command line, which holds none: what a person resolves saves no number
 */
export function paymentListeners(secrets: Secrets | null): readonly PaymentListener[] {
  return [invoiceListener, countLinkPayments, mailReceipts, ...(secrets ? [rememberMethods(secrets)] : [])];
}
