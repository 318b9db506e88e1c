import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { CHANNELS } from '../../src/providers/reference/channels.ts';
import { MAX_TRANCHES, largestOf } from '../../src/providers/reference/largest.ts';
import { nextTranche } from '../../src/core/charge/tranches.ts';
import { CURRENCIES } from '../../src/kit/money.ts';
import { requestHash } from '../../src/tenants/api/idempotency.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const create = (amount: number, currency: string, key?: string) =>
  api.call('POST', '/payments', {
    body: { amount, currency, phone: '650000000' },
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  });

/** By hand from docs/contract/money.md: 100 charges of the largest wallet, or the largest bank transfer. */
const LARGEST: [currency: string, amount: number][] = [
  ['XAF', 50_000_000],
  ['XOF', 50_000_000],
  ['NGN', 100_000_000],
  ['KES', 25_000_000],
  ['GNF', 500_000_000],
  ['ZAR', 5_000_000],
  ['EUR', 100_000],
];

for (const [currency, amount] of LARGEST) {
  test(`201 ${amount} ${currency}, the largest amount; 422 above it`, async () => {
    assert.equal((await create(amount, currency)).status, 201);
    const { status, body } = await create(amount + 1, currency);
    const message = `must be at most ${amount} ${currency}, the largest amount that any channel takes`;
    assert.deepEqual([status, body.message, body.errors], [422, `amount: ${message}`, { amount: [message] }]);
  });
}

test('the largest amount of a currency is collected by one of its channels, in at most 100 tranches, and nothing larger is', () => {
  for (const currency of CURRENCIES) {
    const largest = largestOf(currency);
    assert.ok(largest !== null, currency);
    const collectable = (amount: bigint) =>
      CHANNELS.some((channel) => {
        const max = channel.limits[currency]?.max_minor;
        if (max === undefined) return false;
        let count = 0n;
        for (let left = amount; left > 0n && count <= MAX_TRANCHES; count++) {
          const tranche = nextTranche(left, channel, currency);
          if (tranche > max) return false;
          left -= tranche;
        }
        return count <= MAX_TRANCHES;
      });
    assert.deepEqual([collectable(largest), collectable(largest + 100n)], [true, false], currency);
  }
});

test('a payment that was created before there was a largest amount is still replayed, and collected in tranches', async () => {
  const { id } = (await create(1_000_000, 'XAF', 'before')).body.transaction;
  const { db } = api.deps.stores.sandbox;
  // As an earlier release stored it: the key's request and the payment have the larger amount.
  const body = { amount: 1_000_000_000, currency: 'XAF', phone: '650000000' };
  const hash = requestHash({ params: {}, sync: null, body, caller: { kind: 'secret' } });
  await db.run(sql`update payments set amount_minor = ${100_000_000_000n} where id = ${id}`);
  await db.run(sql`update idempotency_keys set request_hash = ${hash} where resource_id = ${id}`);
  const replayed = await create(1_000_000_000, 'XAF', 'before');
  assert.deepEqual([replayed.status, replayed.body.transaction.id], [201, id]);
  assert.equal((await create(1_000_000_000, 'XAF', 'new')).status, 422);
  const charged = await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000000' } } });
  assert.deepEqual([charged.status, charged.body.transaction.amount], [202, 1_000_000_000]);
});

test('422 a link with an amount that no channel takes', async () => {
  const key = (await api.newMerchant({ verification_level: 4 })).live.secret;
  const link = (body: object) => api.call('POST', '/links', { key, body: { title: 'Fan', currency: 'XAF', ...body } });
  for (const field of ['amount', 'min_amount']) {
    const { status, body } = await link({ [field]: 50_000_001 });
    assert.deepEqual([status, Object.keys(body.errors)], [422, [field]]);
  }
  assert.equal((await link({ amount: 50_000_000 })).status, 201);
});
