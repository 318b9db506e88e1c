import assert from 'node:assert/strict';
import { test } from 'node:test';
import { created, listed, publicOf, retrieved, totalOf } from '../../src/core/payments/present.ts';
import { attemptOf, at, paymentOf } from './apply-lines.ts';

const row = paymentOf({
  ...{ status: 'partial', bearer: 'customer', reference: 'INV-1', description: 'Shoes', callback: 'https://shop.example/back' },
  ...{ customer_id: 'cus_1', account_id: 'acct_1', payment_method: null, reason: 'wrong_pin', message: 'no', settled: true },
  details: { metadata: { order: 7 }, items: [{ name: 'Shoe' }], address: { city: 'Douala' }, telemetry: { sdk: 'x' } },
});

/** The views of docs/contract/envelope.md, each with the fields of those before it. */
const CREATED = {
  ...{ id: 'trx_1', reference: 'INV-1', amount: 1_000, currency: 'XAF', description: 'Shoes', created_at: at(-9).toISOString() },
};
const LISTED = { ...CREATED, status: 'partial', channel: 'cm.mtn' };
const PUBLIC = { ...LISTED, settled: true, reason: 'wrong_pin', metadata: { order: 7 } };
const RETRIEVED = {
  ...PUBLIC,
  ...{ amount_total: 1_020, amount_captured: 400, amount_refunded: 0.02, fee: 20, bearer: 'customer', message: 'no' },
  ...{
    customer: 'cus_1',
    payment_method: null,
    account: 'acct_1',
    retry_of: null,
    retried_by: null,
    callback: 'https://shop.example/back',
  },
  ...{ items: [{ name: 'Shoe' }], address: { city: 'Douala' }, shipping: null, theming: null },
  ...{ expires_at: at(-3).toISOString(), completed_at: at(-4).toISOString(), updated_at: at(-2).toISOString() },
};

for (const environment of ['live', 'sandbox'] as const) {
  const sandbox = environment === 'sandbox';
  test(`a payment in ${environment} as its creation, a list, a public key and its owner see it`, () => {
    assert.deepEqual(created(environment, row), { ...CREATED, sandbox, status: 'pending' });
    assert.deepEqual(listed(environment, row), { ...LISTED, sandbox });
    const whole = retrieved(environment, row, []);
    assert.deepEqual(whole, { ...RETRIEVED, sandbox, attempts: [] });
    assert.deepEqual(publicOf(whole), { ...PUBLIC, sandbox });
  });
}

test('an attempt is shown without what only we need', () => {
  const shown = { id: 'att_1', provider: 'p', channel: 'cm.mtn', status: 'open', reason: null, explanation: null };
  for (const created_at of [at(-8), at(-8).toISOString()]) {
    const { attempts } = retrieved('live', row, [{ ...attemptOf('att_1', {}), created_at }]);
    assert.deepEqual(attempts, [{ ...shown, created_at: at(-8).toISOString() }]);
  }
});

test('the payer is charged the fee only when the customer bears it', () => {
  const amounts = { amount_minor: 100n, fee_minor: 3n };
  assert.deepEqual([totalOf({ ...amounts, bearer: 'customer' }), totalOf({ ...amounts, bearer: 'merchant' })], [103n, 100n]);
});
