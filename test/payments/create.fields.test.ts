import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 25000, currency: 'XAF', phone: '+237650000000' };

/** What is wrong with a body, and exactly the fields that the 422 names. */
const REFUSED: [why: string, changes: object, fields: string[]][] = [
  ['amount missing', { amount: undefined }, ['amount']],
  ['amount in quotes', { amount: '25000' }, ['amount']],
  ['amount null', { amount: null }, ['amount']],
  ['amount true', { amount: true }, ['amount']],
  ['amount a list', { amount: [1] }, ['amount']],
  ['amount 0', { amount: 0 }, ['amount']],
  ['amount negative', { amount: -1 }, ['amount']],
  ['amount 0.009', { amount: 0.009 }, ['amount']],
  ['amount with three decimals', { amount: 100.005 }, ['amount']],
  ['amount 0.1 + 0.2', { amount: 0.1 + 0.2 }, ['amount']],
  ['amount 9007199254740.01', { amount: 9_007_199_254_740.01 }, ['amount']],
  ['amount 9007199254740993', { amount: Number('9007199254740993') }, ['amount']],
  ['amount 1e300', { amount: 1e300 }, ['amount']],
  ['currency missing', { currency: undefined }, ['currency']],
  ['currency unknown', { currency: 'JPY' }, ['currency']],
  ['currency in lower case', { currency: 'xaf' }, ['currency']],
  ['currency of 4 characters', { currency: 'XAFX' }, ['currency']],
  ['currency empty', { currency: '' }, ['currency']],
  ['currency a field name of Object', { currency: 'toString' }, ['currency']],
  ['currency a number', { currency: 950 }, ['currency']],
  ['no payer', { phone: undefined }, ['customer', 'customer_id', 'email', 'phone']],
  ['customer without email and phone', { phone: undefined, customer: {} }, ['customer', 'customer_id', 'email', 'phone']],
  ['customer with a name only', { phone: undefined, customer: { name: 'Awa' } }, ['customer', 'customer_id', 'email', 'phone']],
  ['email without @', { email: 'awa' }, ['email']],
  ['email empty', { email: '' }, ['email']],
  ['email a number', { email: 1 }, ['email']],
  ['email of 256 characters', { email: `${'a'.repeat(64)}@${'b.'.repeat(93)}example` }, ['email']],
  ['email with a line break', { email: 'awa@shop.example\nBcc: x@y.z' }, ['email']],
  ['phone empty', { phone: '' }, ['phone']],
  ['phone a number', { phone: 237650000000 }, ['phone']],
  ['phone of 33 characters', { phone: '1'.repeat(33) }, ['phone']],
  ['customer_id of 65 characters', { customer_id: 'c'.repeat(65) }, ['customer_id']],
  ['customer_id a number', { customer_id: 7 }, ['customer_id']],
  ['customer a text', { customer: 'awa' }, ['customer']],
  ['customer a list', { customer: [] }, ['customer']],
  ['customer.email wrong', { customer: { email: 'awa' } }, ['customer.email']],
  ['customer.phone and customer.email wrong', { customer: { email: 1, phone: 2 } }, ['customer.email', 'customer.phone']],
  ['name of 256 characters', { name: 'n'.repeat(256) }, ['name']],
  ['name an object', { name: {} }, ['name']],
  ['description of 501 characters', { description: 'd'.repeat(501) }, ['description']],
  ['description a number', { description: 1 }, ['description']],
  ['reference of 129 characters', { reference: 'r'.repeat(129) }, ['reference']],
  ['reference a number', { reference: 12 }, ['reference']],
  ['callback no URL', { callback: 'shop.example' }, ['callback']],
  ['callback a script', { callback: 'javascript:alert(1)' }, ['callback']],
  ['callback of 2049 characters', { callback: `https://shop.example/${'c'.repeat(2049 - 21)}` }, ['callback']],
  ['callback with a space', { callback: 'https://shop example/' }, ['callback']],
  ['callback with a tab', { callback: 'https://shop.example/a\tb' }, ['callback']],
  ['callback with a line break', { callback: 'https://shop.example/\n' }, ['callback']],
  ['expires a number', { expires: 60 }, ['expires']],
  ['expires.in 4', { expires: { in: 4 } }, ['expires.in']],
  ['expires.in 43201', { expires: { in: 43201 } }, ['expires.in']],
  ['expires.in 5.5', { expires: { in: 5.5 } }, ['expires.in']],
  ['expires.in in quotes', { expires: { in: '60' } }, ['expires.in']],
  ['theming a text', { theming: 'blue' }, ['theming']],
  ['address a list', { address: [] }, ['address']],
  ['shipping a number', { shipping: 1 }, ['shipping']],
  ['telemetry true', { telemetry: true }, ['telemetry']],
  ['metadata a text', { metadata: 'x' }, ['metadata']],
  ['metadata a list', { metadata: [1] }, ['metadata']],
  ['metadata with 51 keys', { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, i])) }, ['metadata']],
  ['metadata above 16 KB', { metadata: { text: 'é'.repeat(8_200) } }, ['metadata']],
  ['items an object', { items: {} }, ['items']],
  ['an item a text', { items: ['x'] }, ['items.0']],
  ['items.1.name of 256 characters', { items: [{}, { name: 'n'.repeat(256) }] }, ['items.1.name']],
  ['items.0.description of 1001 characters', { items: [{ description: 'd'.repeat(1001) }] }, ['items.0.description']],
  ['items.0.quantity negative', { items: [{ quantity: -1 }] }, ['items.0.quantity']],
  ['items.0.quantity in quotes', { items: [{ quantity: '1' }] }, ['items.0.quantity']],
  ['bearer unknown', { bearer: 'bank' }, ['bearer']],
  ['bearer null', { bearer: null }, ['bearer']],
  ['NUL in a text', { description: 'a\u0000b' }, ['description']],
  ['NUL in metadata', { metadata: { a: { b: '\u0000' } } }, ['metadata.a.b']],
  ['NUL in a field name', { metadata: { 'a\u0000': 1 } }, ['metadata']],
  ['half a surrogate pair', { name: '\ud83d' }, ['name']],
  ['half a surrogate pair in a field name', { metadata: { '\udc00': 1 } }, ['metadata']],
  [
    'nothing at all',
    { amount: undefined, currency: undefined, phone: undefined },
    ['amount', 'currency', 'customer', 'customer_id', 'email', 'phone'],
  ],
  ['amount with three decimals and a wrong email', { amount: 1.005, email: 'x' }, ['amount', 'email']],
  [
    'metadata too large and no payer',
    { phone: undefined, metadata: { t: 'x'.repeat(17_000) } },
    ['customer', 'customer_id', 'email', 'metadata', 'phone'],
  ],
  ['metadata too large and a wrong currency', { currency: 'X', metadata: { t: 'x'.repeat(17_000) } }, ['currency', 'metadata']],
];

for (const [why, changes, fields] of REFUSED) {
  test(`422 ${why}: the error names ${fields.join(', ')}`, async () => {
    const { status, body } = await api.call('POST', '/payments', { body: { ...ORDER, ...changes } });
    assert.equal(status, 422, JSON.stringify(body));
    assert.deepEqual([body.code, body.status], [422, 'Unprocessable Entity']);
    assert.deepEqual(Object.keys(body.errors).sort(), fields);
    for (const messages of Object.values(body.errors)) {
      assert.ok(Array.isArray(messages) && messages.length > 0 && messages.every((text) => typeof text === 'string' && text));
    }
    assert.equal(typeof body.message, 'string');
    assert.equal(body.transaction, undefined);
  });
}

const RAW: [why: string, raw: string | Buffer, status: number][] = [
  ['a number too large for JSON', '{"amount":1e400,"currency":"XAF","phone":"1"}', 422],
  ['a large number too large for JSON in metadata', '{"amount":1,"currency":"XAF","phone":"1","metadata":{"n":-1e999}}', 422],
  ['nothing', '', 400],
  ['half a body', '{"amount":1', 400],
  ['null', 'null', 400],
  ['a list', `[${JSON.stringify(ORDER)}]`, 400],
  ['a text', '"x"', 400],
  ['a number', '1', 400],
  ['form fields', 'amount=1&currency=XAF', 400],
  ['two bodies', `${JSON.stringify(ORDER)}${JSON.stringify(ORDER)}`, 400],
  ['a trailing comma', '{"amount":1,}', 400],
  ['NaN', '{"amount":NaN}', 400],
  ['a comment', '{"amount":1 /* x */}', 400],
  ['invalid UTF-8', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]), 400],
  ['UTF-16', Buffer.from(JSON.stringify(ORDER), 'utf16le'), 400],
  ['__proto__', '{"__proto__":{"amount":1},"currency":"XAF","phone":"1"}', 400],
  ['constructor.prototype', '{"amount":1,"currency":"XAF","phone":"1","constructor":{"prototype":{"x":1}}}', 400],
];

for (const [why, raw, expected] of RAW) {
  test(`${expected} for a body with ${why}`, async () => {
    const { status, body } = await api.call('POST', '/payments', { raw });
    assert.equal(status, expected);
    assert.equal(body.code, expected);
    assert.ok(body.message.length > 5);
  });
}

test('the rejected requests wrote no row', async () => {
  const [row] = await api.deps.stores.sandbox.db.all<{ rows: bigint }>(sql`
    select (select count(*) from payments) + (select count(*) from events) + (select count(*) from idempotency_keys) as rows`);
  assert.equal(row?.rows, 0n);
});

test('201 for a duplicate field name: the last value counts, as usual in JSON', async () => {
  const { status, body } = await api.call('POST', '/payments', {
    raw: '{"amount":1,"amount":2,"currency":"XAF","phone":"1"}',
  });
  assert.deepEqual([status, body.transaction.amount], [201, 2]);
});

test('201 for field names of Object.prototype, which are plain names here', async () => {
  const metadata = { constructor: 'x', hasOwnProperty: 1, valueOf: null, prototype: {} };
  const { id } = (await api.call('POST', '/payments', { body: { ...ORDER, metadata } })).body.transaction;
  assert.deepEqual((await api.call('GET', `/payments/${id}`)).body.transaction.metadata, metadata);
  assert.equal(({} as Record<string, unknown>).x, undefined);
});
