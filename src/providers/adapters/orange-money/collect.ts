import type { Tools } from '../connector.ts';
import type { Collection, Next, Preparation, Provider } from '../contract.ts';
import { pageOf } from '../wire/addresses.ts';
import { amountText } from '../wire/amounts.ts';
import { stillToPay } from '../wire/next.ts';
import { nextPoll, pageClosesAt } from '../wire/polls.ts';
import { fieldsOf, parsed, textOf } from '../wire/reply.ts';
import { plainText } from '../wire/text.ts';
import { type Client, GRACE_MS, POLLS } from './client.ts';
import { wireCurrency } from './channels.ts';
import { linkOf, readingOf, stateOf } from './codes.ts';

export interface Merchant {
  base_url: string;
  merchant_key: string;
  /** ISO country code in lower case (`cm`, …), or `dev` for Orange's sandbox. */
  country: string;
}

/** Maximum lengths in characters: of return_url, cancel_url and notif_url, and of the reference shown to the payer. */
const MAX_URL = 120;
const MAX_REFERENCE = 30;

/** Stored payment page. The notif_token is not stored: our own callback address already cannot be guessed. */
interface Page {
  pay_token: string;
  payment_url: string;
}

/**
 * Returns the collection operations of Web Payment: the payer pays on Orange's page. Creating the page moves no money,
 * so `prepare` creates it. The page is stored before a payer is redirected to it, so an attempt without a stored page
 * cannot have been paid.
 */
export function collections(
  client: Client,
  merchant: Merchant,
  { clock }: Pick<Tools, 'clock'>,
): Pick<Provider, 'submit' | 'read'> & { prepare: NonNullable<Provider['prepare']> } {
  const folder = `/orange-money-webpay/${merchant.country}/v1`;
  return {
    prepare: async (collection) => {
      const body = orderOf(collection, merchant);
      if (!body) return { kind: 'unavailable', message: `the amount cannot be collected in ${collection.currency}` };
      return preparationOf(await client.call({ method: 'POST', path: `${folder}/webpayment`, body }), merchant);
    },
    submit: async ({ handle }) => {
      const page = readPage(handle);
      if (!page) return { kind: 'unavailable', message: 'no payment page was made' };
      return { kind: 'accepted', provider_ref: null, next: pageNext(page), poll_after_ms: POLLS.first_ms };
    },
    read: async (collection) => {
      const { handle, provider_key: order_id, amount_minor, submitted_at } = collection;
      const page = readPage(handle);
      if (!page) return { kind: 'not_found' };
      const body = { order_id, amount: wholeOf(amount_minor), pay_token: page.pay_token };
      const reply = await client.call({ method: 'POST', path: `${folder}/transactionstatus`, body });
      // A payment that is nevertheless made later is read after its callback.
      const isOver = clock.now() >= pageClosesAt(collection) + GRACE_MS;
      const reading = readingOf(stateOf(reply, order_id), collection, nextPoll(POLLS, submitted_at, clock.now()), isOver);
      return stillToPay(reading, pageNext(page));
    },
  };
}

/** Returns the body of the order; null when the amount cannot be expressed in Orange's format. */
function orderOf(collection: Collection, { merchant_key, country }: Merchant): object | null {
  const amount = wholeOf(collection.amount_minor);
  if (amount === null) return null;
  const back = addressOf(collection.return_url);
  return {
    merchant_key,
    currency: wireCurrency(country, collection.currency),
    order_id: collection.provider_key,
    amount,
    return_url: back,
    cancel_url: back,
    notif_url: addressOf(collection.callback_url),
    lang: 'fr',
    reference: plainText(collection.description, MAX_REFERENCE) || 'Payment',
  };
}

/** Returns whole units as a JSON number, or null where there is a fraction. */
function wholeOf(amount_minor: bigint): number | null {
  const text = amountText(amount_minor, 0);
  return text === null ? null : Number(text);
}

/**
 * Returns the address, or only its origin if it is too long: Orange would reject the whole request. Polling finds the
 * outcome without the callback.
 */
function addressOf(url: string): string {
  return url.length <= MAX_URL ? url : new URL(url).origin;
}

function preparationOf(reply: Parameters<typeof linkOf>[0], { base_url }: Merchant): Preparation {
  const link = linkOf(reply);
  if (link.kind === 'not_made') return { kind: 'unavailable', message: link.message };
  const payment_url = pageOf(link.payment_url, base_url);
  if (payment_url === null) return { kind: 'unavailable', message: 'the payment page of Orange is no address' };
  const page: Page = { pay_token: link.pay_token, payment_url };
  return { kind: 'ready', handle: JSON.stringify(page) };
}

function readPage(handle: string | null): Page | null {
  const { pay_token, payment_url } = fieldsOf(parsed(handle ?? ''));
  const [token, url] = [textOf(pay_token), textOf(payment_url)];
  return token && url ? { pay_token: token, payment_url: url } : null;
}

function pageNext({ payment_url }: Page): Next {
  return { kind: 'redirect', url: payment_url };
}
