import type { Language } from '../checkout/language.ts';
import type { Hosted } from '../payments/hosted.ts';
import { hasReceipt, type Paid, type Receipt, receiptOf } from './receipt.ts';
import { findPaidBack } from './store.ts';

/** A merchant returns a payment at once or in a few parts; more than these are one sum. */
const MOST_REFUNDS = 20;

/** How a receipt is shown, and to whom. */
type Showing = Pick<Paid, 'merchant' | 'brand' | 'own'>;

/** The receipt of a payment as it stands; null for one that has none. */
export async function readReceipt(
  { store, payment, attempts }: Hosted,
  showing: Showing,
  language: Language,
): Promise<Receipt | null> {
  if (!hasReceipt(payment.status)) return null;
  const back = payment.refunded_minor > 0n ? await findPaidBack(store.db, payment, MOST_REFUNDS) : [];
  const sandbox = store.environment === 'sandbox';
  return receiptOf({ payment, attempts, back, sandbox, ...showing }, payment.status, language);
}
