import { themeOf } from '../pages/theme/theme.ts';
import { hasSucceeded, type PaymentListener } from '../../core/payments/listeners.ts';
import { totalOf } from '../../core/payments/present.ts';
import { insertReceiptMails } from './store.ts';

/**
 * Writes receipt mails in the transaction in which payments succeed, in one statement for all of them. Only in live: addresses
 * in the sandbox are invented, and may belong to other people.
 */
export const mailReceipts: PaymentListener = async (tx, { environment, at }, moves) => {
  if (environment !== 'live') return;
  const mails = moves.filter(hasSucceeded).flatMap(({ after }) => {
    const { team_id, id, customer_id, email, currency, reference, details } = after;
    if (customer_id === null) return [];
    const facts = {
      payment: id,
      total_minor: String(totalOf(after)),
      currency,
      reference,
      paid_at: new Date(at).toISOString(),
      channel: after.channel,
      locale: themeOf(details?.theming).locale,
    };
    return [{ team_id, customer_id, email, facts }];
  });
  if (mails.length > 0) await insertReceiptMails(tx, mails);
};
