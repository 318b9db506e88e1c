import { unreachable } from '../../../../kit/errors.ts';
import type { Tools } from '../../connector.ts';
import type { Collection, Provider, Reading, Submission } from '../../contract.ts';
import { amountText } from '../../wire/amounts.ts';
import { nextPoll } from '../../wire/polls.ts';
import { digitsOf, plainText } from '../../wire/text.ts';
import { type Client, POLLS } from '../client.ts';
import { creationOf, type Status, statusOf, tokenOf } from './codes.ts';

/** The merchant's own phone line and the PIN that authorises its payment requests. */
export interface Channel {
  msisdn: string;
  pin: string;
}

const FOLDER = '/omcoreapis/1.0.2/mp';
/** USSD code with which the payer opens a pending request when the prompt did not appear. */
const USSD = '#150*50#';
const MAX_DESCRIPTION = 60;

/**
 * Returns the collection operations: the payer approves a prompt on the handset. `init` moves no money and returns the
 * token under which the status of `pay` can be read, even if the response to `pay` is lost. `pay` is never sent twice
 * for one token.
 */
export function collections(
  client: Client,
  channel: Channel,
  { clock }: Pick<Tools, 'clock'>,
): Pick<Provider, 'submit' | 'read'> & { prepare: NonNullable<Provider['prepare']> } {
  return {
    prepare: async (collection) => {
      const order = orderOf(collection);
      if (order.kind !== 'order') return order;
      const given = tokenOf(await client.call({ method: 'POST', path: `${FOLDER}/init` }));
      return given.kind === 'token' ? { kind: 'ready', handle: given.token } : { kind: 'unavailable', message: given.message };
    },
    submit: async (collection) => {
      const order = orderOf(collection);
      if (order.kind !== 'order') return order;
      if (collection.handle === null) return { kind: 'unavailable', message: 'no pay token was given' };
      const body = {
        notifUrl: collection.callback_url,
        channelUserMsisdn: channel.msisdn,
        amount: order.amount,
        subscriberMsisdn: order.subscriber,
        pin: channel.pin,
        orderId: collection.provider_key,
        description: plainText(collection.description, MAX_DESCRIPTION) || 'Payment',
        payToken: collection.handle,
      };
      return submissionOf(creationOf(await client.call({ method: 'POST', path: `${FOLDER}/pay`, body }), collection.handle));
    },
    read: async ({ handle, submitted_at }) => {
      // Without a token no payment request was sent.
      if (handle === null) return { kind: 'not_found' };
      const reply = await client.call({ method: 'GET', path: `${FOLDER}/paymentstatus/${handle}` });
      return readingOf(statusOf(reply, handle), nextPoll(POLLS, submitted_at, clock.now()));
    },
  };
}

type Order =
  | { kind: 'order'; amount: string; subscriber: string }
  | Extract<Submission, { kind: 'refused' } | { kind: 'unavailable' }>;

/** Validates the order: nine national digits and a whole number of francs. */
function orderOf({ payer, amount_minor, currency }: Collection): Order {
  const subscriber = /^237(\d{9})$/.exec(digitsOf(payer ?? ''))?.[1];
  if (!subscriber) return { kind: 'refused', reason: 'invalid_number', message: 'not a number of Cameroon' };
  const amount = amountText(amount_minor, 0);
  return amount === null || currency !== 'XAF'
    ? { kind: 'unavailable', message: `the amount cannot be collected in ${currency}` }
    : { kind: 'order', amount, subscriber };
}

function submissionOf(creation: ReturnType<typeof creationOf>): Submission {
  switch (creation.kind) {
    case 'status':
      return submissionOfStatus(creation.status);
    case 'not_created':
      return { kind: 'unavailable', message: creation.message };
    case 'refused':
      return creation;
    case 'unclear':
      return { kind: 'unknown', message: creation.message };
    default:
      return unreachable(creation);
  }
}

function submissionOfStatus(status: Exclude<Status, { kind: 'unreadable' }>): Submission {
  switch (status.kind) {
    case 'untouched':
    case 'pending':
      return {
        ...{ kind: 'accepted', provider_ref: null },
        ...{ next: { kind: 'confirm', hint: USSD }, poll_after_ms: POLLS.first_ms },
      };
    case 'succeeded':
      return { ...status, currency: 'XAF' };
    case 'failed':
      return { kind: 'refused', reason: status.reason, message: status.message };
    case 'cancelled':
      return { kind: 'refused', reason: 'payer_declined', message: status.message };
    case 'expired':
      return { kind: 'refused', reason: 'authorization_timeout', message: 'the request has expired' };
    default:
      return unreachable(status);
  }
}

function readingOf(status: Status, poll_after_ms: number): Reading {
  switch (status.kind) {
    // The `pay` request has not arrived. Soon after submission it may still be in transit.
    case 'untouched':
      return { kind: 'not_found' };
    case 'pending':
      return { kind: 'pending', poll_after_ms };
    case 'succeeded':
      return { ...status, currency: 'XAF' };
    case 'cancelled':
      return { kind: 'cancelled', reason: 'payer_declined', message: status.message };
    case 'failed':
    case 'expired':
    case 'unreadable':
      return status;
    default:
      return unreachable(status);
  }
}
