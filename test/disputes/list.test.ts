import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';

let api: Api;
/** Each has had one dispute; the first has a second one, after the first was won. */
const payments: string[] = [];
/** Oldest first. */
const ids: string[] = [];

before(async () => {
  api = await startApi();
  for (let i = 0; i < 2; i++) payments.push(await paid(api));
  const [first, second] = payments as [string, string];
  await open(first);
  await change('provider_decided_won');
  await open(second);
  await change('provider_decided_lost');
  await open(first);
});
after(() => api.stop());

async function open(payment_id: string): Promise<void> {
  const { id } = await openDispute(api.deps, api.deps.stores.sandbox, { team_id: api.team.id, payment_id, reason: 'fraudulent' });
  ids.push(id);
}

const change = (trigger: 'provider_decided_won' | 'provider_decided_lost') =>
  changeDispute(api.deps, api.deps.stores.sandbox, { team_id: api.team.id, id: ids.at(-1) as string }, trigger);

async function list(query: Record<string, string>, key = api.keys.sandbox.secret) {
  const { status, body } = await api.call('GET', `/disputes?${new URLSearchParams(query)}`, { key });
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
  for (const item of body.items) assert.deepEqual((await api.call('GET', `/disputes/${item.id}`)).body.dispute, item);
  const other = await api.newMerchant();
  assert.deepEqual((await list({}, other.sandbox.secret)).items, []);
});

test('200 filters by payment and status, together too', async () => {
  const [first, second] = payments as [string, string];
  assert.deepEqual(await found({ payment: first }), [2, 0]);
  assert.deepEqual(await found({ payment: second }), [1]);
  assert.deepEqual(await found({ status: 'won' }), [0]);
  assert.deepEqual(await found({ status: 'lost' }), [1]);
  assert.deepEqual(await found({ status: 'needs_response' }), [2]);
  assert.deepEqual(await found({ payment: second, status: 'won' }), []);
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
