import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, PollPlan, Preparation, Provider, Reading } from '../contract.ts';
import { pageOf } from '../wire/addresses.ts';
import { stillToPay } from '../wire/next.ts';
import { nextPoll, pageClosesAt } from '../wire/polls.ts';
import { digitsOf, plainText } from '../wire/text.ts';
import { isCollectable, type Serve } from './channels.ts';
import type { Client } from './client.ts';
import { checkOf, openingOf } from './codes.ts';

export const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, max_ms: 300_000 };
/** The period in which a payment on a new page may not yet be visible to the status endpoint. */
export const GRACE_MS = 600_000;
const MAX_DESCRIPTION = 100;
/** The page requires a customer name. The payer's own name is not sent. */
const PLACEHOLDER_NAME = { customer_name: 'Client', customer_surname: 'Pirogue' };

type Collecting = Pick<Provider, 'submit' | 'read'> & Required<Pick<Provider, 'prepare'>>;

/**
 * Returns the collection operations: the payer pays on CinetPay's page, which is prefilled with the payer's number.
 * Opening the page moves no money, so `prepare` opens it. The page is stored before a payer is redirected to it, so an
 * attempt without a stored page cannot have been paid.
 */
export function collections(client: Client, serve: Serve, base_url: string, clock: Clock): Collecting {
  return {
    prepare: (collection) => prepare(client, serve, base_url, collection),
    submit: async ({ handle }) => {
      const url = pageOf(handle, base_url);
      if (!url) return { kind: 'unavailable', message: 'no page was opened' };
      return { kind: 'accepted', provider_ref: null, next: { kind: 'redirect', url }, poll_after_ms: POLLS.first_ms };
    },
    read: async ({ handle, provider_key: transaction_id, submitted_at, expires_at }) => {
      if (handle === null) return { kind: 'not_found' };
      const reply = await client.checkout('/v2/payment/check', { transaction_id }, true);
      const now = clock.now();
      const over = {
        isOver: now >= expires_at + GRACE_MS,
        isClosed: now >= pageClosesAt({ submitted_at, expires_at }) + GRACE_MS,
      };
      const reading = readingOf(checkOf(reply, transaction_id), nextPoll(POLLS, submitted_at, now), over);
      const url = pageOf(handle, base_url);
      return url ? stillToPay(reading, { kind: 'redirect', url }) : reading;
    },
  };
}

async function prepare(client: Client, serve: Serve, base_url: string, collection: Collection): Promise<Preparation> {
  const { channel, currency, amount_minor, payer, provider_key: transaction_id } = collection;
  const service = serve(channel.id, currency);
  if (!service || !isCollectable(currency, amount_minor)) {
    return { kind: 'unavailable', message: `CinetPay takes no such amount in ${currency} on ${channel.id}` };
  }
  if (payer === null || !/^\+?\d{8,15}$/.test(payer)) {
    return { kind: 'refused', reason: 'invalid_number', message: 'CinetPay needs the number of the payer' };
  }
  const opening = openingOf(
    await client.checkout('/v2/payment', {
      ...{ transaction_id, amount: Number(amount_minor / 100n), currency, channels: service.page, lang: 'fr' },
      description: plainText(collection.description, MAX_DESCRIPTION) || 'Paiement',
      ...{ notify_url: collection.callback_url, return_url: collection.return_url },
      ...{ ...PLACEHOLDER_NAME, customer_phone_number: `+${digitsOf(payer)}`, lock_phone_number: true },
    }),
  );
  switch (opening.kind) {
    case 'opened': {
      const url = pageOf(opening.data.payment_url, base_url);
      return url ? { kind: 'ready', handle: url } : { kind: 'unavailable', message: 'opened, without a usable page' };
    }
    case 'refused':
      return opening;
    // No payer is redirected to a page whose response was lost.
    case 'not_opened':
    case 'unclear':
      return { kind: 'unavailable', message: opening.message };
    default:
      return unreachable(opening);
  }
}

/**
 * Converts the status of a payment to a reading.
 * @param over `isOver`: the payment window has ended; `isClosed`: the page can no longer be used, whatever the window
 */
function readingOf(
  check: ReturnType<typeof checkOf>,
  poll_after_ms: number,
  { isOver, isClosed }: { isOver: boolean; isClosed: boolean },
): Reading {
  switch (check.kind) {
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'cancelled':
      return { kind: 'cancelled', reason: 'payer_declined', message: check.message };
    case 'expired':
      return { kind: 'expired' };
    case 'lapsed':
      return isClosed ? { kind: 'expired' } : { kind: 'pending', poll_after_ms };
    case 'not_found':
      // The page exists and no payment was started on it. The attempt expires only with the payment window.
      return isOver ? { kind: 'expired' } : { kind: 'pending', poll_after_ms };
    case 'succeeded':
    case 'failed':
    case 'unreadable':
      return check;
    default:
      return unreachable(check);
  }
}
