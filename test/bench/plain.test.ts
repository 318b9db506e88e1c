import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { newPayment, type Team } from '../../bench/plain/payment.ts';
import { Prepared } from '../../bench/plain/prepared.ts';
import { type PlainService, startPlain } from '../../bench/plain/service.ts';
import { CREATE } from '../../bench/plain/statements.ts';
import { type Databases, emptyDatabases } from '../setup/databases.ts';

const SCHEMA = path.join(import.meta.dirname, '..', '..', 'bench', 'plain', 'schema.sql');
const LIMIT = { timeout: 60_000 };
const [SHOP, OTHER_SHOP, READER] = ['sk_test.shop', 'sk_test.other', 'sk_test.reader'] as const;
const TEAMS: [string, Team][] = [
  [SHOP, { team_id: 1, endpoints: [7, 8] }],
  [OTHER_SHOP, { team_id: 2, endpoints: [] }],
  [READER, { team_id: 3, endpoints: [] }],
];
const BODY = { amount: 25_000, currency: 'XAF', phone: '+237650000000', reference: 'order-1', metadata: { order: 'A-1' } };

let databases: Databases;
let db: pg.Client;
let service: PlainService;

before(async () => {
  databases = await emptyDatabases();
  db = new pg.Client({ connectionString: databases.sandbox });
  await db.connect();
  await db.query(fs.readFileSync(SCHEMA, 'utf8'));
  service = await startPlain({ url: databases.sandbox, pool: 4, keys: TEAMS });
}, LIMIT);

after(async () => {
  await service.stop();
  await db.end();
  await databases.drop();
}, LIMIT);

// biome-ignore lint/suspicious/noExplicitAny: the body of any response
type Body = any;

async function call(method: string, where: string, key: string, headers: Record<string, string> = {}, body?: string | object) {
  const response = await fetch(`http://127.0.0.1:${service.port}${where}`, {
    method,
    headers: { authorization: key, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const post = (key: string, idempotency_key: string, body: string | object = BODY) =>
  call('POST', '/payments', key, { 'idempotency-key': idempotency_key }, body);

async function get(where: string, key: string): Promise<Body> {
  return JSON.parse((await call('GET', where, key)).text);
}

test('the plain service creates a payment with its key, its event and a delivery for each endpoint', LIMIT, async () => {
  const { status, headers, text } = await post(SHOP, 'key-create');
  assert.equal(status, 201);
  for (const name of ['x-request-id', 'x-trace-id', 'traceparent']) assert.ok(headers.get(name), name);
  const { transaction, authorization_token, authorization_url, ...envelope } = JSON.parse(text);
  assert.deepEqual(envelope, { code: 201, status: 'Created', message: 'Payment created' });
  assert.ok(authorization_url.endsWith(authorization_token));
  const { id, created_at, ...rest } = transaction;
  assert.deepEqual(rest, {
    reference: 'order-1',
    amount: 25_000,
    currency: 'XAF',
    status: 'pending',
    description: null,
    sandbox: true,
  });
  const uuid = id.replace('trx_test_', '');
  const { rows } = await db.query(
    `select e.body, (select count(*)::integer from deliveries d where d.event_id = e.id) as deliveries,
      (select count(*)::integer from idempotency_keys k where k.payment_id = e.payment_id) as keys
    from events e where payment_id = $1`,
    [uuid],
  );
  assert.deepEqual([rows.length, rows[0].deliveries, rows[0].keys], [1, 2, 1]);
  const event = JSON.parse(rows[0].body);
  const found = await get(`/payments/${id}`, SHOP);
  assert.deepEqual(event.data, found.transaction, 'the event has what GET /payments/{id} returns');
  assert.deepEqual([event.pending_webhooks, found.transaction.metadata], [2, { order: 'A-1' }]);
  assert.equal(found.transaction.created_at, created_at);
});

test('the plain service returns the same response for the same key and body, also to concurrent requests', LIMIT, async () => {
  const { text } = await post(SHOP, 'key-again');
  const again = await post(SHOP, 'key-again');
  assert.deepEqual([again.status, again.text], [201, text]);
  const together = await Promise.all(Array.from({ length: 30 }, () => post(SHOP, 'key-together')));
  assert.deepEqual([...new Set(together.map(({ status }) => status))], [201]);
  assert.equal(new Set(together.map((one) => one.text)).size, 1);
  const other = await post(OTHER_SHOP, 'key-again');
  assert.equal(other.status, 201);
  assert.notEqual(other.text, text, 'a key is a team’s own');
});

test('the plain service rejects a key with another body, a missing key and a malformed key', LIMIT, async () => {
  await post(SHOP, 'key-reused');
  const { rows } = await db.query('select count(*) from payments');
  const answers = [
    await post(SHOP, 'key-reused', { ...BODY, amount: 25_001 }),
    await call('POST', '/payments', SHOP, {}, BODY),
    await post(SHOP, 'with a blank'),
  ];
  for (const { status, text } of answers) {
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(JSON.parse(text).errors), ['idempotency_key']);
  }
  assert.deepEqual((await db.query('select count(*) from payments')).rows, rows, 'nothing was written');
});

test('the plain service rejects what the contract does not allow, by field', LIMIT, async () => {
  const cases: [string, object][] = [
    ['amount', { ...BODY, amount: 0 }],
    ['amount', { ...BODY, amount: '25000' }],
    ['currency', { ...BODY, currency: 'XXX' }],
    ['email', { amount: 1, currency: 'XAF' }],
    ['email', { ...BODY, email: 'nobody' }],
    ['customer.email', { amount: 1, currency: 'XAF', customer: { email: 'nobody' } }],
    ['customer_id', { ...BODY, customer_id: 'c'.repeat(65) }],
    ['phone', { ...BODY, phone: 237 }],
    ['description', { ...BODY, description: 'd'.repeat(501) }],
    ['reference', { ...BODY, reference: 'r'.repeat(129) }],
    ['callback', { ...BODY, callback: 'not a URL' }],
    ['expires.in', { ...BODY, expires: { in: 4 } }],
    ['metadata', { ...BODY, metadata: [] }],
    ['items.0.quantity', { ...BODY, items: [{ quantity: -1 }] }],
    ['bearer', { ...BODY, bearer: 'payer' }],
    ['body', { ...BODY, description: 'NUL \0' }],
    ['body', { ...BODY, metadata: { half: '\ud800' } }],
  ];
  for (const [i, [field, body]] of cases.entries()) {
    const { status, text } = await post(SHOP, `key-invalid-${i}`, body);
    assert.equal(status, 422, text);
    assert.deepEqual(Object.keys(JSON.parse(text).errors), [field]);
  }
  assert.equal((await post(SHOP, 'key-json', '{')).status, 400);
  assert.equal((await post('sk_test.unknown', 'key-401')).status, 401);
});

test('the plain service finds a payment only for its own team', LIMIT, async () => {
  const { id } = JSON.parse((await post(SHOP, 'key-own')).text).transaction;
  assert.equal((await get(`/payments/${id}`, SHOP)).transaction.id, id);
  assert.equal((await get(`/payments/${id}`, OTHER_SHOP)).code, 404);
  assert.equal((await get('/payments/order-1', SHOP)).code, 404);
});

test('the plain service lists payments newest first, by page and by cursor in both directions', LIMIT, async () => {
  const ids: string[] = [];
  for (let i = 0; i < 30; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2)); // ids of one millisecond have no order
    ids.unshift(JSON.parse((await post(READER, `key-${i}`)).text).transaction.id);
  }
  const idsOf = ({ items }: Body) => items.map(({ id }: Body) => id);
  const first = await get('/payments', READER);
  assert.deepEqual(idsOf(first), ids.slice(0, 25));
  assert.deepEqual(first.meta, { current_page: 1, last_page: 2, per_page: 25, total: 30 });
  assert.deepEqual(idsOf(await get('/payments?page=2', READER)), ids.slice(25));
  assert.equal((await get('/payments?page=3', READER)).meta.total, 30, 'also past the end');

  const newest = await get('/payments?cursor=&per_page=10', READER);
  assert.deepEqual([newest.meta.prev_cursor, newest.meta.has_more], [null, true]);
  const older = await get(`/payments?cursor=${newest.meta.next_cursor}&per_page=10`, READER);
  const oldest = await get(`/payments?cursor=${older.meta.next_cursor}&per_page=10`, READER);
  assert.deepEqual([...idsOf(newest), ...idsOf(older), ...idsOf(oldest)], ids);
  assert.equal(oldest.meta.has_more, false);
  const back = await get(`/payments?cursor=${oldest.meta.prev_cursor}&per_page=10`, READER);
  assert.deepEqual(idsOf(back), idsOf(older));
  for (const query of ['per_page=101', 'page=0', 'cursor=nonsense', 'cursor=&page=1'])
    assert.equal((await get(`/payments?${query}`, READER)).code, 422, query);
});

test('the plain insert loop writes the rows of a payment, and fails when the statement writes none', LIMIT, async () => {
  const key = 'key-of-the-loop';
  const { row, values } = newPayment({ team_id: 9, endpoints: [1] }, key, Buffer.alloc(32), BODY, Date.now());
  const template = values.map((value) => (value === key ? { length: key.length } : value));
  const statement = await Prepared.on(databases.sandbox, CREATE, template);
  try {
    await statement.run([key]);
    const { rows } = await db.query('select id, reference from payments where team_id = 9');
    assert.deepEqual(rows, [{ id: row.id.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'), reference: 'order-1' }]);
    await assert.rejects(statement.run([key]), /returned no row/);
  } finally {
    await statement.close();
  }
});
