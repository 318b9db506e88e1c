import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, Next, PollPlan, Preparation, Provider, Reading, Submission } from '../contract.ts';
import { pageOf } from '../wire/addresses.ts';
import { nextPoll } from '../wire/polls.ts';
import { textOf } from '../wire/reply.ts';
import { type Way, wayOf } from './channels.ts';
import type { Client } from './client.ts';
import { chargeState, type Creation, creationOf, meaningOf, numberOf, reasonOf, type State } from './map.ts';
import { open, openedIn } from './openings.ts';
import { type Common, notTaken, orderOf, phoneOf, refusalOf } from './orders.ts';

export const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, longest_ms: 300_000 };
/** The status endpoint lags by seconds. A bank transfer may be credited some minutes after it was made. */
export const GRACE_MS = 600_000;

type Prompt = Extract<Way, { kind: 'prompt' }>;
type Collecting = Pick<Provider, 'submit' | 'read'> & Required<Pick<Provider, 'prepare'>>;

/** Returns the collection operations: on a page or into an account that is opened first, or by a prompt on the handset. */
export function collecting(client: Client, clock: Clock): Collecting {
  return {
    prepare: (collection) => prepare(client, clock.now(), collection),
    submit: (collection) => submit(client, collection),
    read: (collection) => read(client, collection, clock.now()),
  };
}

/** Reads the status of the charge with this key. */
export async function stateAt(client: Client, key: string): Promise<State> {
  return chargeState(await client.get(`/transactions/verify_by_reference?tx_ref=${encodeURIComponent(key)}`), key);
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
  if (order.way.kind === 'prompt') return ask(client, order.way, order.common, collection);
  const opened = openedIn(collection.handle);
  return opened
    ? { kind: 'accepted', provider_ref: null, next: opened.next, poll_after_ms: POLLS.first_ms }
    : { kind: 'unavailable', message: 'nothing was opened to pay there' };
}

/** Sends a prompt. A repeated tx_ref is charged again, so no prompt is ever sent twice. */
async function ask(client: Client, { type, fields }: Prompt, common: Common, collection: Collection): Promise<Submission> {
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
      return { kind: 'refused', reason: refusalOf(creation.meaning, collection.channel.kind), message: creation.message };
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
    const reason = refusalOf(meaningOf(data.processor_response), channel.kind);
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
  const { channel, currency, handle, provider_key } = collection;
  const way = wayOf(channel.id, currency);
  // A page or an account that was not stored was never shown to a payer.
  if (way && way.kind !== 'prompt' && handle === null) return { kind: 'not_found' };
  return readingOf(await stateAt(client, provider_key), collection, now);
}

function readingOf(state: State, collection: Collection, now: number): Reading {
  const poll_after_ms = nextPoll(POLLS, collection.submitted_at, now);
  switch (state.kind) {
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'failed': {
      // A declined card can be retried on the page until the page is closed, as a further transaction under the same
      // tx_ref.
      if (wayOf(collection.channel.id, collection.currency)?.kind === 'page' && now < closedBy(collection)) {
        return { kind: 'pending', poll_after_ms };
      }
      const { meaning, message } = state;
      const reason = reasonOf(meaning, collection.channel.kind);
      if (reason === 'cancelled') return { kind: 'cancelled', reason: 'payer_declined', message };
      return { kind: 'failed', reason, message };
    }
    case 'not_found':
      // Accepted and not paid yet. It ends only with the page, the account or the payment window.
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
