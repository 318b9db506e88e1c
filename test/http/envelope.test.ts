import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type CallOptions, startApi, until } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 100, currency: 'XAF', phone: '1' };
const { id } = (await api.call('POST', '/payments', { body: ORDER })).body.transaction;
const TRACE = '0af7651916cd43dd8448eb211c80319c';

/** One request for every status the service answers now. */
const EVERY: [status: number, method: string, path: string, options: CallOptions][] = [
  [200, 'GET', '/payments', {}],
  [200, 'GET', `/payments/${id}`, {}],
  [201, 'POST', '/payments', { body: ORDER }],
  [202, 'POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000000' } } }],
  [400, 'POST', '/payments', { raw: '{' }],
  [400, 'DELETE', `/payments/${id}`, {}],
  [401, 'GET', '/payments', { key: null }],
  [402, 'POST', '/payments', { key: api.keys.live.secret, body: ORDER }],
  [403, 'GET', '/payments', { headers: { origin: 'https://shop.example' } }],
  [404, 'GET', '/nothing/here', {}],
  [404, 'GET', '/payments/trx_test_x', {}],
  [405, 'PUT', '/payments', {}],
  [406, 'GET', '/webhooks', { key: api.keys.sandbox.public }],
  [422, 'POST', '/payments', { body: {} }],
];

for (const [status, method, path, options] of EVERY) {
  test(`${status} ${method} ${path.slice(0, 20)}: envelope, ids and trace on the response`, async () => {
    const {
      status: answered,
      headers,
      body,
    } = await api.call(method, path, {
      ...options,
      headers: {
        ...options.headers,
        'x-request-id': `r-${status}`,
        traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
      },
    });
    assert.equal(answered, status, JSON.stringify(body));
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual([body.code, body.status, typeof body.message], [status, STATUS_CODES[status], 'string']);
    assert.deepEqual(Object.keys(body).slice(0, 3), ['code', 'status', 'message']);
    assert.notEqual(body.status.toLowerCase(), 'error');
    assert.equal(headers.get('x-request-id'), `r-${status}`);
    assert.equal(headers.get('x-trace-id'), TRACE);
    assert.match(headers.get('traceparent') ?? '', new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
    if (status === 422 || status === 409) assert.ok(Object.keys(body.errors).length > 0);
  });
}

test('204 a preflight has request and trace ids too', async () => {
  const { status, headers, body } = await api.call('OPTIONS', '/payments', { key: null });
  assert.deepEqual([status, body], [204, '']);
  assert.match(headers.get('x-request-id') ?? '', /^req_/);
  assert.match(headers.get('x-trace-id') ?? '', /^[0-9a-f]{32}$/);
});

test('ids are generated for each request that has none', async () => {
  const [a, b] = [await api.call('GET', '/payments'), await api.call('GET', '/payments', { key: null })];
  for (const { headers } of [a, b]) {
    assert.match(headers.get('x-request-id') ?? '', /^req_[0-9a-z]{26}$/);
    const trace = headers.get('x-trace-id') ?? '';
    assert.match(trace, /^[0-9a-f]{32}$/);
    assert.match(headers.get('traceparent') ?? '', new RegExp(`^00-${trace}-[0-9a-f]{16}-0[01]$`));
  }
  assert.notEqual(a.headers.get('x-request-id'), b.headers.get('x-request-id'));
  assert.notEqual(a.headers.get('x-trace-id'), b.headers.get('x-trace-id'));
});

const REQUEST_IDS: [sent: string, echoed: boolean][] = [
  ['order-7', true],
  ['a'.repeat(64), true],
  ['0f8fad5b-d9cb-469f-a165-70867728950e', true],
  ['550e8400-e29b-41d4-a716-446655440000', true],
  ['a'.repeat(65), false],
  ['a'.repeat(5_000), false],
  ['order 42, second try', true],
  ['é', false],
  ['<script>', true],
  ['4242424242424242', false],
];

for (const [sent, echoed] of REQUEST_IDS) {
  test(`X-Request-Id ${sent.slice(0, 40)} of ${sent.length} characters is ${echoed ? 'echoed' : 'replaced'}`, async () => {
    const { status, headers } = await api.call('GET', '/payments', { headers: { 'x-request-id': sent } });
    assert.equal(status, 200);
    if (echoed) assert.equal(headers.get('x-request-id'), sent);
    else assert.match(headers.get('x-request-id') ?? '', /^req_/);
  });
}

test('the request id and the key id are stored with the payment that the request created', async () => {
  const { id: key_id, key } = await api.newKey(api.team, 'sandbox', 'secret');
  const { body } = await api.call('POST', '/payments', {
    key,
    body: ORDER,
    headers: { 'x-request-id': 'audit-1' },
  });
  const rows = await api.deps.stores.sandbox.db.all(
    sql`select request_id, key_id from payments where id = ${body.transaction.id}`,
  );
  assert.deepEqual(rows, [{ request_id: 'audit-1', key_id }]);
});

test('health responds without a key, in the envelope', async () => {
  const live = await api.call('GET', '/health/live', { key: null });
  assert.deepEqual([live.status, live.body.code, live.body.status], [200, 200, 'OK']);
  // A database that answers late on a busy machine is said to be slow.
  const ready = await until(
    () => api.call('GET', '/health/ready', { key: null }),
    (answer) => answer.body.checks.sandbox === 'ok',
  );
  assert.deepEqual([ready.status, ready.body.checks.sandbox], [200, 'ok']);
});
