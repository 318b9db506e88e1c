import type { Minor } from '../../src/kit/money.ts';
import type { Entry, EntryKind } from '../kit/book.ts';
import { amountText } from '../kit/outcomes.ts';

export const ID_FIELDS: Record<EntryKind, string> = { collect: 'depositId', payout: 'payoutId', refund: 'refundId' };

const MESSAGES: Record<string, string> = {
  INSUFFICIENT_BALANCE: 'The customer does not have enough funds to complete this payment.',
  PAYMENT_NOT_APPROVED: 'The customer did not authorize the payment.',
  RECIPIENT_NOT_FOUND: 'The phone number does not belong to this provider.',
};

/** Returns the `data` of a status response, which is also the body of a callback. */
export function presented(entry: Entry, as: { interim?: boolean; amount_minor?: Minor } = {}): Record<string, unknown> {
  const { kind, key, currency, wire, word } = entry;
  const status =
    as.interim || entry.state === 'pending' ? pendingStatus(entry) : entry.state === 'succeeded' ? 'COMPLETED' : 'FAILED';
  const account = { type: 'MMO', accountDetails: { phoneNumber: entry.msisdn, provider: wire.provider } };
  return {
    [ID_FIELDS[kind]]: key,
    status,
    amount: amountText(as.amount_minor ?? entry.amount_minor, 2),
    currency,
    country: wire.country,
    ...(kind === 'collect' ? { payer: account } : { recipient: account }),
    ...(wire.customerMessage ? { customerMessage: wire.customerMessage } : {}),
    created: new Date(entry.created_at).toISOString(),
    ...(status === 'COMPLETED' ? { providerTransactionId: entry.ref } : {}),
    ...(status === 'FAILED' ? { failureReason: { failureCode: word, failureMessage: messageOf(String(word)) } } : {}),
    ...(wire.authorizationUrl && (as.interim || entry.state === 'pending')
      ? { nextStep: 'REDIRECT_TO_AUTH_URL', authorizationUrl: wire.authorizationUrl }
      : {}),
  };
}

function pendingStatus({ wire, stuck }: Entry): string {
  if (wire.enqueued) return 'ENQUEUED';
  return stuck ? 'IN_RECONCILIATION' : 'PROCESSING';
}

function messageOf(code: string): string {
  return MESSAGES[code] ?? 'The payment failed.';
}
