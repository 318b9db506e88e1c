import { unreachable } from '../../../kit/errors.ts';
import type { Refund, RefundOutcome, Refunds } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import type { Account } from './account.ts';
import { staticTerms } from './channels.ts';
import { isUnfunded, refundReason, takenOf, toldOf } from './codes.ts';
import { POLLS, pollAfter } from './collect.ts';

/**
 * Returns the refund operations: partial or full, one at a time for each deposit. A concurrent refund of the same
 * deposit is `unavailable`.
 */
export function refunds(account: Account): Refunds {
  return { extent: 'partial', submit: (refund) => submit(account, refund), read: (refund) => read(account, refund) };
}

async function submit(account: Account, refund: Refund): Promise<RefundOutcome> {
  const { collection, currency, provider_key } = refund;
  // The default terms allow refunds on a channel that is currently closed for deposits.
  const { configuration } = account;
  const terms = configuration.terms('collect', collection.channel.id, currency) ?? staticTerms(collection.channel.id, currency);
  const amount = terms ? amountText(refund.amount_minor, terms.decimals) : null;
  if (amount === null) return { kind: 'unavailable', message: `pawaPay gives back no such amount in ${currency}` };
  const taken = takenOf(
    await account.client.submit('/v2/refunds', {
      ...{ refundId: provider_key, depositId: collection.provider_key, amount, currency },
      clientReferenceId: refund.refund_id,
    }),
  );
  switch (taken.kind) {
    case 'taken':
    case 'duplicate':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'rejected':
      return { kind: 'failed', reason: refundReason(taken.code), message: taken.message };
    case 'unavailable':
    case 'unknown':
      return taken;
    default:
      return unreachable(taken);
  }
}

async function read({ client, clock }: Account, refund: Refund): Promise<RefundOutcome> {
  const { provider_key } = refund;
  const told = toldOf(await client.get(`/v2/refunds/${provider_key}`), 'refundId', provider_key);
  switch (told.kind) {
    case 'pending': {
      const poll_after_ms = pollAfter(refund.submitted_at, clock.now(), told.slow);
      return { kind: 'pending', provider_ref: null, poll_after_ms };
    }
    case 'completed':
      return told.amount_minor === refund.amount_minor && told.currency === refund.currency
        ? { kind: 'succeeded', provider_ref: told.provider_ref }
        : { kind: 'unknown', message: 'pawaPay reports another amount or currency than was asked for' };
    case 'failed':
      if (isUnfunded(told.code)) return { kind: 'unfunded', message: told.message };
      return { kind: 'failed', reason: refundReason(told.code), message: told.message };
    case 'not_found':
      return told;
    case 'unreadable':
      return { kind: 'unknown', message: told.message };
    default:
      return unreachable(told);
  }
}
