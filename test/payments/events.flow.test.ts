import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { unpack } from '../../src/kit/packing.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, type Merchant, startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = {
  amount: 25000,
  currency: 'XAF',
  phone: '+237650000000',
  reference: 'order-1',
  metadata: { order: 1 },
};

interface EventRow {
  id: string;
  type: string;
  sequence: number;
  pending_webhooks: number;
  body: string;
  created_at: Date;
}

async function eventsOf(team_id: bigint, environment: 'sandbox' | 'live' = 'sandbox'): Promise<EventRow[]> {
  const rows = await api.deps.stores[environment].db.all<Omit<EventRow, 'body'> & { body: Buffer }>(sql`
    select id, type, sequence, pending_webhooks, body, created_at from events
    where team_id = ${team_id} and type like 'payment.%' order by resource_id, sequence`);
  return rows.map((row) => ({ ...row, body: unpack(row.body) }));
}

async function subscribe(
  team_id: bigint,
  events: string[],
  active = true,
  environment: 'sandbox' | 'live' = 'sandbox',
): Promise<string> {
  const id = newId('wh', environment, Date.now());
  await api.deps.stores[environment].db.run(sql`
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, active, api_version, created_at, updated_at)
    values (${team_id}, ${id}, 'https://shop.example/hook', 's1.x', ${events}, ${active}, '2026-08-01', now(), now())`);
  return id;
}

async function create(merchant: Merchant, headers = {}): Promise<Answer> {
  return api.call('POST', '/payments', { key: merchant.sandbox.secret, body: ORDER, headers });
}

test('payment.created has the envelope of the contract, and its data is what GET returns', async () => {
  const merchant = await api.newMerchant();
  const { body } = await create(merchant, { 'idempotency-key': 'my-own-key', 'x-request-id': 'my-own-id' });
  const { id } = body.transaction;
  const [event, ...others] = await eventsOf(merchant.team.id);
  assert.ok(event);
  assert.equal(others.length, 0);
  assert.match(event.id, /^evt_test_[0-9a-z]{26}$/);
  const { data, request, ...envelope } = JSON.parse(event.body);
  assert.deepEqual(envelope, {
    id: event.id,
    event: 'payment.created',
    livemode: false,
    created: event.created_at.toISOString(),
    api_version: '2026-08-01',
    pending_webhooks: 0,
  });
  assert.deepEqual(Object.keys(request).sort(), ['id', 'idempotency_key']);
  assert.equal(request.id, null);
  assert.ok(request.idempotency_key && request.idempotency_key !== 'my-own-key');
  assert.deepEqual(data, (await api.call('GET', `/payments/${id}`, { key: merchant.sandbox.secret })).body.transaction);
  assert.ok(!event.body.includes('my-own'));
});

test('the event for a known payer names the existing customer', async () => {
  const merchant = await api.newMerchant();
  const ids = [await create(merchant), await create(merchant)].map(({ body }) => body.transaction.id as string);
  const shown = ids.map((id) => api.call('GET', `/payments/${id}`, { key: merchant.sandbox.secret }));
  const customers = (await Promise.all(shown)).map(({ body }) => body.transaction.customer);
  assert.match(customers[0], /^cus_test_/);
  const told = (await eventsOf(merchant.team.id)).map(({ body }) => JSON.parse(body).data.customer);
  assert.deepEqual(told, customers);
  assert.equal(new Set(told).size, 1);
});

test('the data of every event is what GET returned after that change', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const { id } = (await create(merchant)).body.transaction;
  const shown = [await api.call('GET', `/payments/${id}`, { key })];
  await api.call('POST', `/payments/${id}`, {
    key,
    body: { channel: 'cm.mtn', data: { phone: '650000000' } },
  });
  shown.push(await api.call('GET', `/payments/${id}`, { key }));
  const told = (await eventsOf(merchant.team.id)).map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    told.map(({ data }) => data),
    shown.map(({ body }) => body.transaction),
  );
  assert.equal(new Set(told.map((event) => event.id)).size, 2);
  assert.equal(new Set(told.map((event) => event.request.idempotency_key)).size, 2);
});

test('live events say livemode true and carry live ids', async () => {
  const merchant = await api.newMerchant({ verification_level: 1 });
  await api.call('POST', '/payments', { key: merchant.live.secret, body: ORDER });
  const [event] = await eventsOf(merchant.team.id, 'live');
  assert.ok(event);
  assert.match(event.id, /^evt_[0-9a-z]{26}$/);
  const { livemode, data } = JSON.parse(event.body);
  assert.deepEqual([livemode, data.sandbox], [true, false]);
  assert.deepEqual(await eventsOf(merchant.team.id, 'sandbox'), []);
});

test('pending_webhooks counts the active endpoints subscribed to the type, and each gets one delivery', async () => {
  const merchant = await api.newMerchant();
  const { team } = merchant;
  const all = await subscribe(team.id, ['*']);
  const family = await subscribe(team.id, ['refund.created', 'payment.*']);
  const exact = await subscribe(team.id, ['payment.cancelled', 'payment.failed']);
  await subscribe(team.id, ['refund.*', 'transfer.succeeded']);
  await subscribe(team.id, ['*'], false);
  await subscribe((await api.newMerchant()).team.id, ['*']);
  await subscribe(team.id, ['*'], true, 'live');
  const { id } = (await create(merchant)).body.transaction;
  await api.call('DELETE', `/payments/${id}`, { key: merchant.sandbox.secret });
  const events = await eventsOf(team.id);
  assert.deepEqual(
    events.map(({ type, pending_webhooks, body }) => [type, pending_webhooks, JSON.parse(body).pending_webhooks]),
    [
      ['payment.created', 2, 2],
      ['payment.cancelled', 3, 3],
    ],
  );
  const deliveries = await api.deps.stores.sandbox.db.all<{ event_id: string; endpoint_id: string }>(sql`
    select event_id, endpoint_id from deliveries where team_id = ${team.id} order by event_id, endpoint_id`);
  const queued = (event_id: string | undefined) =>
    deliveries.filter((row) => row.event_id === event_id).map((row) => row.endpoint_id);
  assert.deepEqual(queued(events[0]?.id), [all, family].sort());
  assert.deepEqual(queued(events[1]?.id), [all, family, exact].sort());
});

test('a replay, a rejected request and a wrong state create no event', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const first = await create(merchant, { 'idempotency-key': 'k' });
  const { id } = first.body.transaction;
  await create(merchant, { 'idempotency-key': 'k' });
  await api.call('POST', '/payments', { key, body: { ...ORDER, amount: 0 } });
  await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.none' } });
  await api.call('DELETE', `/payments/${id}`, { key });
  await api.call('DELETE', `/payments/${id}`, { key });
  await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.card' } });
  assert.deepEqual(
    (await eventsOf(merchant.team.id)).map(({ type }) => type),
    ['payment.created', 'payment.cancelled'],
  );
});

test('200 payments created at once have one event each, with sequence 1', async () => {
  const merchant = await api.newMerchant();
  await subscribe(merchant.team.id, ['payment.created']);
  const answers = await Promise.all(Array.from({ length: 200 }, () => create(merchant)));
  const events = await eventsOf(merchant.team.id);
  const ids = events.map(({ body }) => JSON.parse(body).data.id);
  assert.deepEqual(new Set(ids), new Set(answers.map(({ body }) => body.transaction.id)));
  assert.deepEqual([ids.length, new Set(events.map(({ id }) => id)).size], [200, 200]);
  assert.ok(events.every(({ sequence, pending_webhooks }) => sequence === 1 && pending_webhooks === 1));
});
