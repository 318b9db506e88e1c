import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import { uuidOf } from '../../../kit/ids.ts';
import type { Collection, Next, PollPlan, Preparation, Provider } from '../contract.ts';
import { pageOf } from '../wire/addresses.ts';
import { amountText } from '../wire/amounts.ts';
import { stillToPay } from '../wire/next.ts';
import { nextPoll } from '../wire/polls.ts';
import { fieldsOf, parsed, textOf } from '../wire/reply.ts';
import { digitsOf } from '../wire/text.ts';
import type { Client } from './client.ts';
import { expiryOf, type Made, madeOf, sessionReading } from './codes.ts';

/** A session expires after 30 minutes, and its end is reported by webhook. */
export const POLLS: PollPlan = { first_ms: 3_000, factor: 1.5, max_ms: 300_000 };

/** Stored checkout session. */
interface Session {
  id: string;
  wave_launch_url: string;
}

type Collecting = Pick<Provider, 'submit' | 'read'> & Required<Pick<Provider, 'prepare' | 'cancel'>>;

/**
 * Returns the collection operations: the payer pays on Wave's page or in its app. Creating a session moves no money,
 * so `prepare` creates it. The session is stored before a payer is redirected to it, so an attempt without a stored
 * session cannot have been paid.
 * @param base_url Wave's address; payment pages must be https unless it is not
 */
export function collections(client: Client, base_url: string, clock: Clock): Collecting {
  const get = (id: string) => client.call({ method: 'GET', path: `/v1/checkout/sessions/${id}` });
  return {
    prepare: async (collection) => {
      const body = orderOf(collection);
      if (!body) return { kind: 'unavailable', message: `the amount cannot be collected in ${collection.currency}` };
      const request = { method: 'POST', path: '/v1/checkout/sessions', body, idempotency_key: collection.provider_key } as const;
      return preparationOf(madeOf(await client.call(request)), base_url);
    },
    submit: async ({ handle }) => {
      const session = sessionIn(handle);
      if (!session) return { kind: 'unavailable', message: 'no checkout session was made' };
      return { kind: 'accepted', provider_ref: null, next: pageNext(session), poll_after_ms: POLLS.first_ms };
    },
    read: async ({ handle, provider_key, submitted_at }) => {
      const session = sessionIn(handle);
      if (!session) return { kind: 'not_found' };
      const reading = sessionReading(await get(session.id), provider_key, nextPoll(POLLS, submitted_at, clock.now()));
      return stillToPay(reading, pageNext(session));
    },
    cancel: async ({ handle, provider_key }) => {
      const session = sessionIn(handle);
      if (!session) return { kind: 'cancelled' };
      const path = `/v1/checkout/sessions/${session.id}/expire`;
      const result = expiryOf(await client.call({ method: 'POST', path, idempotency_key: uuidOf(`${provider_key}-expire`) }));
      switch (result) {
        case 'cancelled':
          return { kind: 'cancelled' };
        case 'closed':
          return { kind: 'too_late', message: 'the session is complete or has expired' };
        case 'unclear':
          return { kind: 'unknown', message: 'Wave has not confirmed that the session is closed' };
        default:
          return unreachable(result);
      }
    },
  };
}

/** Returns the body of the session; null when the amount cannot be expressed in Wave's format. */
function orderOf({ amount_minor, currency, payer, return_url, provider_key }: Collection): object | null {
  const amount = amountText(amount_minor, 0);
  if (amount === null) return null;
  const mobile = mobileOf(payer);
  return {
    ...{ amount, currency, success_url: return_url, error_url: return_url, client_reference: provider_key },
    // A known payer is the only one allowed to pay, and receives a possible refund.
    ...(mobile === null ? {} : { restrict_payer_mobile: mobile }),
  };
}

/** Returns the number in E.164, with its plus, or null when it is not a number. */
export function mobileOf(number: string | null): string | null {
  const digits = digitsOf(number ?? '');
  return /^[1-9]\d{7,14}$/.test(digits) ? `+${digits}` : null;
}

function preparationOf(made: Made, base_url: string): Preparation {
  if (made.kind === 'not_made') return { kind: 'unavailable', message: made.message };
  const wave_launch_url = pageOf(made.wave_launch_url, base_url);
  if (wave_launch_url === null) return { kind: 'unavailable', message: 'the page of Wave is no address' };
  const session: Session = { id: made.id, wave_launch_url };
  return { kind: 'ready', handle: JSON.stringify(session) };
}

/** Parses the session stored in a collection's handle. Null when there is none. */
export function sessionIn(handle: string | null): Session | null {
  const fields = fieldsOf(parsed(handle ?? ''));
  const [id, wave_launch_url] = [textOf(fields.id), textOf(fields.wave_launch_url)];
  return id && wave_launch_url ? { id, wave_launch_url } : null;
}

function pageNext({ wave_launch_url }: Session): Next {
  return { kind: 'redirect', url: wave_launch_url };
}
