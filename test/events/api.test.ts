import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordEvents } from '../../src/money/webhooks/record-store.ts';
import { type Api, type Merchant, startApi } from '../setup/api.ts';

const MISSING = 'evt_test_00000000000000000000000000';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

const at = (text: string) => Date.parse(text);

/** Records events of payments that nobody made, at the given moments. */
async function record(merchant: Merchant, moments: string[], type: 'payment.created' | 'payment.succeeded' = 'payment.created') {
  const { environment, db } = api.deps.stores.sandbox;
  for (const moment of moments) {
    const data = { id: `trx_${moment}`, metadata: { order: 'A-1' } };
    await db.transaction((tx) =>
      recordEvents(tx, environment, at(moment), [
        { team_id: merchant.team.id, type, resource_id: `trx_${type}_${moment}`, sequence: 1, data },
      ]),
    );
  }
}

async function list(merchant: Merchant, query = '') {
  const answer = await api.call('GET', `/events${query}`, { key: merchant.sandbox.secret });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

const moments = (body: { items: { created: string }[] }) => body.items.map((item) => item.created);

test('200 the event record is the envelope of the contract', async () => {
  const merchant = await api.newMerchant();
  await record(merchant, ['2026-11-03T10:00:00.000Z']);
  const { items } = await list(merchant);
  const { body, status } = await api.call('GET', `/events/${items[0].id}`, { key: merchant.sandbox.secret });
  assert.equal(status, 200);
  assert.deepEqual(body.event, items[0]);
  const { id, request, ...rest } = body.event;
  assert.match(id, /^evt_test_/);
  assert.equal(request.id, null);
  assert.equal(typeof request.idempotency_key, 'string');
  assert.deepEqual(rest, {
    event: 'payment.created',
    livemode: false,
    created: '2026-11-03T10:00:00.000Z',
    api_version: '2026-08-01',
    pending_webhooks: 0,
    data: { id: 'trx_2026-11-03T10:00:00.000Z', metadata: { order: 'A-1' } },
  });
});

test('200 list: newest first, offset and cursor pages, an exact total', async () => {
  const merchant = await api.newMerchant();
  const days = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'].map((day) => `${day}T08:00:00.000Z`);
  await record(merchant, days);
  const newest = [...days].reverse();
  const first = await list(merchant, '?per_page=2');
  assert.deepEqual(moments(first), newest.slice(0, 2));
  assert.deepEqual([first.meta.total, first.meta.last_page], [5, 3]);
  assert.deepEqual(moments(await list(merchant, '?per_page=2&page=3')), newest.slice(4));
  const second = await list(merchant, `?per_page=2&cursor=${encodeURIComponent(first.meta.next_cursor)}`);
  assert.deepEqual([moments(second), second.meta.has_more], [newest.slice(2, 4), true]);
  const back = await list(merchant, `?per_page=2&cursor=${encodeURIComponent(second.meta.prev_cursor)}`);
  assert.deepEqual(moments(back), newest.slice(0, 2));
});

test('200 filtered by exact type', async () => {
  const merchant = await api.newMerchant();
  await record(merchant, ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']);
  await record(merchant, ['2026-11-03T00:00:00.000Z'], 'payment.succeeded');
  const body = await list(merchant, '?type=payment.succeeded');
  assert.deepEqual([moments(body), body.meta.total], [['2026-11-03T00:00:00.000Z'], 1]);
});

test('200 date_from and date_to are UTC days, both included', async () => {
  const merchant = await api.newMerchant();
  const days = ['2026-11-01T23:59:59.999Z', '2026-11-02T00:00:00.000Z', '2026-11-03T23:59:59.999Z', '2026-11-04T00:00:00.000Z'];
  await record(merchant, days);
  assert.deepEqual(moments(await list(merchant, '?date_from=2026-11-02&date_to=2026-11-03')), [days[2], days[1]]);
  assert.deepEqual(moments(await list(merchant, '?date_from=2026-11-04')), [days[3]]);
  assert.deepEqual(moments(await list(merchant, '?date_to=2026-11-01')), [days[0]]);
  assert.deepEqual((await list(merchant, '?date_from=2026-11-02&date_to=2026-11-02')).meta.total, 1);
});

test('422 an unknown type, an invalid date, a reversed range, page with cursor', async () => {
  for (const [query, fields] of [
    ['type=payment', ['type']],
    ['type=payment.*', ['type']],
    ['date_from=2026-13-01', ['date_from']],
    ['date_from=2026-11-02&date_to=2026-11-01', ['date_to']],
    ['page=1&cursor=', ['cursor', 'page']],
    ['per_page=101', ['per_page']],
    ['cursor=x', ['cursor']],
  ] as const) {
    const { status, body } = await api.call('GET', `/events?${query}`);
    assert.deepEqual([status, Object.keys(body.errors)], [422, fields], query);
  }
});

test('404 Resource Not Found: an unknown event, one of another team, one of the other environment', async () => {
  const merchant = await api.newMerchant();
  const stranger = await api.newMerchant();
  await record(merchant, ['2026-11-03T10:00:00.000Z']);
  const { id } = (await list(merchant)).items[0];
  for (const [key, event] of [
    [merchant.sandbox.secret, MISSING],
    [merchant.sandbox.secret, '%00'],
    [stranger.sandbox.secret, id],
    [merchant.live.secret, id],
  ]) {
    for (const [method, path] of [
      ['GET', `/events/${event}`],
      ['POST', `/events/${event}/resend`],
    ] as const) {
      const { status, body } = await api.call(method, path, { key: key as string });
      assert.deepEqual([status, body.message], [404, 'Resource Not Found'], `${method} ${path}`);
    }
  }
});

test('406 with a public key; 403 a restricted key without the scope', async () => {
  const { team, sandbox } = await api.newMerchant();
  assert.equal((await api.call('GET', '/events', { key: sandbox.public })).status, 406);
  const reader = (await api.newKey(team, 'sandbox', 'restricted', { scopes: ['event.read'] })).key;
  const writer = (await api.newKey(team, 'sandbox', 'restricted', { scopes: ['event.write'] })).key;
  assert.equal((await api.call('GET', '/events', { key: reader })).status, 200);
  assert.equal((await api.call('GET', '/events', { key: writer })).status, 403);
  assert.equal((await api.call('POST', `/events/${MISSING}/resend`, { key: reader })).status, 403);
  assert.equal((await api.call('POST', `/events/${MISSING}/resend`, { key: writer })).status, 404);
});

test('200 resend queues the event for every matching active endpoint, and for no other', async () => {
  const merchant = await api.newMerchant();
  const register = (body: object) =>
    api.call('POST', '/webhooks', { key: merchant.sandbox.secret, body: { url: 'https://shop.example/', ...body } });
  await record(merchant, ['2026-11-03T10:00:00.000Z']);
  await register({ events: ['payment.created'] });
  await register({ events: ['payment.*'] });
  await register({});
  await register({ events: ['refund.*', 'payment.succeeded'] });
  await register({ active: false });
  const { id } = (await list(merchant)).items[0];
  const { status, body } = await api.call('POST', `/events/${id}/resend`, { key: merchant.sandbox.secret });
  assert.deepEqual([status, body.deliveries, body.event.id], [200, 3, id]);
  assert.equal(body.event.pending_webhooks, 0, 'the record stays as it was');
});

test('200 a creation records its event with the number of its endpoints', async () => {
  const { sandbox } = await api.newMerchant();
  const key = sandbox.secret;
  for (const events of [['*'], ['payment.*'], ['refund.*']]) {
    await api.call('POST', '/webhooks', { key, body: { url: 'https://shop.example/', events } });
  }
  const payment = await api.call('POST', '/payments', {
    key,
    body: { amount: 100, currency: 'XAF', email: 'payer@example.com' },
  });
  const { items } = (await api.call('GET', '/events?type=payment.created', { key })).body;
  assert.deepEqual([items.length, items[0].data.id, items[0].pending_webhooks], [1, payment.body.transaction.id, 2]);
  const shown = (await api.call('GET', `/payments/${payment.body.transaction.id}`, { key })).body.transaction;
  assert.deepEqual(items[0].data, shown, 'data is what GET returns');
});
