import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Listing } from '../setup/listing.ts';
import { REFUSED, RefundShop } from './support.ts';

const DAY_MS = 86_400_000;

let shop: RefundShop;
/** Two payments. The first has two refunds, of which the second failed; the other has one. A day lies between any two refunds. */
let payments: string[];
let listing: Listing;
const days: string[] = [];

before(async () => {
  shop = await RefundShop.open();
  await shop.begin();
  listing = new Listing(shop.api, '/refunds', () => shop.key);
  payments = [await shop.paid(10_000), await shop.paid(20_000)];
  const [first, second] = payments as [string, string];
  await refund(first, 1_000, 'succeeded');
  shop.provider.submits.set(0, [REFUSED]);
  await refund(first, 2_000, 'failed');
  await refund(second, 3_000, 'succeeded');
});
after(() => shop.close());

async function refund(payment: string, amount: number, status: string): Promise<void> {
  shop.clock.advance(DAY_MS);
  const { id, created_at } = await shop.refund(payment, amount);
  await shop.become(id, status);
  listing.ids.push(id);
  days.push(created_at.toISOString().slice(0, 10));
}

const found = (query: Record<string, string>) => listing.found(query);

test('200 newest first, each as GET returns it, and only the team’s own', async () => {
  await listing.checkItems('refund', (await shop.api.newMerchant()).live.secret);
});

test('200 filters by payment and status, together too', async () => {
  const [first, second] = payments as [string, string];
  assert.deepEqual(await found({ payment: first }), [1, 0]);
  assert.deepEqual(await found({ payment: second }), [2]);
  assert.deepEqual(await found({ payment: 'trx_nothing' }), []);
  assert.deepEqual(await found({ status: 'succeeded' }), [2, 0]);
  assert.deepEqual(await found({ status: 'failed' }), [1]);
  assert.deepEqual(await found({ status: 'pending' }), []);
  assert.deepEqual(await found({ payment: first, status: 'succeeded' }), [0]);
});

test('200 filters by day: both days belong to the range', async () => {
  const [a, b, c] = days as [string, string, string];
  assert.deepEqual(await found({ date_from: a, date_to: c }), [2, 1, 0]);
  assert.deepEqual(await found({ date_from: b, date_to: b }), [1]);
  assert.deepEqual(await found({ date_from: b }), [2, 1]);
  assert.deepEqual(await found({ date_to: b }), [1, 0]);
});

test('422 for a range that ends before it begins', async () => {
  const [a, b] = days as [string, string];
  const answer = await shop.api.call('GET', `/refunds?date_from=${b}&date_to=${a}`, { key: shop.key });
  assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['date_to']]);
});

test('200 both kinds of pagination, forwards and backwards', () => listing.checkPages());
