import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CURRENCIES } from '../../src/kit/money.ts';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 25000, currency: 'XAF', phone: '+237650000000' };
const create = (changes: object = {}) => api.call('POST', '/payments', { body: { ...ORDER, ...changes } });

test('201 with exactly the fields of the contract', async () => {
  const asked = Date.now();
  const { status, body } = await create({ reference: 'order-1', description: 'Two pagnes' });
  const answered = Date.now();
  assert.equal(status, 201);
  const { transaction, authorization_url, authorization_token, ...envelope } = body;
  assert.deepEqual(envelope, { code: 201, status: 'Created', message: 'Payment initialised' });
  const { id, created_at, ...rest } = transaction;
  assert.deepEqual(rest, {
    reference: 'order-1',
    amount: 25000,
    currency: 'XAF',
    status: 'pending',
    description: 'Two pagnes',
    sandbox: true,
  });
  assert.match(id, /^trx_test_[0-9a-z]{26}$/);
  assert.ok(Date.parse(created_at) >= asked && Date.parse(created_at) <= answered, created_at);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(authorization_url, `${api.url}/pay/${authorization_token}`);
  assert.ok(authorization_token.length >= 22 && !authorization_token.includes(ORDER.phone));
});

test('201 each payment has its own token', async () => {
  const tokens = await Promise.all([create(), create()]);
  assert.notEqual(tokens[0]?.body.authorization_token, tokens[1]?.body.authorization_token);
});

test('201 without reference and description: both null', async () => {
  const { transaction } = (await create()).body;
  assert.deepEqual([transaction.reference, transaction.description], [null, null]);
});

test('201 for a repeated reference: another payment is created', async () => {
  const [first, second] = [await create({ reference: 'twice' }), await create({ reference: 'twice' })];
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.notEqual(first.body.transaction.id, second.body.transaction.id);
});

const PAYERS: [who: string, payer: object][] = [
  ['email', { email: 'awa@shop.example' }],
  ['phone', { phone: '650000000' }],
  ['customer.email', { customer: { email: 'awa@shop.example' } }],
  ['customer.phone', { customer: { phone: '650000000' } }],
  ['all of them', { email: 'a@b.co', phone: '1', customer: { email: 'c@d.co', phone: '2', name: 'Awa' } }],
];

for (const [who, payer] of PAYERS) {
  test(`201 for a payer identified by ${who}`, async () => {
    const { status } = await api.call('POST', '/payments', {
      body: { amount: 1, currency: 'XAF', ...payer },
    });
    assert.equal(status, 201);
  });
}

for (const currency of CURRENCIES) {
  test(`201 for 0.01 ${currency}, returned as sent`, async () => {
    const { status, body } = await create({ amount: 0.01, currency });
    assert.equal(status, 201);
    assert.deepEqual([body.transaction.amount, body.transaction.currency], [0.01, currency]);
  });
}

for (const amount of [25000.5, 0.29, 1.15, 50_000_000, 49_999_999.99, 1e5]) {
  test(`201 amount ${amount} is returned exactly by create, retrieve and list`, async () => {
    const { transaction } = (await create({ amount })).body;
    const retrieved = (await api.call('GET', `/payments/${transaction.id}`)).body.transaction;
    const listed = (await api.call('GET', `/payments?search=${transaction.id}`)).body.items[0];
    assert.deepEqual([transaction.amount, retrieved.amount, listed.amount], [amount, amount, amount]);
    assert.deepEqual([retrieved.amount_total, retrieved.amount_captured, retrieved.amount_refunded], [amount, 0, 0]);
  });
}

const WINDOWS: [sent: object, minutes: number][] = [
  [{}, 1440],
  [{ expires: {} }, 1440],
  [{ expires: { in: 5 } }, 5],
  [{ expires: { in: 43200 } }, 43200],
  [{ expires_in: 5 }, 1440],
  [{ expires_in: 'soon', expires: { in: 10 } }, 10],
];

for (const [sent, minutes] of WINDOWS) {
  test(`201 for ${JSON.stringify(sent)}: the payment expires after ${minutes} minutes`, async () => {
    const { id, created_at } = (await create(sent)).body.transaction;
    const { expires_at } = (await api.call('GET', `/payments/${id}`)).body.transaction;
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), minutes * 60_000);
  });
}

test('201 optional fields are returned as sent', async () => {
  const sent = {
    metadata: {
      order: 7,
      tags: ['a', null, { b: 1.5 }],
      clé: 'é😀',
      toString: 'x',
      '': 0,
      deep: { er: { est: true } },
    },
    items: [{ name: 'Pagne', description: 'Wax', quantity: 2.5, sku: 'W-1' }, {}],
    address: { line1: 'Rue 1', country: 'CM' },
    shipping: { method: 'pickup', amount: 500 },
    theming: { color: '#ff8800' },
    callback: 'https://shop.example/back?order=7#done',
    bearer: 'customer',
  };
  const { id } = (await create({ ...sent, name: 'Awa', telemetry: { plugin: 'woo' }, unknown_field: 1 })).body.transaction;
  const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
  for (const [field, value] of Object.entries(sent)) assert.deepEqual(transaction[field], value, field);
  assert.equal(transaction.unknown_field, undefined);
});

test('201 null is accepted where the contract allows it', async () => {
  const nulls = { theming: null, address: null, shipping: null, telemetry: null, metadata: null };
  const { id } = (await create(nulls)).body.transaction;
  const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
  assert.deepEqual([transaction.metadata, transaction.address, transaction.items], [null, null, null]);
});

test('201 every field is accepted at its maximum length', async () => {
  const { status } = await create({
    email: `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example`,
    phone: '1'.repeat(32),
    name: 'n'.repeat(255),
    description: 'é'.repeat(500),
    reference: '😀'.repeat(128),
    callback: `https://shop.example/${'c'.repeat(2048 - 21)}`,
    items: [{ name: 'i'.repeat(255), description: 'd'.repeat(1000), quantity: 0 }],
    metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'v'.repeat(300)])),
  });
  assert.equal(status, 201);
});

test('201 whatever the Content-Type: the body is read as JSON', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/vnd.api+json; charset=utf-8']) {
    const { status } = await api.call('POST', '/payments', {
      raw: JSON.stringify(ORDER),
      headers: { 'content-type': type },
    });
    assert.equal(status, 201, type);
  }
});

test('404 Customer Not Found for an unknown customer_id, also beside another payer', async () => {
  for (const payer of [{}, { email: 'a@b.co' }]) {
    const body = { amount: 1, currency: 'XAF', customer_id: 'cus_test_01m7y5hwfy29pze9s1mjv4rn7r', ...payer };
    const answer = await api.call('POST', '/payments', { body });
    assert.deepEqual([answer.status, answer.body], [404, { code: 404, status: 'Not Found', message: 'Customer Not Found' }]);
  }
});

test('404 Account Not Found for any X-Sync', async () => {
  for (const account of ['acct_test_01m7y5hwfy29pze9s1mjv4rn7r', 'acct_1', 'x', '4242424242424242']) {
    const answer = await api.call('POST', '/payments', { body: ORDER, headers: { 'x-sync': account } });
    assert.deepEqual([answer.status, answer.body], [404, { code: 404, status: 'Not Found', message: 'Account Not Found' }]);
  }
});

test('a rejected payment writes nothing', async () => {
  const count = async () =>
    api.deps.stores.sandbox.db.all(sql`
      select (select count(*) from payments) as payments, (select count(*) from events) as events,
        (select count(*) from idempotency_keys) as keys`);
  const before = await count();
  const key = { 'idempotency-key': 'refused-1' };
  await api.call('POST', '/payments', { body: { ...ORDER, amount: 0 }, headers: key });
  await api.call('POST', '/payments', { body: { ...ORDER, customer_id: 'cus_x' }, headers: key });
  await api.call('POST', '/payments', { body: ORDER, headers: { ...key, 'x-sync': 'acct_1' } });
  assert.deepEqual(await count(), before);
});
