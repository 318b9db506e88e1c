import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const MANY = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]));

const PAYER = { email: 'awa@buyers.example' };
const LORRY = [{ name: 'Lorry', unit_price: 9_000 }];
const INVOICE_WITHOUT_NAME = ['customer', 'customer_id', 'items.0.name', 'min_amount'];

/** Invoices exist in live only. */
const keyFor = (path: string) => (path === '/invoices' ? api.keys.live.secret : api.keys.sandbox.secret);

type Faulty = [request: string, body: object, fields: string[]];

/**
 * Bodies with a fault that a schema can express and one that it cannot. All faults that depend on the body alone are named at once,
 * before the resource of the path or the body is looked for (steps 13 to 15 of docs/contract/order-of-checks.md).
 */
const FAULTY: Faulty[] = [
  ['POST /refunds', { payment: 'trx_test_x', amount: 10.005, reason: 'x' }, ['amount', 'reason']],
  ['POST /refunds', { payment: 'trx_test_x', amount: 10.005, reason: 'duplicate', metadata: MANY }, ['amount', 'metadata']],
  ['POST /refunds', { payment: 7, amount: '1', metadata: 7 }, ['amount', 'metadata', 'payment', 'reason']],
  ['POST /transfers', { amount: 10.005, currency: 'XAF', metadata: 7 }, ['amount', 'beneficiary', 'metadata', 'recipient']],
  ['POST /transfers', { amount: 10.5, currency: 'XAF', recipient: 'ben_test_x', description: 7 }, ['amount', 'description']],
  ...[{ toString: 1 }, [{ toString: 1 }]].map(
    (currency): Faulty => [
      'POST /transfers',
      { amount: 100, currency, recipient: '+237650000000', channel: 'cm.mtn' },
      ['currency'],
    ],
  ),
  [
    'POST /transfers',
    { amount: '1', currency: 7, beneficiary: null, recipient: '1' },
    ['amount', 'beneficiary', 'currency', 'recipient'],
  ],
  ['POST /webhooks', { url: 'https://10.0.0.1/', events: ['x'], metadata: MANY }, ['events.0', 'metadata', 'url']],
  ['POST /webhooks', { url: 7, metadata: 7, api_version: 'x' }, ['api_version', 'metadata', 'url']],
  ['PATCH /webhooks/wh_test_x', { url: 'https://10.0.0.1/', active: 'x' }, ['active', 'url']],
  ['PATCH /webhooks/wh_test_x', { metadata: MANY }, ['metadata']],
  ['PUT /webhooks/wh_test_x', { url: 'https://10.0.0.1/' }, ['url']],
  ['POST /customers', { name: 7, metadata: MANY }, ['email', 'metadata', 'name', 'phone']],
  ['POST /customers', { email: 'no', phone: '+', address: MANY }, ['address', 'email', 'phone']],
  ['PUT /customers/cus_test_x', {}, ['email', 'phone']],
  ['PATCH /customers/cus_test_x', { phone: 'x', metadata: MANY }, ['metadata', 'phone']],
  ['POST /disputes/dsp_test_x/evidence', { evidence: null }, ['evidence']],
  ['POST /disputes/dsp_test_x/evidence', { evidence: MANY }, ['evidence']],
  ['POST /beneficiaries', { name: 7, channel: 'cm.mtn', metadata: MANY }, ['metadata', 'name', 'phone']],
  ['POST /beneficiaries', { channel: 'cm.mtn', phone: 7, country: 7, currency: 'XOF' }, ['country', 'currency', 'name', 'phone']],
  ['POST /beneficiaries', { name: 'Awa', channel: 'cm.none', metadata: MANY }, ['metadata']],
  ['PUT /beneficiaries/ben_test_x', { metadata: MANY }, ['metadata', 'name']],
  ['PATCH /beneficiaries/ben_test_x', { metadata: MANY }, ['metadata']],
  [
    'POST /accounts',
    { name: 'Awa', split: { type: 'percentage', value: 101 }, metadata: MANY },
    ['email', 'metadata', 'split.value'],
  ],
  [
    'PATCH /accounts/acct_test_x',
    { name: 7, settlement: { channel: 'cm.mtn', account_number: '12' } },
    ['name', 'settlement.account_number'],
  ],
  ['PUT /accounts/acct_test_x', { split: 7, settlement: 7, metadata: 7 }, ['email', 'metadata', 'name', 'settlement', 'split']],
  ['PATCH /accounts/acct_test_x', { split: { type: 'fixed', value: 0.001 } }, ['split.value']],
  [
    'POST /payments/trx_test_x',
    { channel: 'cm.mtn', data: { phone: '12' }, client_ip: 'x'.repeat(65) },
    ['client_ip', 'data.phone'],
  ],
  ['POST /payments/trx_test_x', { channel: 'cm.mtn', data: { account_number: 650000000 } }, ['data.account_number']],
  ['POST /payments/trx_test_x', { channel: 'cm.bank', client_ip: 7 }, ['client_ip', 'data.account_number']],
  ['POST /payments/trx_test_x', { channel: 7, data: { phone: '12', country: 'TG' } }, ['channel']],
  ['POST /payments/trx_test_x', { channel: 'cm.mtn', data: ['12'] }, ['data']],
  ['POST /identity/resolve', { channel: 'cm.mtn', phone: '12', country: 'TG', bank_code: 7 }, ['bank_code', 'country', 'phone']],
  ['POST /identity/resolve', { channel: 7, phone: '12' }, ['channel']],
  [
    'POST /invoices',
    { currency: 'XAF', items: [{ name: 'x', unit_price: 1 }], min_amount: 5, customer: { email: 'nobody' } },
    ['customer.email', 'items', 'min_amount'],
  ],
  ['POST /invoices', { currency: 'XAF', items: [{ unit_price: 1 }], min_amount: 5 }, INVOICE_WITHOUT_NAME],
  ['POST /invoices', { currency: 'XAF', items: LORRY, min_amount: 5, allow_partial: 'x', customer: PAYER }, ['allow_partial']],
  [
    'POST /invoices',
    { currency: 'XAF', items: [{ name: 'x', unit_price: 1 }], allow_partial: 'x', customer: PAYER },
    ['allow_partial', 'items'],
  ],
  ...[{ toString: 1 }, [{ toString: 1 }], ['XAF'], 7].map(
    (currency): Faulty => [
      'POST /invoices',
      { currency, items: LORRY, min_amount: 5, allow_partial: true, customer: PAYER },
      ['currency'],
    ],
  ),
  ['POST /invoices', { currency: 'X', items: LORRY, min_amount: 1.5, allow_partial: true, customer: PAYER }, ['currency']],
];

for (const [request, body, fields] of FAULTY) {
  test(`422 ${request} names ${fields.join(', ')}`, async () => {
    const [method, path] = request.split(' ') as [string, string];
    const { status, body: found } = await api.call(method, path, { key: keyFor(path), body });
    assert.deepEqual([status, Object.keys(found.errors ?? {}).sort()], [422, fields], JSON.stringify(found));
  });
}

test('422 an invalid body with an idempotency key that was used, or an invalid one, names the fields of the body', async () => {
  const payment = { amount: 100, currency: 'XAF', phone: '1' };
  const create = (path: string, key: string, body: object) =>
    api.call('POST', path, { key: keyFor(path), body, headers: { 'idempotency-key': key } });
  assert.equal((await create('/webhooks', 'used', { url: 'https://shop.example/hook' })).status, 201);
  for (const key of ['used', 'a b']) {
    const { status, body } = await create('/webhooks', key, { url: 'https://shop.example/hook', metadata: MANY });
    assert.deepEqual([status, Object.keys(body.errors)], [422, ['metadata']]);
    const refund = await create('/refunds', key, { payment: 'trx_test_x', amount: 10.005, reason: 'duplicate' });
    assert.deepEqual([refund.status, Object.keys(refund.body.errors)], [422, ['amount']]);
    const charge = await create('/payments/trx_test_x', key, { channel: 'cm.mtn', data: { phone: '12' } });
    assert.deepEqual([charge.status, Object.keys(charge.body.errors)], [422, ['data.phone']]);
    const small = { currency: 'XAF', items: [{ name: 'x', unit_price: 1 }], customer: PAYER };
    const invoice = await create('/invoices', key, small);
    assert.deepEqual([invoice.status, Object.keys(invoice.body.errors)], [422, ['items']]);
  }
  assert.equal((await create('/payments', 'used', payment)).status, 201);
});
