import type { ChannelKind } from '../../../kit/channel-kind.ts';
import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, Next, PollPlan, Preparation, Provider, Reading, Submission } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { pageOf } from '../wire/addresses.ts';
import { amountText, minorOf } from '../wire/amounts.ts';
import { stillToPay } from '../wire/next.ts';
import { nextPoll } from '../wire/polls.ts';
import { fieldsOf, parsed, textOf } from '../wire/reply.ts';
import { digitsOf, rawMessage } from '../wire/text.ts';
import { type Way, wayOf, wireDecimals } from './channels.ts';
import type { Client } from './client.ts';
import {
  chargesState,
  chargeState,
  type Creation,
  creationOf,
  isInDoubt,
  listedPage,
  type Meaning,
  meaningOf,
  numberOf,
  reasonOf,
  type State,
} from './codes.ts';

export const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, max_ms: 300_000 };
/** The status endpoint lags by seconds. A bank transfer may be credited some minutes after it was made. */
export const GRACE_MS = 600_000;

/**
 * Maximum duration of a hosted page's session. Flutterwave accepts up to 1440 minutes (Flutterwave Standard, payment
 * details). A card is entered within minutes, and a declined card can be retried until the session ends, so no result
 * is final before.
 */
const MAX_SESSION_MIN = 60;
const MIN_MS = 60_000;
/** Maximum pages of the list that are read. A hosted page is requested with two tries, so the first one should contain them all. */
const MAX_LIST_PAGES = 5;

/** Fields common to all collection orders. */
interface Common {
  tx_ref: string;
  /** Exact: the number prints as the text it was parsed from. */
  amount: number;
  currency: string;
  redirect_url: string;
}

/** The payer's next action and its deadline, as stored. */
interface Opened {
  next: Next;
  /** Milliseconds since the epoch. Null: the end of the payment window. */
  closes_at: number | null;
}

type Created = Extract<Creation, { kind: 'created' }>;
type Prompt = Extract<Way, { kind: 'prompt' }>;
type Collecting = Pick<Provider, 'submit' | 'read'> & Required<Pick<Provider, 'prepare'>>;

/** Returns the collection operations: on a page or into an account that is opened first, or by a prompt on the handset. */
export function collections(client: Client, clock: Clock): Collecting {
  return {
    prepare: (collection) => prepare(client, clock.now(), collection),
    submit: (collection) => submit(client, collection),
    read: (collection) => read(client, collection, clock.now()),
  };
}

/**
 * Reads the status of a charge. On a page, a declined card can be tried again as a further transaction under the same tx_ref, and it is not
 * published which of them a query by tx_ref returns. So after one that is not paid, all of them are listed (Transactions, filter by tx_ref).
 * It is not published either whether the list has a transaction as soon as the query does, so both count.
 */
export async function stateAt(client: Client, collection: Collection): Promise<State> {
  const { provider_key } = collection;
  const query = `tx_ref=${encodeURIComponent(provider_key)}`;
  const verified = chargeState(await client.get(`/transactions/verify_by_reference?${query}`), provider_key);
  const isUnpaid = verified.kind === 'failed' || verified.kind === 'pending';
  return isUnpaid && isOnPage(collection) ? listedState(client, query, provider_key, verified) : verified;
}

/** Lists the transactions with a tx_ref, page by page until one was paid, and returns the state that they result in. */
async function listedState(client: Client, query: string, key: string, verified: State): Promise<State> {
  const states: State[] = [];
  for (let page = 1; page <= MAX_LIST_PAGES; page++) {
    const listed = listedPage(await client.get(`/transactions?${query}&page=${page}`), key, page);
    if (listed.kind === 'unreadable') return listed;
    states.push(...listed.states);
    if (listed.is_last || listed.states.some(({ kind }) => kind === 'succeeded')) return chargesState(verified, states, true);
  }
  return chargesState(verified, states, false);
}

function isOnPage({ channel, currency }: Pick<Collection, 'channel' | 'currency'>): boolean {
  return wayOf(channel.id, currency)?.kind === 'page';
}

async function prepare(client: Client, now: number, collection: Collection): Promise<Preparation> {
  const order = orderOf(collection);
  if (!order) return notTaken(collection);
  if (order.way.kind === 'prompt') return { kind: 'ready', handle: null };
  return open(client, order.way.kind, order.common, collection, now);
}

async function submit(client: Client, collection: Collection): Promise<Submission> {
  const order = orderOf(collection);
  if (!order) return notTaken(collection);
  if (order.way.kind === 'prompt') return sendPrompt(client, order.way, order.common, collection);
  const opened = openedIn(collection.handle);
  return opened
    ? { kind: 'accepted', provider_ref: null, next: opened.next, poll_after_ms: POLLS.first_ms }
    : { kind: 'unavailable', message: 'nothing was opened to pay there' };
}

/** Sends a prompt. A repeated tx_ref is charged again, so no prompt is ever sent twice. */
async function sendPrompt(client: Client, { type, fields }: Prompt, common: Common, collection: Collection): Promise<Submission> {
  const phone_number = phoneOf(collection);
  if (phone_number === null) {
    return { kind: 'refused', reason: 'invalid_number', message: 'Flutterwave needs the number of the payer' };
  }
  const { base_url, customer_email: email } = client.settings;
  const order = type === 'mobile_money_rwanda' ? { order_id: common.tx_ref } : {};
  const creation = creationOf(
    await client.post(`/charges?type=${type}`, { ...common, email, phone_number, ...fields, ...order }),
  );
  switch (creation.kind) {
    case 'created':
      return submissionOf(creation, base_url, collection);
    case 'exists':
      return { kind: 'duplicate' };
    case 'refused':
      return { kind: 'refused', reason: rejectionReason(creation.meaning, collection.channel.kind), message: creation.message };
    case 'not_created':
      return { kind: 'unavailable', message: creation.message };
    case 'unclear':
      return { kind: 'unknown', message: creation.message };
    default:
      return unreachable(creation);
  }
}

function submissionOf(
  { data, authorization }: Extract<Creation, { kind: 'created' }>,
  base_url: string,
  { channel, provider_key }: Collection,
): Submission {
  if (textOf(data.status)?.toLowerCase() === 'failed') {
    // The payer has not had time to approve it, so the prompt may still be open.
    if (isInDoubt(data.processor_response)) return { kind: 'unknown', message: rawMessage('failed', data.processor_response) };
    const reason = rejectionReason(meaningOf(data.processor_response), channel.kind);
    return { kind: 'refused', reason, message: 'the charge failed at once' };
  }
  const { mode, redirect, redirect_url } = authorization;
  const url = mode === 'redirect' ? pageOf(redirect ?? redirect_url, base_url) : null;
  const next: Next = url ? { kind: 'redirect', url } : { kind: 'confirm' };
  // Some responses have no id. The attempt must still be recorded as accepted, see `readingOf`.
  const provider_ref = numberOf(data.id) ?? provider_key;
  return { kind: 'accepted', provider_ref, next, poll_after_ms: POLLS.first_ms };
}

async function read(client: Client, collection: Collection, now: number): Promise<Reading> {
  const { channel, currency, handle } = collection;
  const way = wayOf(channel.id, currency);
  // A page or an account that was not stored was never shown to a payer.
  if (way && way.kind !== 'prompt' && handle === null) return { kind: 'not_found' };
  const reading = readingOf(await stateAt(client, collection), collection, now);
  const opened = openedIn(handle);
  return opened ? stillToPay(reading, opened.next) : reading;
}

function readingOf(state: State, collection: Collection, now: number): Reading {
  const poll_after_ms = nextPoll(POLLS, collection.submitted_at, now);
  switch (state.kind) {
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'failed': {
      // A declined card can be tried again on the page until the page is closed.
      if (isOnPage(collection) && now < closedBy(collection)) return { kind: 'pending', poll_after_ms };
      const { meaning, message } = state;
      const reason = reasonOf(meaning, collection.channel.kind);
      if (reason === 'cancelled') return { kind: 'cancelled', reason: 'payer_declined', message };
      return { kind: 'failed', reason, message };
    }
    case 'not_found':
      // The charge is accepted and not paid yet. It ends only with the page, the account or the payment window.
      if (collection.provider_ref === null && collection.handle === null) return state;
      return now < closedBy(collection) ? { kind: 'pending', poll_after_ms } : { kind: 'expired' };
    case 'succeeded':
    case 'unreadable':
      return state;
    default:
      return unreachable(state);
  }
}

/** Returns the time from which no payment is possible for this attempt and every payment made is visible. */
function closedBy({ handle, expires_at }: Collection): number {
  return (openedIn(handle)?.closes_at ?? expires_at) + GRACE_MS;
}

/**
 * Opens a page or an account for one payment, which moves no money. If the response is lost it cannot be paid.
 * Otherwise it is stored before it is shown to a payer.
 */
async function open(
  client: Client,
  kind: 'page' | 'account',
  common: Common,
  collection: Collection,
  now: number,
): Promise<Preparation> {
  const { settings } = client;
  const { path, body, closes_at } = requestOf(kind, common, settings.customer_email, collection, now);
  const creation = creationOf(await client.post(path, body));
  switch (creation.kind) {
    case 'created': {
      const next = kind === 'page' ? pageIn(creation, settings.base_url) : accountIn(creation, collection);
      return next
        ? { kind: 'ready', handle: JSON.stringify({ ...next, closes_at }) }
        : { kind: 'unavailable', message: 'opened, without a usable way to pay there' };
    }
    case 'refused':
      return { kind: 'refused', reason: rejectionReason(creation.meaning, collection.channel.kind), message: creation.message };
    case 'exists':
      return { kind: 'unavailable', message: 'Flutterwave has such a payment already' };
    case 'not_created':
    case 'unclear':
      return { kind: 'unavailable', message: creation.message };
  }
}

/** Parses the opening stored in a collection's handle. Null when there is none. */
function openedIn(handle: string | null): Opened | null {
  const { closes_at, ...fields } = fieldsOf(parsed(handle ?? ''));
  if (fields.kind !== 'redirect' && fields.kind !== 'transfer') return null;
  return { next: fields as unknown as Next, closes_at: typeof closes_at === 'number' ? closes_at : null };
}

function requestOf(kind: 'page' | 'account', common: Common, email: string, collection: Collection, now: number) {
  const left_ms = Math.max(collection.expires_at - now, MIN_MS);
  const phone = phoneOf(collection);
  if (kind === 'account') {
    const account = { email, expires: Math.ceil(left_ms / 1_000), is_permanent: false };
    const body = { ...common, ...account, ...(phone ? { phone_number: phone } : {}) };
    return { path: '/charges?type=bank_transfer', body, closes_at: null };
  }
  const session_duration = Math.min(Math.ceil(left_ms / 60_000), MAX_SESSION_MIN);
  // It is unclear which of the two places is used: the parameter list names one, most integrations send the other.
  const options = { max_retry_attempt: 1, session_duration };
  const customer = { email, ...(phone ? { phonenumber: phone } : {}) };
  const body = { ...common, payment_options: 'card', ...options, configurations: options, customer };
  return { path: '/payments', body, closes_at: now + session_duration * 60_000 };
}

function pageIn({ data }: Created, base_url: string): Next | null {
  const url = pageOf(data.link, base_url);
  return url ? { kind: 'redirect', url } : null;
}

function accountIn({ authorization }: Created, { amount_minor }: Collection): Next | null {
  const { transfer_bank, transfer_account, transfer_reference, transfer_amount } = authorization;
  const [bank, account_number] = [textOf(transfer_bank), textOf(transfer_account)];
  // Where fees are added on top, the account expects another amount than we would request from the payer.
  if (!bank || !account_number || minorOf(transfer_amount) !== amount_minor) return null;
  return { kind: 'transfer', instructions: { bank, account_number, reference: textOf(transfer_reference) ?? '' } };
}

/** Returns the order of a collection, or null where Flutterwave does not accept its channel, currency or amount. */
function orderOf(collection: Collection): { way: Way; common: Common } | null {
  const { channel, currency, provider_key: tx_ref, return_url: redirect_url } = collection;
  const way = wayOf(channel.id, currency);
  const amount = amountText(collection.amount_minor, wireDecimals(currency));
  return way && amount !== null ? { way, common: { tx_ref, amount: Number(amount), currency, redirect_url } } : null;
}

/** Returns the result for a collection without an order. */
function notTaken({ channel, currency }: Collection): { kind: 'unavailable'; message: string } {
  return { kind: 'unavailable', message: `Flutterwave takes no such amount in ${currency} on ${channel.id}` };
}

/** Returns the payer's phone number. A bank customer's account number is not a phone number, so it gives null. */
function phoneOf({ payer }: Collection): string | null {
  return payer !== null && /^\+?\d{8,15}$/.test(payer) ? digitsOf(payer) : null;
}

/** Returns the reason of a rejected order. */
function rejectionReason(meaning: Meaning, kind: ChannelKind): Reason {
  const reason = reasonOf(meaning, kind);
  return reason === 'cancelled' ? 'payer_declined' : reason;
}
