import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import fc from 'fast-check';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 100, currency: 'XAF', phone: '1' };
const CHARGE = { channel: 'cm.mtn', data: { phone: '650000000' } };
const { db } = api.deps.stores.sandbox;

/** How many payments were answered with 201. */
let made = 0;

/** What was refused has left no row: as many payments and events of them as were answered (some make a customer too). */
afterEach(async () => {
  const [rows] = await db.all<Record<string, bigint>>(sql`
    select (select count(*) from payments) as payments, (select count(*) from events where type like 'payment.%') as events, (select count(*) from attempts) as attempts,
      (select count(*) from idempotency_keys) as keys`);
  assert.deepEqual(rows, { payments: BigInt(made), events: BigInt(made), attempts: 0n, keys: 0n });
});

/** Never our fault, and always the envelope. */
async function holdsUp(call: () => Promise<Answer>): Promise<Answer> {
  const answer = await call();
  assert.ok(answer.status < 500, `${answer.status} ${JSON.stringify(answer.body)}`);
  assert.equal(answer.body.code, answer.status);
  if (answer.status === 201) made++;
  if (answer.status === 422) assert.ok(Object.keys(answer.body.errors).length > 0);
  return answer;
}

/** A payment as it should be. */
async function pending(): Promise<string> {
  const { status, body } = await holdsUp(() => api.call('POST', '/payments', { body: ORDER }));
  assert.equal(status, 201);
  return body.transaction.id;
}

const FIELDS = [
  'amount',
  'currency',
  'email',
  'customer_id',
  'phone',
  'customer',
  'name',
  'description',
  'reference',
  'callback',
  'expires',
  'theming',
  'address',
  'shipping',
  'telemetry',
  'metadata',
  'items',
  'bearer',
];
const WRONG: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  [null],
  [[]],
  {},
  { '': null },
  { a: { b: [] } },
  'x'.repeat(5_000),
  '2026-02-30',
  '😀',
  "'; drop table payments; --",
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '\r\nX-Evil: 1',
];

for (const field of FIELDS) {
  test(`${field} of every wrong type: never a 5xx, and a rejected request stores nothing`, async () => {
    for (const value of WRONG) await holdsUp(() => api.call('POST', '/payments', { body: { ...ORDER, [field]: value } }));
  });
}

test('nested fields of every wrong type are never a 5xx', async () => {
  const places: ((value: unknown) => object)[] = [
    (value) => ({ customer: { email: value } }),
    (value) => ({ customer: { phone: value } }),
    (value) => ({ expires: { in: value } }),
    (value) => ({ items: [value] }),
    (value) => ({ items: [{ name: value, description: value, quantity: value }] }),
    (value) => ({ metadata: { a: value } }),
  ];
  for (const place of places) {
    for (const value of WRONG) await holdsUp(() => api.call('POST', '/payments', { body: { ...ORDER, ...place(value) } }));
  }
});

test('a charge with any field of a wrong type leaves the payment pending', async () => {
  const id = await pending();
  const bodies = [
    ...['channel', 'data', 'client_ip'].flatMap((field) => WRONG.map((value) => ({ channel: 'cm.none', [field]: value }))),
    ...['phone', 'account_number', 'otp', 'country'].flatMap((field) =>
      WRONG.map((value) => ({ channel: 'cm.none', data: { ...CHARGE.data, [field]: value } })),
    ),
  ];
  for (const body of bodies) {
    const { status } = await holdsUp(() => api.call('POST', `/payments/${id}`, { body }));
    assert.equal(status, 422);
  }
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'pending');
});

/** Any JSON text, also with names and values that have broken others before. */
const nasty = fc.oneof(
  fc.constantFrom(...WRONG),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'toJSON',
    'length',
    '$ref',
    'null',
  ),
);
const names = fc.oneof(
  fc.constantFrom(...FIELDS, 'constructor', 'toString', 'toJSON', 'then', '', '$schema', 'id'),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    nasty,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
}));

test('any JSON as the body of create and of charge: never a 5xx, and a rejected request stores nothing', async () => {
  const id = await pending();
  await fc.assert(
    fc.asyncProperty(anything, fc.boolean(), async (value, charge) => {
      const { status } = await holdsUp(() =>
        api.call('POST', charge ? `/payments/${id}` : '/payments', { raw: JSON.stringify(value) ?? '' }),
      );
      assert.ok(status >= 400, 'random JSON does not name a payer and a currency');
    }),
    { numRuns: 150 },
  );
});

test('any extra JSON in a valid order is rejected with the field named, or stored and returned unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(names, anything, { maxKeys: 6 }),
      fc.dictionary(names, anything, { maxKeys: 6 }),
      async (fields, metadata) => {
        const sent = JSON.parse(JSON.stringify({ ...fields, ...ORDER, metadata }));
        const answer = await holdsUp(() => api.call('POST', '/payments', { raw: JSON.stringify(sent) }));
        if (answer.status !== 201) return;
        const { transaction } = (await api.call('GET', `/payments/${answer.body.transaction.id}`)).body;
        assert.deepEqual(transaction.metadata, sent.metadata);
        const [event] = await db.all<{ body: Buffer }>(sql`select body from events where resource_id = ${transaction.id}`);
        assert.deepEqual(JSON.parse(unpack(event?.body as Buffer)).data, transaction);
      },
    ),
    { numRuns: 150 },
  );
});

const deep = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

const NESTED: [what: string, raw: string, status: number, field?: string][] = [
  ['20,000 values', `{"amount":1,"items":[${'1,'.repeat(20_000)}1]}`, 422, 'body'],
  ...['address', 'shipping', 'theming', 'telemetry', 'metadata'].map((field): [string, string, number, string] => {
    const raw = JSON.stringify({ ...ORDER, [field]: { a: 'x'.repeat(17_000) } });
    return [`17 KB of ${field}`, raw, 422, field];
  }),
  ['1,000 lists', `{"amount":1,"metadata":${deep(1_000, '[', ']')}}`, 422, 'metadata'],
  ['100,000 lists', `{"amount":1,"metadata":${deep(100_000, '[', ']')}}`, 422, 'metadata'],
  ['1,000 objects', `{"amount":1,"metadata":${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}}`, 422, 'metadata'],
  ['40,000 objects', `{"amount":1,"metadata":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`, 422, 'metadata'],
  ['100,000 lists as the body', deep(100_000, '[', ']'), 400],
  ['100,000 lists in a field nobody knows', `{"amount":1,"currency":"XAF","phone":"1","x":${deep(100_000, '[', ']')}}`, 422, 'x'],
];

for (const [what, raw, status, field] of NESTED) {
  test(`${status} nested: ${what}`, async () => {
    const answer = await holdsUp(() => api.call('POST', '/payments', { raw }));
    assert.equal(answer.status, status);
    if (field) assert.deepEqual(Object.keys(answer.body.errors), [field]);
  });
}

test('201 metadata nested 20 levels deep is stored unchanged', async () => {
  const metadata = JSON.parse(`${'{"a":['.repeat(10)}1${']}'.repeat(10)}`);
  const answer = await holdsUp(() => api.call('POST', '/payments', { body: { ...ORDER, metadata } }));
  const { id } = answer.body.transaction;
  assert.deepEqual((await api.call('GET', `/payments/${id}`)).body.transaction.metadata, metadata);
});

test('bodies with very many fields get a response quickly', async () => {
  const wide: string[] = [
    JSON.stringify({
      ...ORDER,
      metadata: Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, 1])),
    }),
    JSON.stringify({ ...ORDER, items: Array.from({ length: 60_000 }, () => null) }),
    `{"amount":1,"currency":"XAF","phone":"1",${'"a":1,'.repeat(40_000)}"b":2}`,
    JSON.stringify({ ...ORDER, description: '\\u0000'.repeat(30_000) }),
    JSON.stringify({ ...ORDER, email: `${'a@'.repeat(100_000)}` }),
    JSON.stringify({ ...ORDER, callback: `https://${'a.'.repeat(100_000)}` }),
    JSON.stringify({ ...ORDER, metadata: { text: '4 '.repeat(100_000) } }),
    JSON.stringify({ ...ORDER, metadata: { text: 'ﷺ'.repeat(80_000) } }),
  ];
  for (const raw of wide) {
    // Time of the processor: what passes while other processes have it does not count.
    const before = process.cpuUsage();
    await holdsUp(() => api.call('POST', '/payments', { raw }));
    const spent = process.cpuUsage(before);
    const took = Math.round((spent.user + spent.system) / 1_000);
    assert.ok(took < 3_000, `${raw.slice(0, 60)} took ${took} ms`);
  }
});

test('any text in the query is never a 5xx', async () => {
  const keys = fc.constantFrom(
    'page',
    'per_page',
    'cursor',
    'search',
    'status',
    'date_from',
    'date_to',
    'amount_min',
    'amount_max',
    'x',
  );
  const pair = fc.tuple(
    keys,
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed()),
      fc.constantFrom('1', '-1', '2026-02-28', '%', '0x1', '1e9', 'Infinity', ''),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { maxLength: 4 }), async (pairs) => {
      const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
      await holdsUp(() => api.call('GET', `/payments?${query}`));
    }),
    { numRuns: 150 },
  );
});

for (const query of [
  'search=%ED%A0%80',
  'search=%',
  'search=%zz',
  'a[b]=1',
  'page[]=1',
  'page[0]=x',
  '__proto__=1',
  'constructor=1',
  '&&&',
  '==',
  'search=%F0%9F%98%80',
]) {
  test(`a query of ${query} is no 5xx`, async () => {
    await holdsUp(() => api.call('GET', `/payments?${query}`));
  });
}
