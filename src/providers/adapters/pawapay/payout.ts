import { unreachable } from '../../../kit/errors.ts';
import type { Cancellation, Payout, PayoutOutcome, Payouts } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import { digitsOf } from '../wire/words.ts';
import type { Account } from './account.ts';
import { providerOf } from './channels.ts';
import { messageFields, POLLS, pollAfter } from './collect.ts';
import { isCancelled, isUnfunded, payoutReason, takenOf, type Told, toldOf } from './codes.ts';

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
  const taken = takenOf(
    await account.client.submit('/v2/payouts', {
      ...{ payoutId: provider_key, amount, currency, clientReferenceId: payout.transfer_id },
      recipient: { type: 'MMO', accountDetails: { phoneNumber: digitsOf(recipient.phone), provider } },
      ...messageFields(payout.description),
    }),
  );
  switch (taken.kind) {
    // A duplicate was accepted earlier, which is equivalent to being accepted now.
    case 'taken':
    case 'duplicate':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'rejected':
      return { kind: 'failed', reason: payoutReason(taken.code), message: taken.message };
    case 'unavailable':
    case 'unknown':
      return taken;
    default:
      return unreachable(taken);
  }
}

async function read(account: Account, payout: Payout): Promise<PayoutOutcome> {
  const told = await ask(account, payout);
  switch (told.kind) {
    case 'pending': {
      const poll_after_ms = pollAfter(payout.submitted_at, account.clock.now(), told.slow);
      return { kind: 'pending', provider_ref: null, poll_after_ms };
    }
    case 'completed':
      return { ...told, kind: 'succeeded' };
    case 'failed':
      if (isUnfunded(told.code)) return { kind: 'unfunded', message: told.message };
      return isCancelled(told.code)
        ? { kind: 'cancelled', message: told.message }
        : { kind: 'failed', reason: payoutReason(told.code), message: told.message };
    case 'not_found':
      return told;
    case 'unreadable':
      return { kind: 'unknown', message: told.message };
    default:
      return unreachable(told);
  }
}

/** Cancels a payout. Only a payout in pawaPay's queue can be cancelled, so its status is read afterwards. */
async function cancel(account: Account, payout: Payout): Promise<Cancellation> {
  await account.client.ask(`/v2/payouts/fail-enqueued/${payout.provider_key}`, {});
  const told = await ask(account, payout);
  switch (told.kind) {
    case 'failed':
      return isCancelled(told.code) ? { kind: 'cancelled' } : { kind: 'too_late', message: told.message };
    case 'completed':
      return { kind: 'too_late', message: 'it was paid out' };
    case 'pending':
    case 'not_found':
      return { kind: 'unknown', message: 'pawaPay has not given it up' };
    case 'unreadable':
      return { kind: 'unknown', message: told.message };
    default:
      return unreachable(told);
  }
}

async function ask({ client }: Account, { provider_key }: Payout): Promise<Told> {
  return toldOf(await client.get(`/v2/payouts/${provider_key}`), 'payoutId', provider_key);
}
