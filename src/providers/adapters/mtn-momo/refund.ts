import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Refund, RefundOutcome, Refunds } from '../contract.ts';
import { nextPoll } from '../wire/polls.ts';
import { type Creation, isUnfunded, type Meaning, payoutReasonOf, type Rejection, type State } from './codes.ts';
import { type Orders, POLLS } from './orders.ts';

const REFUND = '/v1_0/refund';

/**
 * Returns the refund operations. Refunds are paid from the disbursement float, which may be insufficient although the
 * collection float is not.
 */
export function refunds(orders: Orders, clock: Clock): Refunds {
  return {
    extent: 'partial',
    submit: async (refund) => {
      const { provider_key: key, amount_minor, currency, collection, callback_url } = refund;
      const particulars = { referenceIdToRefund: collection.provider_key };
      const order = { key, amount_minor, currency, description: collection.description, callback_url, particulars };
      return refundOf(await orders.create('disbursement', REFUND, order));
    },
    read: async (refund) => refundRead(await orders.read('disbursement', REFUND, refund.provider_key), refund, clock.now()),
  };
}

function refundOf(creation: Creation): RefundOutcome {
  switch (creation.kind) {
    case 'created':
    case 'exists':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'refused':
      return refusedRefund(creation);
    case 'not_created':
      // The collection does not belong to this API user. A retry would fail again.
      if (creation.because === 'missing') return { kind: 'failed', reason: 'provider_error', message: creation.message };
      return { kind: 'unavailable', message: creation.message };
    case 'unclear':
      return { kind: 'unknown', message: creation.message };
    default:
      return unreachable(creation);
  }
}

/** Returns the result of a rejected refund. As for payouts, an insufficient float of our own is temporary. */
function refusedRefund({ meaning, message }: Rejection): RefundOutcome {
  return payoutReasonOf(meaning) ? { kind: 'failed', reason: refundReason(meaning), message } : { kind: 'unavailable', message };
}

function refundRead(state: State, refund: Refund, now: number): RefundOutcome {
  const pending = { kind: 'pending', provider_ref: null, poll_after_ms: nextPoll(POLLS, refund.submitted_at, now) } as const;
  switch (state.kind) {
    case 'pending':
      return pending;
    case 'succeeded':
      // The core compares the amounts of collections and payouts, but a refund outcome contains none. It is compared
      // here.
      if (state.amount_minor !== refund.amount_minor || state.currency !== refund.currency) {
        return { kind: 'unknown', message: 'another amount or currency was refunded than was requested' };
      }
      return { kind: 'succeeded', provider_ref: state.provider_ref };
    case 'failed':
      if (state.meaning.collect === 'pending') return pending;
      if (isUnfunded(state.code)) return { kind: 'unfunded', message: state.message };
      return { kind: 'failed', reason: refundReason(state.meaning), message: state.message };
    case 'unreadable':
      return { kind: 'unknown', message: state.message };
    case 'not_found':
      return state;
    default:
      return unreachable(state);
  }
}

/**
 * Returns the reason of a failed refund. No approval is required for a refund, so a code for the payer's refusal is
 * attributed to the operator.
 */
function refundReason({ collect }: Meaning) {
  return collect === 'cancelled' || collect === 'pending' ? 'operator_declined' : collect;
}
