import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { offerOf } from '../routing/support.ts';
import { Registry } from '../setup/providers.ts';

const WIDE = 1_000_000_00n;
let max_minor = WIDE;
/** Whether this process cannot use another account of the team. */
let unusable = false;
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
const clock = new FakeClock();
const registry = new Registry({ sandbox: [provider], live: [] });
const providers = Object.assign(registry, { anyUnusable: async () => unusable });
const api = await startApi({ workers: false, clock, providers });
after(() => api.stop());

let merchant: Merchant;
beforeEach(async () => {
  [max_minor, unusable] = [WIDE, false];
  merchant = await api.newMerchant();
  const store = api.deps.stores.sandbox.of(merchant.team.id);
  await fundSandbox(api.deps, store, merchant.team.id, 'XAF', 50_500_000n, WORKER);
});

const BODY = { amount: 400_000, currency: 'XAF', beneficiary: { name: 'Awa', phone: '+237670000000', channel: 'cm.mtn' } };
const create = () => api.call('POST', '/transfers', { key: merchant.sandbox.secret, body: BODY });
const read = async (id: string) => (await api.call('GET', `/transfers/${id}`, { key: merchant.sandbox.secret })).body.transfer;

/** Rounds of a worker, a minute apart. */
async function rounds(count: number): Promise<void> {
  const { round } = transferSweep(api.deps, api.deps.stores.sandbox);
  for (let i = 0; i < count; i++) {
    await round();
    clock.advance(60_000);
  }
}

async function assertFailed(id: string): Promise<void> {
  const { status, reason, message } = await read(id);
  assert.deepEqual(
    [status, reason, message],
    [
      'failed',
      null,
      'The amount must be at most 300000 XAF on cm.mtn: no provider account takes 400000 XAF; use another amount or channel.',
    ],
  );
  const { balance } = (await api.call('GET', '/balance', { key: merchant.sandbox.secret })).body;
  assert.deepEqual([balance.available, balance.reserved, balance['in.transit']], [505_000, 0, 0]);
}

test('a payout that no account can take any more fails, and its money is available again', async () => {
  const { id } = (await create()).body.transfer;
  await rounds(2);
  await assertFailed(id);
});

test('a payout waits while an account that may take it cannot be used by this process', async () => {
  const { id } = (await create()).body.transfer;
  unusable = true;
  await rounds(5);
  assert.equal((await read(id)).status, 'processing');
  unusable = false;
  await rounds(2);
  await assertFailed(id);
});

test('502 instead of 422 while an account that may take the amount cannot be used by this process', async () => {
  max_minor = 300_000_00n;
  assert.equal((await create()).status, 422);
  unusable = true;
  const { status, body } = await create();
  assert.deepEqual([status, body.message], [502, 'No payment provider can pay out on this channel at the moment.']);
});
