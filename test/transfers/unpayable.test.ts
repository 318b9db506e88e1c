import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { startApi, until } from '../setup/api.ts';
import { offerOf } from '../routing/support.ts';
import { Registry } from '../setup/providers.ts';

let max_minor = 1_000_000_00n;
const provider = {
  name: 'narrow',
  offers: () => [offerOf('cm.mtn', 'XAF', { max_minor })],
  submit: async () => ({ kind: 'unavailable', message: 'not asked for' }) as const,
  read: async () => ({ kind: 'not_found' }) as const,
  payouts: {
    reaches: () => true,
    // The limits of the account are known with its first answer.
    submit: async () => {
      max_minor = 300_000_00n;
      return { kind: 'unavailable', message: 'amount out of bounds' } as const;
    },
    read: async () => ({ kind: 'not_found' }) as const,
  },
};
const api = await startApi({ providers: new Registry({ sandbox: [provider], live: [] }) });
after(() => api.stop());

test('a payout that no account can take any more fails, and its money is available again', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const store = api.deps.stores.sandbox.of(merchant.team.id);
  await fundSandbox(api.deps, store, merchant.team.id, 'XAF', 50_500_000n, WORKER);
  const body = { amount: 400_000, currency: 'XAF', beneficiary: { name: 'Awa', phone: '+237670000000', channel: 'cm.mtn' } };
  const { id } = (await api.call('POST', '/transfers', { key, body })).body.transfer;
  const transfer = await until(
    async () => (await api.call('GET', `/transfers/${id}`, { key })).body.transfer,
    ({ status }) => status === 'failed',
  );
  assert.deepEqual(
    [transfer.reason, transfer.message],
    [
      null,
      'The amount must be at most 300000 XAF on cm.mtn: no provider account takes 400000 XAF; use another amount or channel.',
    ],
  );
  const { balance } = (await api.call('GET', '/balance', { key })).body;
  assert.deepEqual([balance.available, balance.reserved, balance['in.transit']], [505_000, 0, 0]);
});
