import type { Tools } from '../connector.ts';
import type { Collection, Preparation, Provider } from '../contract.ts';
import { pageOf } from '../wire/addresses.ts';
import { amountText } from '../wire/amounts.ts';
import { nextPoll } from '../wire/polls.ts';
import { fieldsOf, parsed, textOf } from '../wire/reply.ts';
import { plainText } from '../wire/words.ts';
import type { Client } from './client.ts';
import { wireCurrency } from './countries.ts';
import { linkOf, readingOf, stateOf } from './map.ts';
import { POLLS } from './order.ts';

export interface Merchant {
  base_url: string;
  merchant_key: string;
  /** `cm`, …; `dev` is the sandbox. */
  country: string;
}

/** Of order_id's neighbours: return_url, cancel_url and notif_url; and of the name shown to the payer. */
const LONGEST_URL = 120;
const LONGEST_REFERENCE = 30;

/** What was kept of a page before anybody was told of it. The notif_token is not: our own address can not be guessed either. */
interface Page {
  pay_token: string;
  payment_url: string;
}

/**
 * Sends payers to Orange's page. Making the page moves no money, so it is the step that prepares: the page is stored before
 * anyone is sent there, and an attempt without one can not have been paid.
 */
export function checkout(
  client: Client,
  merchant: Merchant,
  { clock }: Pick<Tools, 'clock'>,
): Pick<Provider, 'submit' | 'read'> & { prepare: NonNullable<Provider['prepare']> } {
  const folder = `/orange-money-webpay/${merchant.country}/v1`;
  return {
    prepare: async (collection) => {
      const body = orderOf(collection, merchant);
      if (!body) return { kind: 'unavailable', message: `the amount can not be collected in ${collection.currency}` };
      return preparationOf(await client.call({ method: 'POST', path: `${folder}/webpayment`, body }), merchant);
    },
    submit: async ({ handle }) => {
      const page = readPage(handle);
      if (!page) return { kind: 'unavailable', message: 'no payment page was made' };
      const next = { kind: 'redirect', url: page.payment_url } as const;
      return { kind: 'accepted', provider_ref: null, next, poll_after_ms: POLLS.first_ms };
    },
    read: async (collection) => {
      const { handle, provider_key: order_id, amount_minor, submitted_at } = collection;
      const page = readPage(handle);
      if (!page) return { kind: 'not_found' };
      const body = { order_id, amount: wholeOf(amount_minor), pay_token: page.pay_token };
      const reply = await client.call({ method: 'POST', path: `${folder}/transactionstatus`, body });
      return readingOf(stateOf(reply, order_id), collection, nextPoll(POLLS, submitted_at, clock.now()));
    },
  };
}

/** Null: the amount is none that Orange could be told. */
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
    reference: plainText(collection.description, LONGEST_REFERENCE) || 'Payment',
  };
}

/** Whole units as a JSON number; null where there is a fraction. */
function wholeOf(amount_minor: bigint): number | null {
  const text = amountText(amount_minor, 0);
  return text === null ? null : Number(text);
}

/** An address that is too long would be refused with all the rest; polls find the outcome without it. */
function addressOf(url: string): string {
  return url.length <= LONGEST_URL ? url : new URL(url).origin;
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
