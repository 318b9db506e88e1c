import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 25000, currency: 'XAF', phone: '+237650000000' };
const verified = await api.newMerchant({ verification_level: 1 });
const key = verified.live.secret;

test('402 merchant_not_verified for a live payment of an unverified team, with every type of key, and nothing is written', async () => {
  for (const liveKey of [api.keys.live.secret, api.keys.live.public]) {
    const { status, body } = await api.call('POST', '/payments', {
      key: liveKey,
      body: ORDER,
      headers: { 'idempotency-key': 'k1' },
    });
    const { message, payer_message, ...rest } = body;
    assert.deepEqual([status, rest], [402, { code: 402, status: 'Payment Required', error_code: 'merchant_not_verified' }]);
    assert.ok(message.length > 10 && payer_message.length > 10);
  }
  const [row] = await api.deps.stores.live.db.all<{ rows: bigint }>(sql`
    select (select count(*) from payments) + (select count(*) from idempotency_keys) + (select count(*) from events) as rows`);
  assert.equal(row?.rows, 0n);
});

test('422 before 402: an invalid body of an unverified team returns its field errors', async () => {
  const { status, body } = await api.call('POST', '/payments', {
    key: api.keys.live.secret,
    body: { ...ORDER, amount: 0 },
  });
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['amount']]);
});

test('201 in the sandbox for an unverified team', async () => {
  assert.equal((await api.call('POST', '/payments', { body: ORDER })).status, 201);
});

test('201 for a live payment of a verified team: no test_ in its id, sandbox false', async () => {
  const { status, body } = await api.call('POST', '/payments', { key, body: ORDER });
  assert.equal(status, 201);
  assert.match(body.transaction.id, /^trx_[0-9a-z]{26}$/);
  assert.equal(body.transaction.sandbox, false);
  assert.doesNotMatch(body.authorization_token, /^test_/);
});

test('502 without any provider: the payment stays pending, can be charged again and cancelled', async () => {
  const { id } = (await api.call('POST', '/payments', { key, body: ORDER })).body.transaction;
  const charge = {
    key,
    body: { channel: 'cm.mtn', data: { phone: '650000000' } },
    headers: { 'idempotency-key': 'charge-1' },
  };
  for (let i = 0; i < 2; i++) {
    const { status, body } = await api.call('POST', `/payments/${id}`, charge);
    assert.deepEqual([status, body.code, body.status], [502, 502, 'Bad Gateway']);
    const { transaction } = (await api.call('GET', `/payments/${id}`, { key })).body;
    assert.deepEqual([transaction.status, transaction.reason, transaction.attempts], ['pending', null, []]);
  }
  const cards = await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.card' } });
  const bank = await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.bank' } });
  assert.deepEqual([cards.status, bank.status], [502, 502]);
  assert.equal((await api.call('DELETE', `/payments/${id}`, { key })).status, 200);
  assert.equal((await api.call('POST', `/payments/${id}`, charge)).status, 400);
});

test('a team that becomes verified can collect live within a second', async () => {
  const team = await api.newMerchant();
  assert.equal((await api.call('POST', '/payments', { key: team.live.secret, body: ORDER })).status, 402);
  await api.setTeam(team.team, { verification_level: 1 });
  assert.equal((await api.call('POST', '/payments', { key: team.live.secret, body: ORDER })).status, 201);
});

test('409 for a repeated reference when the team wants them unique, naming reference; other teams and live are separate', async () => {
  const strict = await api.newMerchant({ unique_references: true, verification_level: 1 });
  const create = (liveOrNot: 'sandbox' | 'live', reference?: string, headers = {}) =>
    api.call('POST', '/payments', {
      key: strict[liveOrNot].secret,
      body: { ...ORDER, ...(reference ? { reference } : {}) },
      headers,
    });
  assert.equal((await create('sandbox', 'inv-1')).status, 201);
  const { status, body } = await create('sandbox', 'inv-1', { 'idempotency-key': 'a' });
  assert.deepEqual([status, body.code, body.status, Object.keys(body.errors)], [409, 409, 'Conflict', ['reference']]);
  assert.equal((await create('sandbox', 'inv-2', { 'idempotency-key': 'a' })).status, 201, 'a 409 did not consume the key');
  assert.equal((await create('live', 'inv-1')).status, 201);
  assert.deepEqual([(await create('sandbox')).status, (await create('sandbox')).status], [201, 201]);
  assert.equal((await api.call('POST', '/payments', { body: { ...ORDER, reference: 'inv-1' } })).status, 201);
});

test('409 also for the reference of a payment created before the setting was enabled', async () => {
  const team = await api.newMerchant();
  const create = () => api.call('POST', '/payments', { key: team.sandbox.secret, body: { ...ORDER, reference: 'old' } });
  assert.deepEqual([(await create()).status, (await create()).status], [201, 201]);
  await api.setTeam(team.team, { unique_references: true });
  assert.equal((await create()).status, 409);
  await api.setTeam(team.team, { unique_references: false });
  assert.equal((await create()).status, 201);
});
