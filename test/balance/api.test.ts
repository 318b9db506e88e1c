import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { MemoryBalanceCache } from '../../src/core/balance/cache.ts';
import type { Balance } from '../../src/core/balance/schema.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { book } from '../ledger/books.ts';

const FRESH_MS = 180_000;
const NOTHING = { total: 0, available: 0, pending: 0, reserved: 0, hold: 0, disputed: 0, 'in.transit': 0, credit: 0 };

let api: Api;
let clock: FakeClock;
let merchant: Merchant;
before(async () => {
  clock = new FakeClock();
  api = await startApi({ clock, workers: false });
});
after(() => api.stop());
beforeEach(async () => {
  merchant = await api.newMerchant();
});

async function read(query = '', options: { key?: string; headers?: Record<string, string> } = {}) {
  const answer = await api.call('GET', `/balance${query}`, { key: merchant.sandbox.secret, ...options });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

const move = (lines: Parameters<typeof book>[1], currency = 'XAF') =>
  api.deps.stores.sandbox.db.transaction((tx) => book(tx, lines, { team_id: merchant.team.id, currency }));

test('200 eight amounts and the currency, at the top level and again under balance', async () => {
  await move([
    ['clearing', 'available', 100_000_00n],
    ['clearing', 'pending', 50_000_00n],
    ['available', 'reserved', 10_000_00n],
    ['reserved', 'in.transit', 4_000_00n],
    ['clearing', 'hold', 3_000_00n],
    ['available', 'disputed', 2_000_00n],
    ['credit', 'available', 700_00n],
    ['pending', 'fee_income', 1_000_00n],
  ]);
  const { code, status, message, balance, ...bare } = await read();
  assert.deepEqual([code, status, message], [200, 'OK', 'Balance retrieved']);
  assert.deepEqual(bare, {
    total: 152_000,
    available: 88_700,
    pending: 49_000,
    reserved: 6_000,
    hold: 3_000,
    disputed: 2_000,
    'in.transit': 4_000,
    credit: -700,
    currency: 'XAF',
  });
  assert.deepEqual(balance, bare);
});

test('200 a team without money has zeros in its own currency', async () => {
  assert.deepEqual((await read()).balance, { ...NOTHING, currency: 'XAF' });
  merchant = await api.newMerchant({ default_currency: 'GHS' });
  assert.deepEqual((await read()).balance, { ...NOTHING, currency: 'GHS' });
});

test('200 each currency has a separate balance; hundredths are exact', async () => {
  await move(
    [
      ['clearing', 'available', 10n],
      ['clearing', 'pending', 20n],
    ],
    'NGN',
  );
  await move([['clearing', 'available', 9_007_199_254_740_00n]], 'USD');
  assert.deepEqual((await read('?currency=NGN')).balance, {
    ...NOTHING,
    total: 0.3,
    available: 0.1,
    pending: 0.2,
    currency: 'NGN',
  });
  assert.equal((await read('?currency=USD')).total, 9_007_199_254_740);
  assert.deepEqual((await read('?currency=XAF')).balance, { ...NOTHING, currency: 'XAF' });
});

test('422 an unsupported currency', async () => {
  for (const currency of ['XXX', 'xaf', '']) {
    const { status, body } = await api.call('GET', `/balance?currency=${currency}`, { key: merchant.sandbox.secret });
    assert.equal(status, 422);
    assert.match(body.errors.currency[0], /^must be one of XAF, /);
  }
});

test('406 with a public key; 403 a restricted key without the scope, 200 with it', async () => {
  assert.equal((await api.call('GET', '/balance', { key: merchant.sandbox.public })).status, 406);
  const without = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['balance.write', 'payment.read'] });
  assert.equal((await api.call('GET', '/balance', { key: without.key })).status, 403);
  const allowed = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['balance.read'] });
  assert.equal((await api.call('GET', '/balance', { key: allowed.key })).status, 200);
});

test('the response is cached for 3 minutes, for each team, environment, currency and account', async () => {
  await move([['clearing', 'available', 100_00n]]);
  assert.equal((await read()).total, 100);
  await move([['clearing', 'available', 50_00n]]);
  clock.advance(FRESH_MS - 1);
  assert.equal((await read()).total, 100);
  assert.equal((await read('?currency=XOF')).total, 0);
  assert.equal((await read('', { key: merchant.live.secret })).total, 0);
  const other = await api.newMerchant();
  assert.equal((await read('', { key: other.sandbox.secret })).total, 0);
  clock.advance(1);
  assert.equal((await read()).total, 150);
});

test('an empty X-Sync names no account, whether the balance of the team is cached or not', async () => {
  const ask = async () => (await api.call('GET', '/balance', { key: merchant.sandbox.secret, headers: { 'x-sync': '' } })).status;
  assert.equal(await ask(), 404);
  await read();
  assert.equal(await ask(), 404);
});

test('payouts never read the cache', async () => {
  assert.equal((await read()).available, 0);
  await fundSandbox(api.deps, api.deps.stores.sandbox, merchant.team.id, 'XAF', 10_000_00n, WORKER);
  assert.equal((await read()).available, 0, 'still remembered');
  const body = { amount: 1_000, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' };
  const sent = await api.call('POST', '/transfers', { key: merchant.sandbox.secret, body });
  assert.deepEqual([sent.status, sent.body.transfer.status], [201, 'processing']);
  clock.advance(FRESH_MS);
  const { available, reserved, total } = await read();
  assert.deepEqual({ available, reserved, total }, { available: 8_990, reserved: 1_010, total: 10_000 });
});

test('X-Sync reads the buckets of a connected subaccount', async () => {
  const made = await api.call('POST', '/accounts', {
    key: merchant.sandbox.secret,
    body: { name: 'Stall 7', email: 'stall@shop.example' },
  });
  const account: string = made.body.account.id;
  await move([
    ['clearing', 'available', 900_00n],
    ['available', `available:${account}`, 300_00n],
    ['clearing', `pending:${account}`, 20_00n],
  ]);
  const headers = { 'x-sync': account };
  assert.deepEqual((await read('', { headers })).balance, {
    ...NOTHING,
    total: 320,
    available: 300,
    pending: 20,
    currency: 'XAF',
  });
  assert.deepEqual((await read()).balance, { ...NOTHING, total: 600, available: 600, currency: 'XAF' });
  await api.call('POST', `/accounts/${account}/deactivate`, { key: merchant.sandbox.secret });
  clock.advance(FRESH_MS);
  assert.equal((await read('', { headers })).total, 320, 'its money stays readable');
});

test('404 an X-Sync that is not an account of this team and environment, also when requested before', async () => {
  const made = await api.call('POST', '/accounts', {
    key: merchant.sandbox.secret,
    body: { name: 'Stall 7', email: 'stall@shop.example' },
  });
  const headers = { 'x-sync': made.body.account.id as string };
  const other = await api.newMerchant();
  const keys = [other.sandbox.secret, merchant.live.secret, other.sandbox.secret];
  for (const key of keys) {
    const { status, body } = await api.call('GET', '/balance', { key, headers });
    assert.deepEqual([status, body.message], [404, 'Account Not Found']);
  }
  for (const wrong of ['acct_test_', 'pending', '']) {
    assert.equal((await api.call('GET', '/balance', { key: merchant.sandbox.secret, headers: { 'x-sync': wrong } })).status, 404);
  }
});

test('a payment from creation to success appears in the balance, less the fee', async () => {
  const service = await startApi({ env: { SANDBOX_DELAY_MS: '0' } });
  try {
    const made = await service.call('POST', '/payments', { body: { amount: 25_000, currency: 'XAF', phone: '+237650000000' } });
    const path = `/payments/${made.body.transaction.id}`;
    await service.call('POST', path, { body: { channel: 'cm.mtn', data: { phone: '+237650000000' } } });
    await until(
      () => service.call('GET', path),
      ({ body }) => body.transaction.status === 'succeeded',
    );
    const { total, available, pending } = (await service.call('GET', '/balance')).body;
    assert.deepEqual({ total, available, pending }, { total: 24_500, available: 24_500, pending: 0 });
  } finally {
    await service.stop();
  }
});

test('the cache of balances is bounded: the least recently read entry is evicted', async () => {
  const cache = new MemoryBalanceCache(clock, 2);
  let reads = 0;
  const get = (team_id: bigint) =>
    cache.get({ environment: 'live', team_id, currency: 'XAF', account_id: null }, async () => {
      reads += 1;
      return { ...NOTHING, currency: 'XAF' } as Balance;
    });
  for (const team_id of [1n, 2n, 3n]) await get(team_id);
  assert.equal(reads, 3);
  await get(3n);
  await get(2n);
  assert.equal(reads, 3);
  await get(1n);
  assert.equal(reads, 4);
});

test('a failed read is not cached, nor is one with a future time after a clock was set back', async () => {
  const cache = new MemoryBalanceCache(clock);
  const key = { environment: 'live', team_id: 1n, currency: 'XAF', account_id: null } as const;
  await assert.rejects(cache.get(key, () => Promise.reject(new Error('no database'))));
  const read = async (total: number) =>
    (await cache.get(key, async () => ({ ...NOTHING, total, currency: 'XAF' }) as Balance)).total;
  assert.deepEqual([await read(1), await read(2)], [1, 1]);
  clock.advance(-1);
  assert.equal(await read(3), 3);
  clock.advance(1);
});
