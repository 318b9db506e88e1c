import { unreachable } from '../../../kit/errors.ts';
import type { Cancellation, Payout, PayoutOutcome, Payouts } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import { digitsOf } from '../wire/text.ts';
import type { Account } from './account.ts';
import { providerOf } from './channels.ts';
import { messageFields, POLLS, pollAfter } from './collect.ts';
import { isCancelled, isUnfunded, payoutReason, acceptanceOf, type Status, statusOf } from './codes.ts';

/** Returns the payout operations. */
export function payouts(account: Account): Payouts {
  return {
    reaches: (channelId, currency) => account.configuration.terms('payout', channelId, currency) !== undefined,
    submit: (payout) => submit(account, payout),
    read: (payout) => read(account, payout),
    cancel: (payout) => cancel(account, payout),
  };
}

async function submit(account: Account, payout: Payout): Promise<PayoutOutcome> {
  const { channel, currency, recipient, provider_key } = payout;
  const terms = account.configuration.terms('payout', channel.id, currency);
  const provider = providerOf(channel.id);
  if (!terms || !provider) return { kind: 'unavailable', message: `pawaPay does not pay out ${currency} on ${channel.id} now` };
  if (recipient.phone === null) return { kind: 'failed', reason: 'invalid_recipient', message: 'pawaPay needs a phone number' };
  const amount = amountText(payout.amount_minor, terms.decimals);
  if (amount === null) return { kind: 'unavailable', message: `pawaPay pays out no such amount in ${currency} on ${channel.id}` };
  const acceptance = acceptanceOf(
    await account.client.submit('/v2/payouts', {
      ...{ payoutId: provider_key, amount, currency, clientReferenceId: payout.transfer_id },
      recipient: { type: 'MMO', accountDetails: { phoneNumber: digitsOf(recipient.phone), provider } },
      ...messageFields(payout.description),
    }),
  );
  switch (acceptance.kind) {
    // A duplicate was accepted earlier, which is equivalent to being accepted now.
    case 'accepted':
    case 'duplicate':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'rejected':
      return { kind: 'failed', reason: payoutReason(acceptance.code), message: acceptance.message };
    case 'unavailable':
    case 'unknown':
      return acceptance;
    default:
      return unreachable(acceptance);
  }
}

async function read(account: Account, payout: Payout): Promise<PayoutOutcome> {
  const status = await readStatus(account, payout);
  switch (status.kind) {
    case 'pending': {
      const poll_after_ms = pollAfter(payout.submitted_at, account.clock.now(), status.slow);
      return { kind: 'pending', provider_ref: null, poll_after_ms };
    }
    case 'completed':
      return { ...status, kind: 'succeeded' };
    case 'failed':
      if (isUnfunded(status.code)) return { kind: 'unfunded', message: status.message };
      return isCancelled(status.code)
        ? { kind: 'cancelled', message: status.message }
        : { kind: 'failed', reason: payoutReason(status.code), message: status.message };
    case 'not_found':
      return status;
    case 'unreadable':
      return { kind: 'unknown', message: status.message };
    default:
      return unreachable(status);
  }
}

/** Cancels a payout. Only a payout in pawaPay's queue can be cancelled, so its status is read afterwards. */
async function cancel(account: Account, payout: Payout): Promise<Cancellation> {
  await account.client.query(`/v2/payouts/fail-enqueued/${payout.provider_key}`, {});
  const status = await readStatus(account, payout);
  switch (status.kind) {
    case 'failed':
      return isCancelled(status.code) ? { kind: 'cancelled' } : { kind: 'too_late', message: status.message };
    case 'completed':
      return { kind: 'too_late', message: 'it was paid out' };
    case 'pending':
    case 'not_found':
      return { kind: 'unknown', message: 'pawaPay has not cancelled it' };
    case 'unreadable':
      return { kind: 'unknown', message: status.message };
    default:
      return unreachable(status);
  }
}

async function readStatus({ client }: Account, { provider_key }: Payout): Promise<Status> {
  return statusOf(await client.get(`/v2/payouts/${provider_key}`), 'payoutId', provider_key);
}
