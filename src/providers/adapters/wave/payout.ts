import { cut } from '../../../kit/unicode.ts';
import type { Clock } from '../../../kit/clock.ts';
import type { Payouts } from '../contract.ts';
import { amountText } from '../wire/amounts.ts';
import { nextPoll } from '../wire/polls.ts';
import { plainText } from '../wire/text.ts';
import { mobileOf, POLLS } from './collect.ts';
import type { Client } from './client.ts';
import { payoutFound, payoutOf } from './codes.ts';

/** Maximum lengths in characters: of payment_reason, which the recipient reads, and of the name. */
const MAX_REASON = 40;
const MAX_NAME = 100;

/**
 * Returns the payout operations. The key is sent twice: as idempotency-key, so that a repeated submission is the same
 * payout, and as client_reference, by which the payout is searched. No webhook reports payouts.
 */
export function payouts(client: Client, channel: string, currency: string, clock: Clock): Payouts {
  return {
    reaches: (channelId, wanted) => channelId === channel && wanted === currency,
    submit: async (payout) => {
      const mobile = mobileOf(payout.recipient.phone);
      if (!mobile) return { kind: 'failed', reason: 'invalid_recipient', message: 'not a number Wave could pay' };
      const receive_amount = amountText(payout.amount_minor, 0);
      if (receive_amount === null) {
        return { kind: 'unavailable', message: `the amount cannot be paid out in ${payout.currency}` };
      }
      const name = cut(payout.recipient.name.trim(), MAX_NAME);
      const payment_reason = plainText(payout.description, MAX_REASON);
      const body = {
        ...{ currency: payout.currency, receive_amount, mobile, client_reference: payout.provider_key },
        ...(name ? { name } : {}),
        ...(payment_reason ? { payment_reason } : {}),
      };
      const request = { method: 'POST', path: '/v1/payout', body, idempotency_key: payout.provider_key } as const;
      return payoutOf(await client.call(request), payout.provider_key, POLLS.first_ms);
    },
    read: async ({ provider_key, submitted_at }) => {
      const path = `/v1/payouts/search?client_reference=${encodeURIComponent(provider_key)}`;
      const reply = await client.call({ method: 'GET', path });
      return payoutFound(reply, provider_key, nextPoll(POLLS, submitted_at, clock.now()));
    },
  };
}
