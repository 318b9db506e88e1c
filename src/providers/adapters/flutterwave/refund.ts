import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Collection, Payout, PayoutOutcome, Payouts, Refund, RefundOutcome, Refunds } from '../contract.ts';
import type { Reason } from '../reasons.ts';
import { amountText } from '../wire/amounts.ts';
import { nextPoll } from '../wire/polls.ts';
import { wireDecimals } from './channels.ts';
import type { Client } from './client.ts';
import { POLLS, stateAt } from './collect.ts';
import { creationOf, type Meaning, envelopeOf, type RefundState, refundState } from './codes.ts';

/**
 * Returns the refund operations, partial or full. A wallet is refunded by a transfer, whose reference makes it
 * readable and prevents a duplicate. The method depends on the channel alone: a refund whose number was erased in the
 * meantime remains a transfer, and fails rather than being paid twice. A refund to a card or an account has no key of
 * ours. If its response is lost it cannot be found, is never sent a second time, and requires manual resolution.
 */
export function refunds(client: Client, clock: Clock, payouts: Payouts): Refunds {
  return {
    // Applies to a transfer to a wallet. A refund to a card or an account is never reported as not found.
    idempotency: 'conflicts',
    extent: 'partial',
    needsPayer: (channel, currency) => isWallet(payouts, channel, currency),
    submit: async (refund) => {
      const transfer = transferOf(refund, payouts);
      return transfer ? refundOutcomeOf(await payouts.submit(transfer), refund) : submit(client, refund);
    },
    read: async (refund) => {
      const transfer = transferOf(refund, payouts);
      return transfer ? refundOutcomeOf(await payouts.read(transfer), refund) : read(client, refund, clock.now());
    },
  };
}

/** Returns whether payments on this channel are refunded by a transfer to the wallet. */
function isWallet({ reaches }: Payouts, { id, kind }: Pick<Collection['channel'], 'id' | 'kind'>, currency: string): boolean {
  return kind === 'mobile_money' && reaches(id, currency);
}

/** Returns the transfer that refunds a wallet, or null where there is no wallet. */
function transferOf({ collection, ...refund }: Refund, payouts: Payouts): Payout | null {
  const { channel, currency, payer, description } = collection;
  if (!isWallet(payouts, channel, currency)) return null;
  const { refund_id: transfer_id, provider_key, provider_ref, amount_minor, callback_url, submitted_at } = refund;
  const recipient = { name: '', phone: payer, account_number: null, bank_code: null };
  return {
    transfer_id,
    provider_key,
    provider_ref,
    amount_minor,
    currency,
    channel,
    recipient,
    description,
    callback_url,
    submitted_at,
  };
}

function refundOutcomeOf(outcome: PayoutOutcome, { amount_minor, currency }: Refund): RefundOutcome {
  switch (outcome.kind) {
    case 'succeeded':
      return outcome.amount_minor === amount_minor && outcome.currency === currency
        ? { kind: 'succeeded', provider_ref: outcome.provider_ref }
        : { kind: 'unknown', message: 'another amount or currency was refunded than was requested' };
    case 'failed':
    case 'cancelled':
      return { kind: 'failed', reason: 'operator_declined', message: outcome.message };
    case 'pending':
    case 'unavailable':
    case 'unfunded':
    case 'not_found':
    case 'unknown':
      return outcome;
    default:
      return unreachable(outcome);
  }
}

/**
 * Texts of Flutterwave for a refund of more than is left of a charge. They are not published. Our books show enough, so the charge was
 * refunded outside this service, for example from the dashboard, and the payer has received money.
 */
const REFUNDED_OTHERWISE = /already.*refund|(?:more than|exceed|greater than).*(?:transaction|charge|paid|left|remain)/i;
/** Texts about an amount that Flutterwave never refunds, or about its own balance. */
const NEVER_REFUNDED = /must be|should be|days|balance|limit/i;

function isRefundedOtherwise(message: string): boolean {
  return REFUNDED_OTHERWISE.test(message) && !NEVER_REFUNDED.test(message);
}

async function submit(client: Client, refund: Refund): Promise<RefundOutcome> {
  const amount = amountText(refund.amount_minor, wireDecimals(refund.currency));
  if (amount === null) return { kind: 'unavailable', message: `Flutterwave cannot refund this amount in ${refund.currency}` };
  const charge = await stateAt(client, refund.collection);
  if (charge.kind === 'failed') return { kind: 'failed', reason: 'provider_error', message: 'the charge to be refunded failed' };
  if (charge.kind !== 'succeeded') return { kind: 'unavailable', message: `the charge to be refunded is ${charge.kind}` };
  // The comment is for operators: it identifies our refund on Flutterwave's dashboard.
  const body = { amount: Number(amount), comments: refund.provider_key };
  const creation = creationOf(await client.post(`/transactions/${charge.provider_ref}/refund`, body));
  switch (creation.kind) {
    case 'created':
      return outcomeOf(refundState(creation.data), refund, POLLS.first_ms);
    case 'refused':
      return { kind: 'failed', reason: 'provider_error', message: creation.message };
    case 'not_created':
      if (isForLater(creation)) return { kind: 'unavailable', message: creation.message };
      if (isRefundedOtherwise(creation.message)) return { kind: 'unknown', message: creation.message, needs_person: true };
      return { kind: 'failed', reason: 'provider_error', message: creation.message };
    case 'exists':
      return { kind: 'unknown', message: 'Flutterwave has such a refund already' };
    case 'unclear':
      // "Already refunded" is among the texts that prove nothing. Our books know of no such refund.
      if (isRefundedOtherwise(creation.message)) return { kind: 'unknown', message: creation.message, needs_person: true };
      return { kind: 'unknown', message: creation.message };
    default:
      return unreachable(creation);
  }
}

/**
 * Returns whether a rejection is temporary. A bad request is permanent, unless the reason is insufficient funds or an
 * unavailable channel. All others are temporary.
 */
function isForLater({ status, meaning }: { status: number | null; meaning: Meaning }): boolean {
  return status !== 400 || meaning.collect === 'insufficient_funds' || meaning.collect === 'channel_unavailable';
}

async function read(client: Client, refund: Refund, now: number): Promise<RefundOutcome> {
  const { provider_ref } = refund;
  if (provider_ref === null) return { kind: 'unknown', message: 'its number at Flutterwave is not known: see the dashboard' };
  const reply = await client.get(`/refunds/${provider_ref}`);
  if (reply.kind !== 'answered') return { kind: 'unknown', message: reply.message };
  const { api_status, data, message } = envelopeOf(reply);
  if (reply.status !== 200 || api_status !== 'success') return { kind: 'unknown', message };
  const state = refundState(data);
  if ('id' in state && state.id !== provider_ref) return { kind: 'unknown', message: 'a response about another refund' };
  return outcomeOf(state, refund, nextPoll(POLLS, refund.submitted_at, now));
}

function outcomeOf(state: RefundState, { amount_minor }: Refund, poll_after_ms: number): RefundOutcome {
  switch (state.kind) {
    case 'pending':
      return { kind: 'pending', provider_ref: state.id, poll_after_ms };
    case 'completed':
      return state.amount_minor === amount_minor
        ? { kind: 'succeeded', provider_ref: state.id }
        : { kind: 'unknown', message: 'another amount was refunded than was requested' };
    case 'failed':
      return { kind: 'failed', reason: reasonOf(state.meaning), message: state.message };
    case 'unreadable':
      return { kind: 'unknown', message: state.message };
    default:
      return unreachable(state);
  }
}

/**
 * Returns the reason of a failed refund. No approval is required for a refund, so a text about the payer's refusal is
 * attributed to the operator.
 */
function reasonOf({ collect }: Meaning): Reason {
  return collect === 'cancelled' ? 'operator_declined' : collect;
}
