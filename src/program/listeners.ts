import { invoiceListener } from '../edge/invoices/listener.ts';
import { countLinkPayments } from '../edge/links/counting.ts';
import { takeLinkUse } from '../edge/links/uses.ts';
import type { Secrets } from '../kit/crypto.ts';
import type { ChargeGuard, PaymentListener } from '../core/payments/listeners.ts';
import { rememberMethods } from '../core/charge/saved.ts';
import { mailReceipts } from '../edge/receipts/mails.ts';

/**
 * Returns the listeners for payment changes, in call order. The service and the command line share this list.
 * @param secrets null on the command line, which has none: a manual resolution saves no phone number
 */
export function paymentListeners(secrets: Secrets | null): readonly PaymentListener[] {
  return [invoiceListener, countLinkPayments, mailReceipts, ...(secrets ? [rememberMethods(secrets)] : [])];
}

/** Check before a payment is charged. The payment of a link takes one of the uses of the link; other payments need no query. */
export const guardCharge: ChargeGuard = takeLinkUse;
