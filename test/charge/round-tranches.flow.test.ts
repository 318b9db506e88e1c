import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { paymentIn, startPayment } from '../setup/pay.ts';
import { Registry } from '../setup/providers.ts';

let api: Api;
before(async () => {
  const shillings = {
    name: 'shillings',
    // Of whole units, as M-Pesa takes them.
    offers: () => [
      {
        ...{ channel: 'ke.mpesa', currency: 'KES', operations: ['collect'] as const },
        ...{ min_minor: null, max_minor: null, step_minor: 100n },
      },
    ],
    submit: async ({ provider_key, amount_minor, currency }: { provider_key: string; amount_minor: bigint; currency: string }) =>
      ({ kind: 'succeeded', provider_ref: provider_key, amount_minor, currency }) as const,
    read: async () => ({ kind: 'pending', poll_after_ms: 60_000 }) as const,
  };
  api = await startApi({ providers: new Registry({ sandbox: [shillings], live: [] }) });
});
after(() => api.stop());

for (const amount of [500_001, 500_002, 500_003])
  test(`a provider of whole units collects ${amount} shillings in tranches`, async () => {
    const order = { amount, currency: 'KES', channel: 'ke.mpesa', phone: '0712345678' };
    const { id, answer } = await startPayment(api, order);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const { amount_captured, attempts } = await paymentIn(api, id, ['succeeded']);
    assert.deepEqual([amount_captured, attempts.length], [amount, 3]);
  });
