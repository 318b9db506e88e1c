import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = {
  amount: 25000,
  currency: 'XAF',
  phone: '+237650000000',
  email: 'awa@shop.example',
  name: 'Awa',
  metadata: { order: 7 },
};
const created = (await api.call('POST', '/payments', { body: { ...ORDER, reference: 'order-7' } })).body.transaction;

/** The basic fields of a payment (docs/contract/envelope.md). */
const PUBLIC = [
  'id',
  'reference',
  'amount',
  'currency',
  'status',
  'channel',
  'description',
  'settled',
  'sandbox',
  'created_at',
  'reason',
  'metadata',
];
/** What a secret or restricted key sees as well. */
const FURTHER = [
  'amount_total',
  'amount_captured',
  'amount_refunded',
  'fee',
  'bearer',
  'message',
  'customer',
  'payment_method',
  'account',
  'retry_of',
  'retried_by',
  'callback',
  'items',
  'address',
  'shipping',
  'theming',
  'expires_at',
  'completed_at',
  'updated_at',
  'attempts',
];

test('200 a new payment, with every field, basic and further', async () => {
  const { status, body } = await api.call('GET', `/payments/${created.id}`);
  assert.deepEqual([status, body.code, body.status, body.message], [200, 200, 'OK', 'Payment retrieved']);
  const { transaction } = body;
  for (const field of [...PUBLIC, ...FURTHER]) assert.ok(Object.hasOwn(transaction, field), field);
  for (const [field, value] of Object.entries(created)) assert.deepEqual(transaction[field], value, field);
  assert.deepEqual(
    [
      transaction.channel,
      transaction.settled,
      transaction.reason,
      transaction.message,
      transaction.metadata,
      transaction.attempts,
    ],
    [null, false, null, null, { order: 7 }, []],
  );
  assert.deepEqual([transaction.bearer, transaction.fee, transaction.completed_at], ['merchant', 0, null]);
  assert.equal(transaction.updated_at, transaction.created_at);
});

test('200 a public key gets the basic fields and nothing else', async () => {
  const { body } = await api.call('GET', `/payments/${created.id}`, { key: api.keys.sandbox.public });
  assert.deepEqual(Object.keys(body.transaction).sort(), [...PUBLIC].sort());
  assert.equal(body.transaction.amount, 25000);
});

test('200 a public key gets no payer, attempt or provider text after a charge either', async () => {
  const key = api.keys.sandbox.public;
  const { id } = (await api.call('POST', '/payments', { key, body: ORDER })).body.transaction;
  const charged = await api.call('POST', `/payments/${id}`, {
    key,
    body: { channel: 'cm.mtn', data: { phone: '650000000' } },
  });
  assert.deepEqual([charged.status, charged.body.action], [202, { kind: 'confirm' }]);
  for (const { body } of [charged, await api.call('GET', `/payments/${id}`, { key })]) {
    assert.deepEqual(Object.keys(body.transaction).sort(), [...PUBLIC].sort());
    assert.doesNotMatch(JSON.stringify(body), /650000000|awa@shop|att_/);
  }
  const other = (await api.call('POST', '/payments', { key, body: ORDER })).body.transaction;
  const cancelled = await api.call('DELETE', `/payments/${other.id}`, { key });
  assert.deepEqual(Object.keys(cancelled.body.transaction).sort(), [...PUBLIC].sort());
});

test('200 the owner gets no payer data and no secret of the hosted page', async () => {
  const { body } = await api.call('GET', `/payments/${created.id}`);
  for (const field of ['claim', 'team_id', 'key_id', 'request_id', 'event_count', 'authorization_token']) {
    assert.equal(body.transaction[field], undefined, field);
  }
});

const NOT_FOUND = { code: 404, status: 'Not Found', message: 'Payment Not Found' };

test('404 with one body for every id that is not this team’s in this environment, on every route', async () => {
  const [other, verified] = await Promise.all([api.newMerchant(), api.newMerchant({ verification_level: 1 })]);
  const foreign = await api.call('POST', '/payments', { key: other.sandbox.secret, body: ORDER });
  const live = await api.call('POST', '/payments', { key: verified.live.secret, body: ORDER });
  assert.equal(live.status, 201);
  // The same id in the other team's rows and the other store: only the scope can tell them apart.
  const ids: [string, string][] = [
    ['unknown', newId('trx', 'sandbox', Date.now())],
    ['of another team', foreign.body.transaction.id],
    ['of the live store', live.body.transaction.id],
    ['an event', newId('evt', 'sandbox', Date.now())],
    ['its reference', 'order-7'],
    ['in upper case', created.id.toUpperCase()],
    ['with a space', `${created.id}%20`],
    ['with NUL', `${created.id}%00`],
    ['a percent sign', '%25'],
    ['SQL', `${created.id}'%20or%20'1'='1`],
    ['a path', `..%2F..%2F${created.id}`],
    ['200 characters', 'x'.repeat(200)],
  ];
  const charge = { body: { channel: 'cm.mtn', data: { phone: '650000000' } } };
  for (const [what, id] of ids) {
    for (const [method, options] of [
      ['GET', {}],
      ['DELETE', {}],
      ['POST', charge],
    ] as const) {
      const { status, body } = await api.call(method, `/payments/${id}`, options);
      const { hint, ...rest } = body;
      assert.deepEqual([status, rest], [404, NOT_FOUND], `${method} ${what}`);
      // The hint is about the text of the id: an id of the right form has none, whether it exists elsewhere or not.
      assert.equal(hint === undefined, id.startsWith('trx_test_'), `${method} ${what}`);
    }
  }
  const untouched = await api.call('GET', `/payments/${foreign.body.transaction.id}`, {
    key: other.sandbox.secret,
  });
  assert.equal(untouched.body.transaction.status, 'pending');
  const otherWay = await api.call('GET', `/payments/${created.id}`, { key: verified.live.secret });
  assert.deepEqual({ ...otherWay.body, hint: undefined }, { ...NOT_FOUND, hint: undefined });
});

test('404 also for an id of 600 characters', async () => {
  const { status, body } = await api.call('GET', `/payments/${'x'.repeat(600)}`);
  const { hint: _, ...rest } = body;
  assert.deepEqual([status, rest], [404, NOT_FOUND]);
});

test('a list never contains payments of another team or environment, whatever the query', async () => {
  const other = await api.newMerchant();
  for (const query of ['', `?search=${created.id}`, '?search=order-7', '?search=%25', '?cursor=', '?status=pending']) {
    for (const key of [other.sandbox.secret, other.live.secret, api.keys.live.secret]) {
      const { body } = await api.call('GET', `/payments${query}`, { key });
      assert.deepEqual(body.items, [], query);
      if (body.meta.total !== undefined) assert.equal(body.meta.total, 0);
    }
  }
});

test('a row with the same id in the rows of another team is not returned', async () => {
  const other = await api.newMerchant();
  const { db } = api.deps.stores.sandbox;
  await db.run(sql`
    insert into payments (team_id, id, amount_minor, currency, key_id, request_id, created_at, updated_at, expires_at)
    values (${other.team.id}, ${created.id}, 1, 'XAF', 'k', 'r', now(), now(), now() + interval '1 day')`);
  const [mine, theirs] = [
    await api.call('GET', `/payments/${created.id}`),
    await api.call('GET', `/payments/${created.id}`, { key: other.sandbox.secret }),
  ];
  assert.deepEqual([mine.body.transaction.amount, theirs.body.transaction.amount], [25000, 0.01]);
  assert.equal((await api.call('DELETE', `/payments/${created.id}`, { key: other.sandbox.secret })).status, 200);
  assert.equal((await api.call('GET', `/payments/${created.id}`)).body.transaction.status, 'pending');
});
