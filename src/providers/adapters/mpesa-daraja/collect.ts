import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, PollPlan, Provider, Reading, Submission } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import { nextPoll } from '../wire/polls.ts';
import { digitsOf, plainText } from '../wire/text.ts';
import type { Client } from './client.ts';
import { promptOf, resultOf } from './codes.ts';

/** A prompt is open for about a minute. */
export const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, max_ms: 300_000 };
/** Safaricom numbers, with the country code. */
const MSISDN = /^254[17]\d{8}$/;
const MAX_DESCRIPTION = 13;
/** A prompt is open for about a minute. Result 1037 is final only when it is still reported this long after submission. */
const MIN_UNANSWERED_MS = 180_000;

/** The payee: a paybill, or a till of the store. */
interface Payee {
  shortcode: string;
  till: string | null;
}

/** Returns the collection operations: the payer enters a PIN on the handset. */
export function collections(client: Client, payee: Payee, clock: Clock): Pick<Provider, 'submit' | 'read'> {
  return {
    submit: (collection) => submit(client, payee, collection),
    read: (collection) => read(client, collection, clock.now()),
  };
}

async function submit(client: Client, { shortcode, till }: Payee, collection: Collection): Promise<Submission> {
  const { channel, currency, payer, provider_key, callback_url } = collection;
  const amount = amountText(collection.amount_minor, 0);
  if (channel.id !== 'ke.mpesa' || currency !== 'KES' || amount === null) {
    return { kind: 'unavailable', message: `M-Pesa takes no such amount in ${currency} on ${channel.id}` };
  }
  const msisdn = digitsOf(payer ?? '');
  if (!MSISDN.test(msisdn)) return { kind: 'refused', reason: 'invalid_number', message: 'not a number of Safaricom' };
  const prompt = promptOf(
    await client.call('/mpesa/stkpush/v1/processrequest', {
      TransactionType: till === null ? 'CustomerPayBillOnline' : 'CustomerBuyGoodsOnline',
      ...{ Amount: Number(amount), PartyA: msisdn, PartyB: till ?? shortcode, PhoneNumber: msisdn },
      ...{ CallBackURL: callback_url, AccountReference: provider_key },
      TransactionDesc: plainText(collection.description, MAX_DESCRIPTION) || 'Payment',
    }),
  );
  switch (prompt.kind) {
    case 'sent':
      return { kind: 'accepted', provider_ref: prompt.checkout_id, next: { kind: 'confirm' }, poll_after_ms: POLLS.first_ms };
    case 'refused':
      return prompt;
    case 'not_sent':
      return { kind: 'unavailable', message: prompt.message };
    case 'unclear':
      return { kind: 'unknown', message: prompt.message };
    default:
      return unreachable(prompt);
  }
}

async function read(client: Client, collection: Collection, now: number): Promise<Reading> {
  const { provider_ref, amount_minor, currency, submitted_at } = collection;
  const poll_after_ms = nextPoll(POLLS, submitted_at, now);
  if (provider_ref === null) return { kind: 'unreadable', message: 'the response that identified the prompt was lost' };
  const result = resultOf(await client.call('/mpesa/stkpushquery/v1/query', { CheckoutRequestID: provider_ref }), provider_ref);
  switch (result.kind) {
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'paid':
      // The response contains no amount, and the amount cannot differ: the payer can only accept or decline this prompt.
      return { kind: 'succeeded', provider_ref, amount_minor, currency };
    case 'cancelled':
      return { kind: 'cancelled', reason: 'payer_declined', message: result.message };
    case 'unanswered':
      if (now - (submitted_at ?? now) < MIN_UNANSWERED_MS) return { kind: 'pending', poll_after_ms };
      return { kind: 'failed', reason: 'authorization_timeout', message: result.message };
    case 'failed':
    case 'unreadable':
      return result;
    default:
      return unreachable(result);
  }
}
