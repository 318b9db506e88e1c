import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Payout, PayoutOutcome, Payouts } from '../contract.ts';
import { nextPoll } from '../wire/polls.ts';
import { type Creation, isUnfunded, payoutReasonOf, type Rejection, type State } from './codes.ts';
import type { Market } from './channels.ts';
import { type Orders, partyOf, POLLS } from './orders.ts';

const TRANSFER = '/v1_0/transfer';

/** Returns the payout operations, paid from the disbursement float. */
export function payouts(orders: Orders, market: Market, clock: Clock): Payouts {
  return {
    reaches: (channelId, currency) => currency === market.currency && market.channels.includes(channelId),
    submit: async (payout) => {
      const payee = partyOf(payout.recipient.phone);
      if (!payee) return { kind: 'failed', reason: 'invalid_recipient', message: 'not a number MTN MoMo could pay' };
      const { provider_key: key, amount_minor, currency, description, callback_url } = payout;
      const order = { key, amount_minor, currency, description, callback_url, particulars: { payee } };
      return payoutOf(await orders.create('disbursement', TRANSFER, order));
    },
    read: async (payout) => payoutRead(await orders.read('disbursement', TRANSFER, payout.provider_key), payout, clock.now()),
  };
}

function payoutOf(creation: Creation): PayoutOutcome {
  switch (creation.kind) {
    case 'created':
    // An earlier submission arrived; its status is still to be read.
    case 'exists':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'refused':
      return refusedPayout(creation);
    case 'not_created':
      return { kind: 'unavailable', message: creation.message };
    case 'unclear':
      return { kind: 'unknown', message: creation.message };
    default:
      return unreachable(creation);
  }
}

/**
 * Returns the result of a rejected payout. A rejection because of the recipient is final. A rejection because of our
 * own float allows another provider to be tried.
 */
function refusedPayout({ meaning, message }: Rejection): PayoutOutcome {
  const reason = payoutReasonOf(meaning);
  return reason ? { kind: 'failed', reason, message } : { kind: 'unavailable', message };
}

function payoutRead(state: State, { submitted_at }: Payout, now: number): PayoutOutcome {
  const pending = { kind: 'pending', provider_ref: null, poll_after_ms: nextPoll(POLLS, submitted_at, now) } as const;
  switch (state.kind) {
    case 'pending':
      return pending;
    case 'failed':
      if (state.meaning.payout === 'pending') return pending;
      if (isUnfunded(state.code)) return { kind: 'unfunded', message: state.message };
      return { kind: 'failed', reason: state.meaning.payout, message: state.message };
    case 'unreadable':
      return { kind: 'unknown', message: state.message };
    case 'succeeded':
    case 'not_found':
      return state;
    default:
      return unreachable(state);
  }
}
