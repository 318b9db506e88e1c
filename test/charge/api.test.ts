import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { PAYMENT_STATUSES } from '../../src/core/payments/states.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 25000, currency: 'XAF', phone: '+237650000000' };
const MTN = { channel: 'cm.mtn', data: { phone: '650000000' } };
const { db } = api.deps.stores.sandbox;

async function pending(changes: object = {}): Promise<string> {
  const { body } = await api.call('POST', '/payments', { body: { ...ORDER, ...changes } });
  return body.transaction.id;
}

const charge = (id: string, body: object) => api.call('POST', `/payments/${id}`, { body });

const ACCEPTED: [what: string, body: object, channel: string, action: string][] = [
  ['a national number', MTN, 'cm.mtn', 'confirm'],
  ['an international number', { channel: 'cm.orange', data: { phone: '+237 6 90 00 00 00' } }, 'cm.orange', 'confirm'],
  ['the number as account_number', { channel: 'cm.mtn', data: { account_number: '237650000000' } }, 'cm.mtn', 'confirm'],
  ['unknown fields beside it', { ...MTN, save: true, data: { ...MTN.data, colour: 'red' } }, 'cm.mtn', 'confirm'],
  ['a client_ip', { ...MTN, client_ip: '41.202.219.73' }, 'cm.mtn', 'confirm'],
  ['a bank account', { channel: 'cm.bank', data: { account_number: '10003 00100 01234567890 27' } }, 'cm.bank', 'transfer'],
  ['a card', { channel: 'cm.card' }, 'cm.card', 'redirect'],
  ['the country of the channel', { ...MTN, data: { ...MTN.data, country: 'CM' } }, 'cm.mtn', 'confirm'],
  ['the country in lower case', { channel: 'cm.card', data: { country: 'cm' } }, 'cm.card', 'redirect'],
  ['a card and an empty data', { channel: 'cm.card', data: {} }, 'cm.card', 'redirect'],
];

for (const [what, body, channel, kind] of ACCEPTED) {
  test(`202 ${what} on ${channel}: the action is ${kind}`, async () => {
    const id = await pending();
    const answer = await charge(id, body);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const { code, message } = answer.body;
    assert.deepEqual([code, answer.body.status, message], [202, 'Accepted', 'Payment is processing']);
    const { action, transaction } = answer.body;
    assert.equal(action.kind, kind);
    if (kind === 'transfer') assert.deepEqual(Object.keys(action.instructions).sort(), ['account_number', 'bank', 'reference']);
    if (kind === 'redirect') assert.match(action.url, new RegExp(`^${api.url}/pay/`));
    assert.deepEqual([transaction.status, transaction.channel, transaction.attempts.length], ['processing', channel, 1]);
    const { provider, status, reason } = transaction.attempts[0];
    assert.deepEqual([provider, status, reason], ['sandbox', 'open', null]);
    assert.deepEqual(Object.keys(transaction.attempts[0]).sort(), [
      'channel',
      'created_at',
      'explanation',
      'id',
      'provider',
      'reason',
      'status',
    ]);
    assert.deepEqual((await api.call('GET', `/payments/${id}`)).body.transaction, transaction);
  });
}

const DECLINED: [what: string, body: object, code: string][] = [
  ['phone …000001', { channel: 'cm.mtn', data: { phone: '650000001' } }, 'insufficient_funds'],
  ['phone …000002', { channel: 'cm.orange', data: { phone: '690000002' } }, 'operator_declined'],
  ['account …000001', { channel: 'cm.bank', data: { account_number: '0001-000001' } }, 'insufficient_funds'],
];

for (const [what, body, code] of DECLINED) {
  test(`402 ${code} at once for ${what}, and the payment is failed`, async () => {
    const id = await pending();
    const answer = await charge(id, body);
    assert.equal(answer.status, 402);
    const { payer_message, message, ...rest } = answer.body;
    assert.deepEqual(rest, { code: 402, status: 'Payment Required', error_code: code });
    assert.ok(payer_message.length > 10 && message.length > 3 && payer_message !== message);
    const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
    assert.deepEqual([transaction.status, transaction.reason, transaction.message], ['failed', code, message]);
    assert.deepEqual([transaction.attempts[0].status, transaction.attempts[0].reason], ['failed', code]);
    assert.equal((await charge(id, MTN)).status, 400);
  });
}

const REFUSED: [why: string, payment: object, body: object, field: string, error_code?: string][] = [
  ['no channel', {}, {}, 'channel'],
  ['channel a number', {}, { channel: 1 }, 'channel'],
  ['channel empty', {}, { channel: '' }, 'channel'],
  ['channel of 65 characters', {}, { channel: 'c'.repeat(65) }, 'channel'],
  ['an unknown channel', {}, { ...MTN, channel: 'cm.none' }, 'channel', 'channel_not_supported'],
  ['a field name of Object as channel', {}, { ...MTN, channel: 'constructor' }, 'channel', 'channel_not_supported'],
  ['a channel of another currency', {}, { channel: 'gh.mtn', data: { phone: '0240000000' } }, 'channel', 'channel_not_supported'],
  ['no phone', {}, { channel: 'cm.mtn' }, 'data.phone'],
  ['phone empty', {}, { channel: 'cm.mtn', data: { phone: '' } }, 'data.phone'],
  ['phone a number', {}, { channel: 'cm.mtn', data: { phone: 650000000 } }, 'data.phone'],
  ['phone of 33 characters', {}, { channel: 'cm.mtn', data: { phone: '6'.repeat(33) } }, 'data.phone'],
  ['phone too short', {}, { channel: 'cm.mtn', data: { phone: '65000000' } }, 'data.phone'],
  ['phone of another country', {}, { channel: 'cm.mtn', data: { phone: '+2250700000000' } }, 'data.phone'],
  ['phone in words', {}, { channel: 'cm.mtn', data: { phone: 'six five' } }, 'data.phone'],
  ['a country that is not the one of a wallet', {}, { ...MTN, data: { ...MTN.data, country: 'TG' } }, 'data.country'],
  [
    'a country that is not the one of a bank',
    {},
    { channel: 'cm.bank', data: { account_number: '1', country: 'tg' } },
    'data.country',
  ],
  ['a country that is not the one of a card', {}, { channel: 'cm.card', data: { country: 'TG' } }, 'data.country'],
  ['data a text', {}, { channel: 'cm.mtn', data: 'x' }, 'data'],
  ['data null', {}, { channel: 'cm.mtn', data: null }, 'data'],
  ['no account number for a sandbox bank', {}, { channel: 'cm.bank' }, 'data.account_number'],
  [
    'account number of 65 characters',
    {},
    { channel: 'cm.bank', data: { account_number: '1'.repeat(65) } },
    'data.account_number',
  ],
  ['otp a number', {}, { ...MTN, data: { ...MTN.data, otp: 123456 } }, 'data.otp'],
  ['client_ip a number', {}, { ...MTN, client_ip: 7 }, 'client_ip'],
  ['NUL in client_ip', {}, { ...MTN, client_ip: '1.2.3.4\u0000' }, 'client_ip'],
  ['half an XAF', { amount: 250.5 }, MTN, 'amount'],
  ['below the floor of the channel', { amount: 99 }, MTN, 'amount'],
  ['above the ceiling of the card', { amount: 1_500_001 }, { channel: 'cm.card' }, 'amount'],
];

for (const [why, payment, body, field, error_code] of REFUSED) {
  test(`422 ${why}: the error names ${field}, and the payment is still pending`, async () => {
    const id = await pending(payment);
    const answer = await charge(id, body);
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    assert.deepEqual(Object.keys(answer.body.errors), [field]);
    assert.equal(answer.body.error_code, error_code);
    const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
    assert.deepEqual([transaction.status, transaction.attempts], ['pending', []]);
  });
}

test('422 the country of another channel, under a key that made another charge: the key is looked up first', async () => {
  const [id, headers] = [await pending(), { 'idempotency-key': 'country' }];
  const send = (body: object) => api.call('POST', `/payments/${id}`, { body, headers });
  assert.equal((await send(MTN)).status, 202);
  const { status, body } = await send({ ...MTN, data: { ...MTN.data, country: 'TG' } });
  assert.deepEqual([status, body.error_code], [422, 'idempotency_key_reused']);
});

for (const state of PAYMENT_STATUSES.filter((status) => status !== 'pending' && status !== 'partial')) {
  test(`400 when ${state}, and nothing changes`, async () => {
    const id = await pending();
    await db.run(sql`update payments set status = ${state} where id = ${id}`);
    const before = (await api.call('GET', `/payments/${id}`)).body;
    const answer = await charge(id, MTN);
    assert.deepEqual([answer.status, answer.body.code, answer.body.status], [400, 400, 'Bad Request']);
    assert.deepEqual((await api.call('GET', `/payments/${id}`)).body, before);
  });
}

test('400 for a second charge while one is in progress', async () => {
  const id = await pending();
  assert.equal((await charge(id, MTN)).status, 202);
  assert.equal((await charge(id, MTN)).status, 400);
  assert.equal((await charge(id, { channel: 'cm.card' })).status, 400);
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.attempts.length, 1);
});

test('400 after the window has closed, also before the worker has expired the payment', async () => {
  const id = await pending();
  await db.run(sql`update payments set expires_at = now() - interval '1 second' where id = ${id}`);
  const answer = await charge(id, MTN);
  assert.equal(answer.status, 400);
  assert.deepEqual((await api.call('GET', `/payments/${id}`)).body.transaction.attempts, []);
});

test('the request is stored before it is sent to the provider: attempt, number, amount, key', async () => {
  const id = await pending({ amount: 1000, bearer: 'customer' });
  await charge(id, { ...MTN, client_ip: '41.202.219.73' });
  const [row] = await db.all<Record<string, unknown>>(sql`
    select payer, amount_minor, currency, country, client_ip, provider_key, id from attempts where payment_id = ${id}`);
  assert.deepEqual(
    { ...row, id: 0, provider_key: 0 },
    {
      payer: '+237650000000',
      amount_minor: 102_000n,
      currency: 'XAF',
      country: 'CM',
      client_ip: '41.202.219.73',
      id: 0,
      provider_key: 0,
    },
  );
  assert.ok(row?.provider_key);
});

test('202 when the customer bears the fee: the total is amount plus fee', async () => {
  const id = await pending({ amount: 1000, bearer: 'customer' });
  const { transaction } = (await charge(id, MTN)).body;
  assert.deepEqual([transaction.amount, transaction.fee, transaction.amount_total], [1000, 20, 1020]);
});

const BEYOND: [what: string, order: object, channel: string, data: object, error: string][] = [
  [
    'above the maximum of a card',
    { amount: 1_500_000 },
    'cm.card',
    {},
    'must be at most 1500000 XAF on cm.card with the fee of 52500 XAF that the payer bears',
  ],
  [
    'no multiple of the channel’s step',
    { amount: 15_000, currency: 'GNF' },
    'gn.orange',
    { phone: '620000000' },
    'must be a multiple of 1000 GNF on gn.orange with the fee of 300 GNF that the payer bears',
  ],
];

for (const [what, order, channel, data, error] of BEYOND)
  test(`422 with the fee that the customer bears the total is ${what}`, async () => {
    const id = await pending({ ...order, bearer: 'customer' });
    const { status, body } = await charge(id, { channel, data });
    assert.deepEqual([status, body.errors], [422, { amount: [error] }]);
    assert.deepEqual((await api.call('GET', `/payments/${id}`)).body.transaction.attempts, []);
    const whole = await pending(order);
    assert.equal((await charge(whole, { channel, data })).status, 202);
  });

test('202 when only the fee that the customer bears lifts the total to the minimum', async () => {
  const id = await pending({ amount: 99, bearer: 'customer' });
  assert.equal((await charge(id, MTN)).body.transaction.amount_total, 101);
});

test('202 when the merchant bears the fee: the total is the amount', async () => {
  const { transaction } = (await charge(await pending({ amount: 1000 }), { channel: 'cm.bank', data: { account_number: '1' } }))
    .body;
  assert.deepEqual([transaction.amount, transaction.fee, transaction.amount_total], [1000, 15, 1000]);
});
