import type { Clock } from '../../../kit/clock.ts';
import { unreachable } from '../../../kit/errors.ts';
import type { Payout, PayoutOutcome, Payouts } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import { nextPoll } from '../wire/polls.ts';
import { digitsOf, plainText } from '../wire/text.ts';
import { bankOf, paysOut, wireDecimals } from './channels.ts';
import type { Client } from './client.ts';
import { POLLS } from './collect.ts';
import { creationOf, isInDoubt, isUnfunded, meaningOf, numberOf, transferState } from './codes.ts';

const MAX_NARRATION = 100;
/**
 * Maximum length of callback_url, as documented by the official SDK. A longer one is omitted: the webhook configured
 * in the dashboard has the same content.
 */
const MAX_CALLBACK_URL = 100;

/** Returns the payouts to wallets and Nigerian bank accounts. A reference is accepted only once. */
export function payouts(client: Client, clock: Clock): Payouts {
  return {
    idempotency: 'conflicts',
    reaches: (channelId, currency) => reaches(client, channelId, currency),
    submit: (payout) => submit(client, payout),
    read: (payout) => read(client, payout, clock.now()),
  };
}

/** M-Pesa of Kenya rejects transfers without a sender. */
function reaches({ settings }: Client, channelId: string, currency: string): boolean {
  return paysOut(channelId, currency) && (currency !== 'KES' || settings.sender !== null);
}

async function submit(client: Client, payout: Payout): Promise<PayoutOutcome> {
  const { channel, currency, recipient, provider_key: reference } = payout;
  const amount = amountText(payout.amount_minor, wireDecimals(currency));
  if (amount === null || !reaches(client, channel.id, currency)) {
    return { kind: 'unavailable', message: `Flutterwave pays out no such amount in ${currency} on ${channel.id}` };
  }
  const account_bank = bankOf(channel.id, currency, recipient.bank_code);
  const account_number = channel.kind === 'bank' ? recipient.account_number : recipient.phone;
  if (account_bank === undefined || account_number === null || !/^\+?\d{6,20}$/.test(account_number)) {
    return { kind: 'failed', reason: 'invalid_recipient', message: 'not an account Flutterwave could pay' };
  }
  const creation = creationOf(
    await client.post('/transfers', {
      ...{ account_bank, account_number: digitsOf(account_number), amount: Number(amount), currency, reference },
      narration: plainText(payout.description, MAX_NARRATION) || 'Payout',
      // Some corridors reject transfers without a name. A recipient without a name is sent as 'Recipient'.
      ...{ beneficiary_name: recipient.name || 'Recipient', debit_currency: currency },
      ...(payout.callback_url.length <= MAX_CALLBACK_URL ? { callback_url: payout.callback_url } : {}),
      ...(currency === 'KES' ? { meta: client.settings.sender } : {}),
    }),
  );
  switch (creation.kind) {
    case 'created': {
      const { id, status, complete_message } = creation.data;
      const meaning = meaningOf(complete_message);
      // A transfer without funds, or without an outcome, is left to the next read.
      if (status === 'FAILED' && !isUnfunded(meaning) && !isInDoubt(complete_message)) {
        return { kind: 'failed', reason: meaning.payout, message: 'failed at once' };
      }
      return { kind: 'pending', provider_ref: numberOf(id), poll_after_ms: POLLS.first_ms };
    }
    case 'exists':
      return { kind: 'pending', provider_ref: null, poll_after_ms: POLLS.first_ms };
    case 'refused':
      return { kind: 'failed', reason: creation.meaning.payout ?? 'invalid_recipient', message: creation.message };
    case 'not_created':
      return { kind: 'unavailable', message: creation.message };
    case 'unclear':
      return { kind: 'unknown', message: creation.message };
    default:
      return unreachable(creation);
  }
}

async function read(client: Client, payout: Payout, now: number): Promise<PayoutOutcome> {
  const { provider_key, provider_ref, submitted_at } = payout;
  const path = provider_ref === null ? `/transfers?reference=${encodeURIComponent(provider_key)}` : `/transfers/${provider_ref}`;
  const state = transferState(await client.get(path), provider_key);
  switch (state.kind) {
    case 'pending':
      return { kind: 'pending', provider_ref: state.id, poll_after_ms: nextPoll(POLLS, submitted_at, now) };
    case 'failed':
      if (isUnfunded(state.meaning)) return { kind: 'unfunded', message: state.message };
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
