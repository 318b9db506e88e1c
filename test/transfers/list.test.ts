import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { fund } from './support.ts';

let api: Api;
let saved: string;
/** Oldest first. */
const ids: string[] = [];
/** On which they were made, which may be two around midnight. */
const days: string[] = [];

before(async () => {
  api = await startApi({ workers: false });
  await fund(api, api.team, 100_000);
  const ben = await api.call('POST', '/beneficiaries', { body: { name: 'Saved Payee', channel: 'cm.mtn', phone: '650000009' } });
  saved = ben.body.beneficiary.id;
  const bodies = [
    { amount: 1_000, beneficiary: saved, reference: 'INV_1' },
    { amount: 2_000, recipient: '690000002', channel: 'cm.orange', description: 'Wages 100%' },
    {
      amount: 3_000,
      beneficiary: { name: 'Ali Baba', channel: 'cm.bank', account_number: '9988776655', email: 'ali@baba.example' },
    },
    { amount: 400_000, recipient: '650000003', channel: 'cm.mtn' },
  ];
  for (const body of bodies) {
    const answer = await api.call('POST', '/transfers', { body: { currency: 'XAF', ...body } });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    ids.push(answer.body.transfer.id);
    days.push(answer.body.transfer.created_at.slice(0, 10));
  }
});
after(() => api.stop());

/** Positions in `ids` of what the query finds. */
async function found(query: Record<string, string>): Promise<number[]> {
  const { status, body } = await api.call('GET', `/transfers?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.meta.total, body.items.length);
  return body.items.map((item: { id: string }) => ids.indexOf(item.id));
}

test('200 newest first, each as GET returns it', async () => {
  const { body } = await api.call('GET', '/transfers');
  assert.deepEqual(
    body.items.map((item: { id: string }) => item.id),
    ids.toReversed(),
  );
  for (const item of body.items) assert.deepEqual((await api.call('GET', `/transfers/${item.id}`)).body.transfer, item);
});

test('200 filters by status, beneficiary, channel, amount and day', async () => {
  const [date_from, , , date_to] = days as [string, string, string, string];
  assert.deepEqual(await found({ status: 'failed' }), [3]);
  assert.deepEqual(await found({ status: 'processing' }), [2, 1, 0]);
  assert.deepEqual(await found({ beneficiary: saved }), [0]);
  assert.deepEqual(await found({ channel: 'cm.mtn' }), [3, 0]);
  assert.deepEqual(await found({ amount_min: '2000', amount_max: '3000' }), [2, 1]);
  assert.deepEqual(await found({ amount_min: '2000.001' }), [3, 2]);
  assert.deepEqual(await found({ amount_min: '5', amount_max: '4' }), []);
  assert.deepEqual(await found({ date_from, date_to }), [3, 2, 1, 0]);
  assert.deepEqual(await found({ date_to: '2020-01-01' }), []);
  assert.deepEqual(await found({ date_from: '2999-01-01' }), []);
});

test('200 search covers id, reference, description and recipient, and treats wildcards as text', async () => {
  assert.deepEqual(await found({ search: 'inv_' }), [0]);
  assert.deepEqual(await found({ search: '100%' }), [1]);
  assert.deepEqual(await found({ search: 'ali b' }), [2]);
  assert.deepEqual(await found({ search: '99887' }), [2]);
  assert.deepEqual(await found({ search: 'BABA.example' }), [2]);
  assert.deepEqual(await found({ search: 'saved payee' }), [0]);
  assert.deepEqual(await found({ search: '90000002' }), [1]);
  assert.deepEqual(await found({ search: ids[3] as string }), [3]);
  assert.deepEqual(await found({ search: "' or 1=1 --" }), []);
});

test('200 both kinds of pagination, forwards and backwards', async () => {
  const page = async (query: string) => (await api.call('GET', `/transfers?per_page=3${query}`)).body;
  const shown = (body: { items: { id: string }[] }) => body.items.map((item) => ids.indexOf(item.id));
  const first = await page('');
  const { next_cursor, ...meta } = first.meta;
  assert.deepEqual([shown(first), meta], [[3, 2, 1], { current_page: 1, last_page: 2, per_page: 3, total: 4 }]);
  assert.deepEqual(shown(await page('&page=2')), [0]);
  const second = await page(`&cursor=${encodeURIComponent(next_cursor)}`);
  assert.deepEqual([shown(second), second.meta.has_more], [[0], false]);
  const back = await page(`&cursor=${encodeURIComponent(second.meta.prev_cursor)}`);
  assert.deepEqual(shown(back), [3, 2, 1]);
  const past = await page(`&cursor=${encodeURIComponent(second.meta.next_cursor)}`);
  assert.deepEqual([shown(past), past.meta.has_more], [[], false]);
});

test('422 for a cursor of another team, environment or list', async () => {
  const cursorOf = async (path: string, key: string) => (await api.call('GET', path, { key })).body.meta.next_cursor;
  const other = await api.newMerchant();
  const asking = [
    ['/transfers', other.sandbox.secret],
    ['/transfers', api.keys.live.secret],
    ['/payments', api.keys.sandbox.secret],
  ] as const;
  for (const [path, key] of asking) {
    const cursor = encodeURIComponent(await cursorOf(path, key));
    const { status, body } = await api.call('GET', `/transfers?cursor=${cursor}`);
    assert.deepEqual([status, Object.keys(body.errors)], [422, ['cursor']]);
  }
});

test('422 for invalid queries', async () => {
  const wrong: [string, string][] = [
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['page=0', 'page'],
    ['status=paid', 'status'],
    ['date_from=today', 'date_from'],
    ['date_from=2026-02-02&date_to=2026-02-01', 'date_to'],
    ['amount_min=-1', 'amount_min'],
    ['amount_max=x', 'amount_max'],
    ['cursor=abc', 'cursor'],
    ['page=1&cursor=', 'cursor'],
    [`search=${'x'.repeat(256)}`, 'search'],
    ['search=%00', 'search'],
  ];
  for (const [query, field] of wrong) {
    const { status, body } = await api.call('GET', `/transfers?${query}`);
    assert.equal(status, 422, query);
    assert.ok(field in body.errors, query);
  }
});
