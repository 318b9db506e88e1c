import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { REFUSED, RefundShop } from './support.ts';

const DAY_MS = 86_400_000;

let shop: RefundShop;
/** Two payments. The first has two refunds, of which the second failed; the other has one. A day lies between any two refunds. */
let payments: string[];
/** Oldest first. */
const ids: string[] = [];
const days: string[] = [];

before(async () => {
  shop = await RefundShop.open();
  await shop.begin();
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
  ids.push(id);
  days.push(created_at.toISOString().slice(0, 10));
}

async function list(query: Record<string, string>, key = shop.key) {
  const { status, body } = await shop.api.call('GET', `/refunds?${new URLSearchParams(query)}`, { key });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const shown = (body: { items: { id: string }[] }) => body.items.map(({ id }) => ids.indexOf(id));

async function found(query: Record<string, string>): Promise<number[]> {
  const body = await list(query);
  assert.equal(body.meta.total, body.items.length);
  return shown(body);
}

test('200 newest first, each as GET returns it, and only the team’s own', async () => {
  const body = await list({});
  assert.deepEqual(shown(body), [2, 1, 0]);
  for (const item of body.items) {
    assert.deepEqual((await shop.api.call('GET', `/refunds/${item.id}`, { key: shop.key })).body.refund, item);
  }
  const other = await shop.api.newMerchant();
  assert.deepEqual((await list({}, other.live.secret)).items, []);
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

test('200 both kinds of pagination, forwards and backwards', async () => {
  const page = await list({ per_page: '2', page: '2' });
  assert.deepEqual([shown(page), page.meta.total, page.meta.last_page], [[0], 3, 2]);
  const first = await list({ per_page: '2', cursor: '' });
  assert.deepEqual([shown(first), first.meta.has_more], [[2, 1], true]);
  const last = await list({ per_page: '2', cursor: first.meta.next_cursor });
  assert.deepEqual([shown(last), last.meta.has_more], [[0], false]);
  assert.deepEqual(shown(await list({ per_page: '2', cursor: last.meta.prev_cursor })), [2, 1]);
});
