import type { SendOptions, SendResult } from '../../src/kit/fetch.ts';
import { createLog } from '../../src/kit/log.ts';
import type { Collection, Payout, Provider, Refund } from '../../src/providers/adapters/contract.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';

/** What stands in for MTN where a simulator would be too polite. */
export type Answering = (request: SendOptions) => SendResult | Promise<SendResult>;

export function answered(status: number, body: unknown): SendResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers: {}, body: text, truncated: false, duration_ms: 1 };
}

export const TOKEN = answered(200, { access_token: 'token-1', token_type: 'access_token', expires_in: 3600 });

export const CREDENTIALS: Record<string, string> = {
  api_user: 'user',
  api_key: 'key',
  collection_subscription_key: 'collecting',
  disbursement_subscription_key: 'disbursing',
  target_environment: 'mtncameroon',
};

/** An account whose calls are answered by a function; tokens are granted unless it sees to them too. */
export function stubbed(
  answer: Answering,
  options: { credentials?: Record<string, string>; now?: () => number; tokens?: boolean } = {},
): { provider: Provider; calls: SendOptions[] } {
  const { credentials = CREDENTIALS, now = Date.now, tokens = true } = options;
  const calls: SendOptions[] = [];
  const provider = mtnMomo.connect(
    { id: 'pa_test', environment: 'live', credentials },
    {
      send: async (request) => {
        if (tokens && request.url.endsWith('/token/')) return TOKEN;
        calls.push(request);
        return answer(request);
      },
      clock: { now },
      log: createLog({ level: 'silent', format: 'json' }),
    },
  );
  return { provider, calls };
}

const ATTEMPT = 'att_01k3tz9f7a0123456789abcdef';

export function collection(provider: Provider, changes: Partial<Collection> = {}): Collection {
  return {
    attempt_id: ATTEMPT,
    provider_key: provider.keyOf(ATTEMPT),
    provider_ref: null,
    handle: null,
    amount_minor: 25_000_00n,
    currency: 'XAF',
    channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
    payer: '+237653000000',
    description: 'Order 42',
    return_url: 'https://pay.example/pay/token',
    callback_url: `https://pay.example/_callbacks/pa_test/${ATTEMPT}/mac`,
    submitted_at: null,
    expires_at: Date.now() + 3_600_000,
    ...changes,
  };
}

export function payout(provider: Provider, changes: Partial<Payout> = {}): Payout {
  const transfer_id = 'po_01k3tz9f7a0123456789abcdef';
  return {
    transfer_id,
    provider_key: provider.keyOf(transfer_id),
    provider_ref: null,
    amount_minor: 25_000_00n,
    currency: 'XAF',
    channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
    recipient: { name: 'Awa N.', phone: '+237653000000', account_number: null, bank_code: null },
    description: 'Salary',
    callback_url: `https://pay.example/_callbacks/pa_test/${transfer_id}/mac`,
    submitted_at: null,
    ...changes,
  };
}

export function refund(provider: Provider, changes: Partial<Refund> = {}): Refund {
  const refund_id = 'rfd_01k3tz9f7a0123456789abcdef';
  return {
    refund_id,
    provider_key: provider.keyOf(`${refund_id}-0`),
    provider_ref: null,
    amount_minor: 10_000_00n,
    currency: 'XAF',
    collection: collection(provider),
    callback_url: `https://pay.example/_callbacks/pa_test/${refund_id}/mac`,
    submitted_at: null,
    ...changes,
  };
}
