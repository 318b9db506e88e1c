import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Payout, PayoutOutcome, Payouts } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import { nextPoll } from '../wire/polls.ts';
import { textOf } from '../wire/reply.ts';
import { digitsOf } from '../wire/text.ts';
import type { Serve, Service } from './channels.ts';
import type { Client } from './client.ts';
import { POLLS } from './collect.ts';
import { sentOf, stepOf } from './codes.ts';

/**
 * Returns the payout operations. Transfers go to contacts only, so the recipient is first added as a contact, which
 * moves no money.
 */
export function payouts(client: Client, serve: Serve, email: string, clock: Clock): Payouts {
  return {
    // Code 805: a client_transaction_id is accepted only once.
    idempotency: 'conflicts',
    reaches: (channelId, currency) => (serve(channelId, currency)?.payment_method ?? null) !== null,
    submit: (payout) => submit(client, serve, email, payout),
    read: (payout) => read(client, payout, clock.now()),
  };
}

async function submit(client: Client, serve: Serve, email: string, payout: Payout): Promise<PayoutOutcome> {
  const { channel, currency, recipient, provider_key: client_transaction_id, callback_url: notify_url } = payout;
  const service = serve(channel.id, currency);
  const amount = amountText(payout.amount_minor, 0);
  if (!service?.payment_method || amount === null) {
    return { kind: 'unavailable', message: `CinetPay pays out no such amount in ${currency} on ${channel.id}` };
  }
  const number = numberOf(recipient.phone, service);
  if (!number) return { kind: 'failed', reason: 'invalid_recipient', message: 'not a number CinetPay could pay' };
  const contact = stepOf(await client.submit('/v1/transfer/contact', { ...number, ...nameOf(recipient.name), email }, true));
  if (contact.kind === 'refused') return { ...contact, kind: 'failed' };
  // Whatever happened to the contact, no transfer was requested.
  if (contact.kind !== 'done') return { kind: 'unavailable', message: `the contact could not be made: ${contact.kind}` };
  const { payment_method } = service;
  const order = { ...number, amount: Number(amount), client_transaction_id, notify_url, payment_method };
  const step = stepOf(await client.submit('/v1/transfer/money/send/contact', order));
  switch (step.kind) {
    case 'done':
      return { kind: 'pending', provider_ref: textOf(step.entry.transaction_id), poll_after_ms: POLLS.first_ms };
    case 'exists':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'refused':
      return { ...step, kind: 'failed' };
    case 'not_created':
      return { kind: 'unavailable', message: step.message };
    case 'unclear':
      return { kind: 'unknown', message: step.message };
    default:
      return unreachable(step);
  }
}

/**
 * Splits an E.164 number into the two parts CinetPay expects. Returns null when it is not a number of the channel's
 * country.
 */
function numberOf(phone: string | null, { calling_code }: Service): { prefix: string; phone: string } | null {
  const digits = digitsOf(phone ?? '');
  const national = digits.startsWith(calling_code) ? digits.slice(calling_code.length) : '';
  return /^\d{7,12}$/.test(national) ? { prefix: calling_code, phone: national } : null;
}

/** Returns the required first name and surname. A single word is used for both. */
function nameOf(full: string): { name: string; surname: string } {
  const [first = '', ...rest] = full.trim().split(/\s+/);
  return { name: rest.join(' ') || first || 'Client', surname: first || 'Client' };
}

async function read(client: Client, payout: Payout, now: number): Promise<PayoutOutcome> {
  const { provider_key, amount_minor, currency, submitted_at } = payout;
  const reply = await client.read('/v1/transfer/check/money', { client_transaction_id: provider_key });
  const sent = sentOf(reply, provider_key);
  switch (sent.kind) {
    case 'pending':
      return { kind: 'pending', provider_ref: sent.ref, poll_after_ms: nextPoll(POLLS, submitted_at, now) };
    case 'paid':
      // Where the response has no amount it is the requested one: only we can create a transfer under our key.
      return { kind: 'succeeded', provider_ref: sent.provider_ref, amount_minor: sent.amount_minor ?? amount_minor, currency };
    case 'failed':
      return { kind: 'failed', reason: null, message: sent.message };
    case 'unreadable':
      return { kind: 'unknown', message: sent.message };
    case 'not_found':
      return sent;
    default:
      return unreachable(sent);
  }
}
