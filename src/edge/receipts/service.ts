import type { Language } from '../pages/language.ts';
import type { Hosted } from '../../core/charge/hosted.ts';
import { hasReceipt, type Paid, type Receipt, receiptOf } from './receipt.ts';
import { findPaidBack } from './store.ts';

/** Maximum refunds listed. Further ones are shown as one sum. */
const MAX_REFUNDS = 20;

/** How and to whom a receipt is shown. */
type Showing = Pick<Paid, 'merchant' | 'brand' | 'own'>;

/** Returns the receipt of a payment in its current state; null when it has none. */
export async function readReceipt(
  { store, payment, attempts }: Hosted,
  showing: Showing,
  language: Language,
): Promise<Receipt | null> {
  if (!hasReceipt(payment.status)) return null;
  const back = payment.refunded_minor > 0n ? await findPaidBack(store.db, payment, MAX_REFUNDS) : [];
  const sandbox = store.environment === 'sandbox';
  return receiptOf({ payment, attempts, back, sandbox, ...showing }, payment.status, language);
}
