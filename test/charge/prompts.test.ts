import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countUnpaidPrompts } from '../../src/core/charge/prompts-store.ts';
import { trancheSweep } from '../../src/core/charge/sweeps.ts';
import type { Tx } from '../../src/kit/sql.ts';
import { type Answer, type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { newPayment, Payer } from '../checkout/payer.ts';

/** How often a phone is prompted without a payment, for every way in. All payers decline, except for the first tranche of a large payment. */
const provider: TestProvider = {
  name: 'declining',
  collects: () => true,
  submit: async ({ amount_minor, attempt_id, currency }) =>
    amount_minor > 1_000_000n
      ? { kind: 'succeeded', provider_ref: attempt_id, amount_minor, currency }
      : { kind: 'refused', reason: 'wrong_pin', message: 'the PIN was wrong' },
  read: async () => ({ kind: 'pending', poll_after_ms: 60_000 }),
};
const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
let restricted: string;
before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  merchant = await api.newMerchant({ verification_level: 3 });
  restricted = (await api.newKey(merchant.team, 'live', 'restricted', { scopes: ['payment.write'] })).key;
});
after(() => api.stop());

const BROWSER = { origin: 'https://shop.example' };

/** @param by the key that makes the payment @param charging the key that charges it */
async function byApi(phone: string, by: string, charging = by): Promise<Answer> {
  clock.advance(1);
  const headers = charging === merchant.live.public ? BROWSER : {};
  const made = await api.call('POST', '/payments', { key: by, body: { amount: 100, currency: 'XAF', phone: '1' } });
  const { id } = made.body.transaction;
  return api.call('POST', `/payments/${id}`, { key: charging, headers, body: { channel: 'cm.mtn', data: { phone } } });
}
async function onPage(phone: string, by: string): Promise<{ status: number }> {
  clock.advance(1);
  const { url } = await newPayment(api, { amount: 100 }, by);
  return new Payer(url).json({ channel: 'cm.mtn', data: { phone } });
}
async function times(count: number, charge: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await charge()).status);
  return statuses;
}
const EIGHT = Array(8).fill(402);

test('429 from the ninth charge in an hour with a public key, with or without an Origin, and on the pages of its payments', async () => {
  const { public: open } = merchant.live;
  assert.deepEqual(await times(9, () => byApi('650300001', open)), [...EIGHT, 429]);
  assert.equal((await onPage('650300001', open)).status, 429);
  const { headers, body } = await byApi('+237 650 30 00 01', open);
  assert.deepEqual(
    [body.type, body.retry_after, body.retry_after_human, headers.get('retry-after')],
    ['endpoint', 3600, '01:00:00', '3600'],
  );
  clock.advance(3_600_000);
  assert.equal((await byApi('650300001', open)).status, 402, 'an hour later it goes on');
});

test('no 429 for a secret or restricted key, or on the page of a payment it created, because of charges with a public key', async () => {
  const { public: open, secret } = merchant.live;
  await times(9, () => byApi('650300002', open));
  assert.equal((await onPage('650300002', secret)).status, 402);
  assert.equal((await byApi('650300002', secret)).status, 402);
  assert.equal((await byApi('650300002', restricted)).status, 402);
  assert.equal((await byApi('650300002', secret, open)).status, 429, 'the public key stays out, whoever made the payment');
});

test('no 429 for a secret key because of charges on the pages of its payments', async () => {
  const { secret } = merchant.live;
  assert.deepEqual(await times(9, () => onPage('650300003', secret)), [...EIGHT, 429]);
  assert.equal((await byApi('650300003', secret)).status, 402);
});

test('429 from the ninth charge with secret and restricted keys together, and then on pages and for public keys too', async () => {
  const { public: open, secret } = merchant.live;
  assert.deepEqual(await times(4, () => byApi('650300004', secret)), Array(4).fill(402));
  assert.deepEqual(await times(5, () => byApi('650300004', restricted)), [402, 402, 402, 402, 429]);
  assert.deepEqual([(await onPage('650300004', secret)).status, (await byApi('650300004', open)).status], [429, 429]);
});

test('no 429 because of the charges of another merchant', async () => {
  const other = await api.newMerchant({ verification_level: 3 });
  await times(9, () => byApi('650300005', merchant.live.public));
  assert.deepEqual(await times(9, () => byApi('650300005', other.live.public)), [...EIGHT, 429]);
});

test('the limit is exact under concurrent charges', async () => {
  const { public: open } = merchant.live;
  const statuses = await Promise.all(Array.from({ length: 14 }, () => byApi('650300006', open)));
  assert.equal(statuses.filter(({ status }) => status === 429).length, 6);
});

test('charges of one number are counted one after the other', async () => {
  const { db } = api.deps.stores.live;
  const count = (tx: Tx) =>
    countUnpaidPrompts(tx, [{ team_id: merchant.team.id, payer: '+237650300009', kinds: ['public'], since: new Date(0) }]);
  let second: Promise<number[]> | undefined;
  await db.transaction(async (tx) => {
    await count(tx);
    second = db.transaction(count);
    await untilLocked(api.databases.live);
  });
  assert.deepEqual(await second, [0]);
});

test('429 for the next tranche when a client requests it; the tranche that the worker sends is not limited', async () => {
  const { public: open, secret } = merchant.live;
  const { id } = (await api.call('POST', '/payments', { key: secret, body: { amount: 510_000, currency: 'XAF', phone: '1' } }))
    .body.transaction;
  const charge = (key: string) =>
    api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.mtn', data: { phone: '650300007' } } });
  assert.equal((await charge(secret)).status, 202);
  await times(9, () => byApi('650300007', open));
  assert.equal((await charge(open)).status, 429);
  await trancheSweep(api.deps, api.deps.stores.live).round();
  const { transaction } = (await api.call('GET', `/payments/${id}`, { key: secret })).body;
  assert.equal(transaction.attempts.length, 2, 'the worker’s');
});

test('any number of declined charges returns 402 in the sandbox, where no phone is prompted', async () => {
  assert.deepEqual(await times(10, () => byApi('650300008', merchant.sandbox.public)), Array(10).fill(402));
});
