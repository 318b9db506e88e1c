import { unreachable } from '../../../kit/errors.ts';
import type { Refund, RefundOutcome, Refunds } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import type { Account } from './account.ts';
import { staticTerms, type Terms } from './channels.ts';
import { contradictsBooks, isNeverRefunded, isUnfunded, refundReason, acceptanceOf, statusOf } from './codes.ts';
import { POLLS, pollAfter } from './collect.ts';

/**
 * Returns the refund operations: partial or full, one at a time for each deposit. A concurrent refund of the same
 * deposit is `unavailable`.
 */
export function refunds(account: Account): Refunds {
  return {
    extent: 'partial',
    stepOf: (channelId, currency) => (termsOf(account, channelId, currency)?.decimals === 0 ? 100n : 1n),
    submit: (refund) => submit(account, refund),
    read: (refund) => read(account, refund),
  };
}

/** Returns the terms of a refund. The default terms allow refunds on a channel that is currently closed for deposits. */
function termsOf({ configuration }: Account, channelId: string, currency: string): Terms | undefined {
  return configuration.terms('collect', channelId, currency) ?? staticTerms(channelId, currency);
}

async function submit(account: Account, refund: Refund): Promise<RefundOutcome> {
  const { collection, currency, provider_key } = refund;
  const terms = termsOf(account, collection.channel.id, currency);
  if (!terms) return { kind: 'unavailable', message: `pawaPay refunds no ${currency} on ${collection.channel.id} now` };
  const amount = amountText(refund.amount_minor, terms.decimals);
  // The amount can never be refunded, so the merchant's money must not wait for it.
  if (amount === null)
    return { kind: 'failed', reason: 'provider_error', message: `pawaPay cannot refund this amount in ${currency}` };
  const acceptance = acceptanceOf(
    await account.client.submit('/v2/refunds', {
      ...{ refundId: provider_key, depositId: collection.provider_key, amount, currency },
      clientReferenceId: refund.refund_id,
    }),
  );
  switch (acceptance.kind) {
    case 'accepted':
    case 'duplicate':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'rejected':
      return failure(acceptance);
    case 'unavailable': {
      const { code, message } = acceptance;
      return isNeverRefunded(code) ? { kind: 'failed', reason: refundReason(code), message } : { kind: 'unavailable', message };
    }
    case 'unknown':
      return acceptance;
    default:
      return unreachable(acceptance);
  }
}

async function read({ client, clock }: Account, refund: Refund): Promise<RefundOutcome> {
  const { provider_key } = refund;
  const status = statusOf(await client.get(`/v2/refunds/${provider_key}`), 'refundId', provider_key);
  switch (status.kind) {
    case 'pending': {
      const poll_after_ms = pollAfter(refund.submitted_at, clock.now(), status.slow);
      return { kind: 'pending', provider_ref: null, poll_after_ms };
    }
    case 'completed':
      return status.amount_minor === refund.amount_minor && status.currency === refund.currency
        ? { kind: 'succeeded', provider_ref: status.provider_ref }
        : { kind: 'unknown', message: 'pawaPay reports another amount or currency than was requested' };
    case 'failed':
      return isUnfunded(status.code) ? { kind: 'unfunded', message: status.message } : failure(status);
    case 'not_found':
      return status;
    case 'unreadable':
      return { kind: 'unknown', message: status.message };
    default:
      return unreachable(status);
  }
}

function failure({ code, message }: { code: string; message: string }): RefundOutcome {
  if (!contradictsBooks(code)) return { kind: 'failed', reason: refundReason(code), message };
  return { kind: 'unknown', message, needs_person: true };
}
