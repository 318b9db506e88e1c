import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, dumpDatabase, startApi } from '../setup/api.ts';

const ID = /^wh_test_[0-9a-hjkmnp-tv-z]{26}$/;
const SECRET = /^whsec_[0-9A-Za-z]{43}$/;
const MISSING = 'wh_test_00000000000000000000000000';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

async function create(body: object = {}, headers: Record<string, string> = {}) {
  return api.call('POST', '/webhooks', { body: { url: 'https://shop.example/hooks', ...body }, headers });
}

async function clear() {
  for (const store of [api.deps.stores.sandbox, api.deps.stores.live]) await store.db.run(sql`delete from webhook_endpoints`);
}

test('201 a webhook endpoint with its secret, and defaults for omitted fields', async () => {
  const { status, body } = await create();
  assert.equal(status, 201);
  assert.deepEqual([body.code, body.status], [201, 'Created']);
  assert.match(body.webhook.id, ID);
  assert.match(body.webhook.secret, SECRET);
  const { id: _, secret: __, created_at, updated_at, ...rest } = body.webhook;
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    url: 'https://shop.example/hooks',
    events: ['*'],
    description: null,
    active: true,
    metadata: null,
    api_version: '2026-08-01',
    failing_since: null,
    disabled_reason: null,
    backlog_full_since: null,
    sandbox: true,
  });
});

test('201 every field of the request is returned', async () => {
  const sent = {
    url: 'https://shop.example/hooks?shop=1',
    events: ['payment.*', 'refund.succeeded'],
    description: 'The shop',
    active: false,
    metadata: { shop: 'A-1', tags: [1, 2], none: null },
  };
  const { webhook } = (await create(sent)).body;
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(webhook[name], value, name);
});

test('201 duplicate events are stored once', async () => {
  assert.deepEqual((await create({ events: ['*', 'payment.*', '*'] })).body.webhook.events, ['*', 'payment.*']);
});

test('the secret is returned on creation only and is stored sealed', async () => {
  const { webhook } = (await create()).body;
  const { body } = await api.call('GET', `/webhooks/${webhook.id}`);
  assert.equal('secret' in body.webhook, false);
  const list = await api.call('GET', '/webhooks');
  assert.doesNotMatch(JSON.stringify(list.body), /whsec_/);
  assert.doesNotMatch(await dumpDatabase(api.deps.stores.sandbox.db), /whsec_/);
});

test('201 the same Idempotency-Key replays the endpoint without its secret and creates no second one', async () => {
  await clear();
  const headers = { 'Idempotency-Key': 'hook-1' };
  const first = await create({}, headers);
  const second = await create({}, headers);
  assert.match(first.body.webhook.secret, SECRET);
  assert.equal(second.status, 201);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  const { secret: _, ...shown } = first.body.webhook;
  assert.deepEqual(second.body.webhook, shown);
  assert.equal((await api.call('GET', '/webhooks')).body.meta.total, 1);
});

test('200 list: newest first, with both kinds of pagination', async () => {
  await clear();
  const ids = [];
  for (const n of [1, 2, 3]) ids.unshift((await create({ description: `number ${n}` })).body.webhook.id);
  const { body } = await api.call('GET', '/webhooks?per_page=2');
  assert.deepEqual(
    body.items.map((item: { id: string }) => item.id),
    ids.slice(0, 2),
  );
  assert.equal(typeof body.meta.next_cursor, 'string');
  const { next_cursor: _, ...meta } = body.meta;
  assert.deepEqual(meta, { current_page: 1, last_page: 2, per_page: 2, total: 3 });
  const next = await api.call('GET', `/webhooks?per_page=2&cursor=${encodeURIComponent(body.meta.next_cursor)}`);
  assert.deepEqual(
    next.body.items.map((item: { id: string }) => item.id),
    ids.slice(2),
  );
  assert.equal(next.body.meta.has_more, false);
});

test('200 PATCH changes the given fields only', async () => {
  const { webhook } = (await create({ description: 'before', metadata: { a: 1 }, events: ['payment.*'] })).body;
  const { status, body } = await api.call('PATCH', `/webhooks/${webhook.id}`, { body: { description: null, active: false } });
  assert.equal(status, 200);
  assert.deepEqual(
    [body.webhook.description, body.webhook.active, body.webhook.metadata, body.webhook.events, body.webhook.url],
    [null, false, { a: 1 }, ['payment.*'], webhook.url],
  );
  assert.equal('secret' in body.webhook, false);
  assert.deepEqual((await api.call('GET', `/webhooks/${webhook.id}`)).body.webhook, body.webhook);
});

test('200 PUT replaces: omitted fields are reset to their defaults', async () => {
  const { webhook } = (await create({ description: 'before', metadata: { a: 1 }, events: ['payment.*'], active: false })).body;
  const { status, body } = await api.call('PUT', `/webhooks/${webhook.id}`, { body: { url: 'https://other.example/' } });
  assert.equal(status, 200);
  assert.deepEqual(
    [
      body.webhook.id,
      body.webhook.url,
      body.webhook.description,
      body.webhook.active,
      body.webhook.metadata,
      body.webhook.events,
    ],
    [webhook.id, 'https://other.example/', null, true, null, ['*']],
  );
});

test('200 DELETE, then 404', async () => {
  const { webhook } = (await create()).body;
  const { status, body } = await api.call('DELETE', `/webhooks/${webhook.id}`);
  assert.deepEqual([status, body.webhook.id], [200, webhook.id]);
  assert.equal((await api.call('GET', `/webhooks/${webhook.id}`)).status, 404);
  assert.equal((await api.call('DELETE', `/webhooks/${webhook.id}`)).status, 404);
});

test('200 rotate-secret returns a new secret', async () => {
  const { webhook } = (await create()).body;
  const { status, body } = await api.call('POST', `/webhooks/${webhook.id}/rotate-secret`);
  assert.equal(status, 200);
  assert.match(body.webhook.secret, SECRET);
  assert.notEqual(body.webhook.secret, webhook.secret);
});

test('404 Resource Not Found on every route for an unknown endpoint', async () => {
  await clear();
  const body = { url: 'https://shop.example/' };
  for (const [method, path, options] of [
    ['GET', '', {}],
    ['PATCH', '', { body: {} }],
    ['PUT', '', { body }],
    ['DELETE', '', {}],
    ['POST', '/rotate-secret', {}],
    ['GET', '/deliveries', {}],
    ['POST', '/test', {}],
  ] as const) {
    for (const id of [MISSING, 'x', '%00', `wh_${MISSING.slice(8)}`]) {
      const answer = await api.call(method, `/webhooks/${id}${path}`, options);
      assert.deepEqual([answer.status, answer.body.message], [404, 'Resource Not Found'], `${method} ${id}${path}`);
    }
  }
});

test('404 for an endpoint of another team or of the other environment', async () => {
  await clear();
  const { webhook } = (await create()).body;
  const stranger = await api.newMerchant();
  for (const key of [stranger.sandbox.secret, api.keys.live.secret]) {
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
    ] as const) {
      assert.equal((await api.call(method, `/webhooks/${webhook.id}${path}`, { key })).status, 404, `${method} ${path}`);
    }
    assert.deepEqual((await api.call('GET', '/webhooks', { key })).body.items, []);
  }
});

test('406 for a public key', async () => {
  const key = api.keys.sandbox.public;
  for (const [method, path] of [
    ['GET', '/webhooks'],
    ['POST', '/webhooks'],
    ['GET', `/webhooks/${MISSING}`],
  ] as const) {
    const { status, body } = await api.call(method, path, { key, ...(method === 'POST' ? { body: {} } : {}) });
    assert.deepEqual([status, body.message], [406, 'Private Key Required']);
  }
});

test('403 for a restricted key without the scope; write does not include read', async () => {
  const merchant = await api.newMerchant();
  const reader = (await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['webhook.read'] })).key;
  const writer = (await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['webhook.write'] })).key;
  const body = { url: 'https://shop.example/' };
  assert.equal((await api.call('POST', '/webhooks', { key: reader, body })).status, 403);
  assert.equal((await api.call('POST', '/webhooks', { key: writer, body })).status, 201);
  assert.equal((await api.call('GET', '/webhooks', { key: reader })).status, 200);
  assert.equal((await api.call('GET', '/webhooks', { key: writer })).status, 403);
});

test('422 for a seventeenth endpoint, also in 20 concurrent requests; the other environment has its own count', async () => {
  const { sandbox, live } = await api.newMerchant();
  const register = (key: string) => api.call('POST', '/webhooks', { key, body: { url: 'https://shop.example/hooks' } });
  const statuses = (await Promise.all(Array.from({ length: 20 }, () => register(sandbox.secret)))).map((answer) => answer.status);
  assert.deepEqual(statuses.sort(), [...Array(16).fill(201), ...Array(4).fill(422)]);
  const refused = await register(sandbox.secret);
  assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['url']]);
  assert.equal((await register(live.secret)).status, 201);
});
