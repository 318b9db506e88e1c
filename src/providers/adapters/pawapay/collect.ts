import { setTimeout as sleep } from 'node:timers/promises';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, Next, PollPlan, Reading, Submission } from '../contract.ts';
import { pageOf } from '../wire/addresses.ts';
import { amountText } from '../wire/amounts.ts';
import { digitsOf, plainText } from '../wire/text.ts';
import type { Account } from './account.ts';
import { providerOf } from './channels.ts';
import { isCancelled, paymentReason, acceptanceOf, type Status, statusOf } from './codes.ts';

/** A prompt expires after some minutes. An operation that pawaPay has not completed by then may take hours. */
export const POLLS: PollPlan = { first_ms: 3_000, factor: 1.5, max_ms: 300_000 };
/** Minimum interval for an operation that pawaPay is resolving with an operator or keeps in a queue. */
const SLOW_MS = 60_000;
/** Delays between status reads for the page of a Wave payer, which is available shortly after the deposit was accepted. */
const PAGE_WAITS_MS = [100, 300, 700, 1_500, 2_500];
const MESSAGE_LENGTH = { min: 4, max: 22 };

/** Submits a deposit. Where the operator requires a code from the payer first, requests the code and sends nothing. */
export async function submitDeposit(account: Account, collection: Collection): Promise<Submission> {
  const terms = account.configuration.terms('collect', collection.channel.id, collection.currency);
  if (terms?.auth === 'PREAUTH') {
    return { kind: 'accepted', provider_ref: null, next: { kind: 'otp' }, poll_after_ms: POLLS.first_ms, code_first: true };
  }
  return sendDeposit(account, collection, null);
}

/**
 * Sends a deposit.
 * @param code the code the payer obtained beforehand by USSD, where the operator requires one
 */
export async function sendDeposit(account: Account, collection: Collection, code: string | null): Promise<Submission> {
  const { channel, currency, payer, provider_key } = collection;
  const terms = account.configuration.terms('collect', channel.id, currency);
  const provider = providerOf(channel.id);
  if (!terms || !provider) return { kind: 'unavailable', message: `pawaPay does not take ${currency} on ${channel.id} now` };
  if (payer === null) return { kind: 'refused', reason: 'invalid_number', message: 'pawaPay needs the number of the payer' };
  const amount = amountText(collection.amount_minor, terms.decimals);
  if (amount === null) return { kind: 'unavailable', message: `pawaPay takes no such amount in ${currency} on ${channel.id}` };
  const redirects = terms.auth === 'REDIRECT_AUTH';
  const acceptance = acceptanceOf(
    await account.client.submit('/v2/deposits', {
      ...{ depositId: provider_key, amount, currency, clientReferenceId: collection.attempt_id },
      payer: { type: 'MMO', accountDetails: { phoneNumber: digitsOf(payer), provider } },
      ...(code === null ? {} : { preAuthorisationCode: code }),
      ...messageFields(collection.description),
      ...(redirects ? { successfulUrl: collection.return_url, failedUrl: collection.return_url } : {}),
    }),
  );
  switch (acceptance.kind) {
    case 'accepted': {
      const next = redirects ? await payingPageOf(account, collection) : ({ kind: 'confirm' } as const);
      return { kind: 'accepted', provider_ref: null, next, poll_after_ms: POLLS.first_ms };
    }
    case 'rejected':
      return { kind: 'refused', reason: paymentReason(acceptance.code), message: acceptance.message };
    case 'unavailable': {
      const { kind, message, malformed } = acceptance;
      // Without the code the request contains only what we have checked, so its rejection would be a fault of the account or of ours.
      return malformed && code !== null ? { kind, message, input_rejected: true } : { kind, message };
    }
    case 'duplicate':
    case 'unknown':
      return acceptance;
    default:
      return unreachable(acceptance);
  }
}

/** Reads the status of a deposit. */
export async function readDeposit(account: Account, collection: Collection): Promise<Reading> {
  const status = await readStatus(account, collection);
  const now = account.clock.now();
  if (status.kind !== 'not_found')
    return readingOf(status, pollAfter(collection.submitted_at, now, status.kind === 'pending' && status.slow), account.base_url);
  // An attempt that waits for a code has not been sent, so it cannot be found. The operator may no longer require a code.
  if (!collection.awaits_code) return status;
  // A code may have been sent after the window with a lost response, so the grace period also counts from the submission.
  return now < Math.max(collection.expires_at, collection.submitted_at ?? 0) + account.grace_ms
    ? { kind: 'pending', poll_after_ms: pollAfter(collection.submitted_at, now) }
    : { kind: 'expired' };
}

/**
 * Converts a deposit status to a reading. The page of a Wave payer may become available only some time after the
 * deposit was accepted (Deposits, authorizationUrl).
 * @param base_url pawaPay's address; payment pages must be https unless it is not
 */
export function readingOf(status: Status, poll_after_ms: number, base_url: string): Reading {
  switch (status.kind) {
    case 'pending': {
      const url = pageOf(status.authorization_url, base_url);
      return { kind: 'pending', poll_after_ms, ...(url === null ? {} : { next: { kind: 'redirect', url } }) };
    }
    case 'completed':
      return { ...status, kind: 'succeeded' };
    case 'failed':
      return isCancelled(status.code)
        ? { kind: 'cancelled', reason: 'operator_declined', message: status.message }
        : { kind: 'failed', reason: paymentReason(status.code), message: status.message };
    case 'not_found':
    case 'unreadable':
      return status;
    default:
      return unreachable(status);
  }
}

async function readStatus({ client }: Account, { provider_key }: Collection): Promise<Status> {
  return statusOf(await client.get(`/v2/deposits/${provider_key}`), 'depositId', provider_key);
}

/**
 * Returns the payment page of the payer. A page that is not available in time is returned by a later reading. The
 * operator's own app also shows the request.
 */
async function payingPageOf(account: Account, collection: Collection): Promise<Next> {
  for (const wait_ms of PAGE_WAITS_MS) {
    await sleep(wait_ms);
    const status = await readStatus(account, collection);
    if (status.kind === 'pending' && status.authorization_url === null) continue;
    const url = status.kind === 'pending' ? pageOf(status.authorization_url, account.base_url) : null;
    if (url !== null) return { kind: 'redirect', url };
    if (status.kind === 'completed' || status.kind === 'failed') break;
  }
  return { kind: 'confirm' };
}

/** Returns the statement text of the payer. It is omitted when fewer than the minimum number of characters remain. */
export function messageFields(description: string): { customerMessage?: string } {
  const customerMessage = plainText(description, MESSAGE_LENGTH.max);
  return customerMessage.length < MESSAGE_LENGTH.min ? {} : { customerMessage };
}

/**
 * Returns the delay before the next poll: a third of the elapsed time, within the limits.
 * @returns milliseconds
 */
export function pollAfter(submitted_at: number | null, now: number, slow = false): number {
  const age = submitted_at === null ? 0 : Math.max(0, now - submitted_at);
  return Math.min(Math.max(age / 3, slow ? SLOW_MS : POLLS.first_ms), POLLS.max_ms);
}
