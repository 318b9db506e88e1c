import type { Collection, Next, Preparation } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { pageOf } from '../wire/addresses.ts';
import { fieldsOf, parsed, textOf } from '../wire/reply.ts';
import type { Client } from './client.ts';
import { type Creation, creationOf } from './map.ts';
import { type Common, phoneOf, refusalOf } from './orders.ts';

/**
 * Maximum duration of a hosted page's session. Flutterwave accepts up to 1440 minutes (Flutterwave Standard, payment
 * details). A card is entered within minutes, and a declined card can be retried until the session ends, so no result
 * is final before.
 */
const MAX_SESSION_MIN = 60;
const MIN_MS = 60_000;

type Created = Extract<Creation, { kind: 'created' }>;

/**
 * Opens a page or an account for one payment, which moves no money. If the response is lost nobody can pay there.
 * Otherwise it is stored before it is shown to a payer.
 */
export async function open(
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
      return { kind: 'refused', reason: refusalOf(creation.meaning, collection.channel.kind), message: creation.message };
    case 'exists':
      return { kind: 'unavailable', message: 'Flutterwave has such a payment already' };
    case 'not_created':
    case 'unclear':
      return { kind: 'unavailable', message: creation.message };
  }
}

/** The payer's next action and its deadline, as stored. */
export interface Opened {
  next: Next;
  /** Milliseconds since the epoch. Null: the end of the payment window. */
  closes_at: number | null;
}

/** Parses the opening stored in a collection's handle. Null when there is none. */
export function openedIn(handle: string | null): Opened | null {
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
