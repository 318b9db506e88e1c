import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const MANY = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]));

/**
 * Bodies with a fault that a schema can express and one that it cannot. All faults that depend on the body alone are named at once,
 * before the resource of the path or the body is looked for (steps 13 to 15 of docs/contract/order-of-checks.md).
 */
const FAULTY: [request: string, body: object, fields: string[]][] = [
  ['POST /refunds', { payment: 'trx_test_x', amount: 10.005, reason: 'x' }, ['amount', 'reason']],
  ['POST /refunds', { payment: 'trx_test_x', amount: 10.005, reason: 'duplicate', metadata: MANY }, ['amount', 'metadata']],
  ['POST /refunds', { payment: 7, amount: '1', metadata: 7 }, ['amount', 'metadata', 'payment', 'reason']],
  ['POST /transfers', { amount: 10.005, currency: 'XAF', metadata: 7 }, ['amount', 'beneficiary', 'metadata', 'recipient']],
  ['POST /transfers', { amount: 10.5, currency: 'XAF', recipient: 'ben_test_x', description: 7 }, ['amount', 'description']],
  [
    'POST /transfers',
    { amount: '1', currency: 7, beneficiary: null, recipient: '1' },
    ['amount', 'beneficiary', 'currency', 'recipient'],
  ],
];

for (const [request, body, fields] of FAULTY) {
  test(`422 ${request} names ${fields.join(', ')}`, async () => {
    const [method, path] = request.split(' ') as [string, string];
    const { status, body: found } = await api.call(method, path, { body });
    assert.deepEqual([status, Object.keys(found.errors ?? {}).sort()], [422, fields], JSON.stringify(found));
  });
}
