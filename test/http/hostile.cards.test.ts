import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 100, currency: 'XAF', phone: '1' };
const { db } = api.deps.stores.sandbox;
const CARD = '4242424242424242';
const FULL_WIDTH = [...CARD].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
const grouped = (mark: string) => CARD.replace(/(\d{4})(?=\d)/g, `$1${mark}`);
const DEEP = Array.from({ length: 10 }).reduce<object>((inner) => ({ in: inner }), { at: CARD });

/** On POST /payments: the path that the 422 has to name. */
const ON_CREATE: [what: string, body: object, path: string][] = [
  ['in the description', { description: `card ${CARD}` }, 'description'],
  ['in groups with spaces', { description: grouped(' ') }, 'description'],
  ['in groups with dashes', { reference: grouped('-') }, 'reference'],
  ['in groups with dots', { name: grouped('.') }, 'name'],
  ['before its expiry and code', { description: `${grouped(' ')} 12/27 123` }, 'description'],
  ['in full-width digits', { description: FULL_WIDTH }, 'description'],
  ['as a number in metadata', { metadata: { n: Number(CARD) } }, 'metadata.n'],
  ['as the amount', { amount: Number(CARD) }, 'amount'],
  ['as a field name in metadata', { metadata: { [CARD]: true } }, 'metadata'],
  ['as a field name of the body', { [grouped(' ')]: 1 }, 'body'],
  ['10 deep in metadata', { metadata: DEEP }, `metadata.${'in.'.repeat(10)}at`],
  ['in a list in metadata', { metadata: { list: [1, [CARD]] } }, 'metadata.list.1.0'],
  ['in an item’s name', { items: [{}, { name: CARD }] }, 'items.1.name'],
  ['in an item’s description', { items: [{ description: `paid by ${grouped('-')}` }] }, 'items.0.description'],
  ['in the callback', { callback: `https://shop.example/?card=${CARD}` }, 'callback'],
  ['in the e-mail', { email: `${CARD}@shop.example` }, 'email'],
  ['in the customer id', { customer_id: CARD }, 'customer_id'],
  ['16 digits as the phone', { phone: CARD }, 'phone'],
  ['16 digits as the customer’s phone', { customer: { phone: grouped(' ') } }, 'customer.phone'],
  ['in theming', { theming: { title: CARD } }, 'theming.title'],
  ['in telemetry', { telemetry: { note: CARD } }, 'telemetry.note'],
  ['in a field nobody knows', { note: CARD }, 'note'],
  ['in metadata under account_number', { metadata: { account_number: CARD } }, 'metadata.account_number'],
  ['in metadata under otp', { metadata: { otp: CARD } }, 'metadata.otp'],
  ['a field named card_number', { metadata: { card_number: 'x' } }, 'metadata.card_number'],
  ['a field named cvv', { cvv: '123' }, 'cvv'],
  ['a field named securityCode', { metadata: { securityCode: 123 } }, 'metadata.securityCode'],
  ['a field named PIN', { customer: { PIN: '0000' } }, 'customer.PIN'],
  ['a card object', { card: { number: '4242', exp_month: 12, exp_year: 2027 } }, 'card.number'],
  ['under a name that only other operations have', { account_number: CARD }, 'account_number'],
  ['as a number under such a name', { recipient: Number(CARD) }, 'recipient'],
];

for (const [what, body, path] of ON_CREATE) {
  test(`422 raw_card_data_not_accepted on create: ${what}`, async () => {
    const answer = await api.call('POST', '/payments', { body: { ...ORDER, ...body } });
    assert.deepEqual([answer.status, answer.body.error_code], [422, 'raw_card_data_not_accepted'], JSON.stringify(answer.body));
    assert.ok(Object.hasOwn(answer.body.errors, path), Object.keys(answer.body.errors).join());
    assert.doesNotMatch(
      JSON.stringify(answer.body).normalize('NFKC').replace(/[ .-]/g, ''),
      /4242/,
      'the value is not given back',
    );
  });
}

/** On POST /payments/{id}. */
const ON_CHARGE: [what: string, body: object, path: string][] = [
  ['card number, expiry and code in data', { data: { number: CARD, expiry: '12/27', cvc: '123' } }, 'data.number'],
  ['a card object', { card: { number: '4242', cvc: '123' } }, 'card.number'],
  ['a card number in the channel', { channel: CARD }, 'channel'],
  ['a card number in client_ip', { client_ip: CARD }, 'client_ip'],
  ['a PIN', { data: { phone: '650000000', pin: '1234' } }, 'data.pin'],
  ['a PIN as a number', { pin: 1234 }, 'pin'],
  ['pan in upper case', { data: { PAN: 'x' } }, 'data.PAN'],
  ['a card number under a name that only other operations have', { account_number: CARD }, 'account_number'],
  ['the same in an object', { beneficiary: { account_number: grouped(' ') } }, 'beneficiary.account_number'],
  ['a number of 13 digits as a phone of the body', { phone: '4222222222222' }, 'phone'],
  ['a card number in a field nobody knows', { data: { phone: '650000000', note: grouped('-') } }, 'data.note'],
];

for (const [what, body, path] of ON_CHARGE) {
  test(`422 raw_card_data_not_accepted on charge: ${what}, and the payment is still pending`, async () => {
    const { id } = (await api.call('POST', '/payments', { body: ORDER })).body.transaction;
    const answer = await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.card', ...body } });
    assert.deepEqual([answer.status, answer.body.error_code], [422, 'raw_card_data_not_accepted'], JSON.stringify(answer.body));
    assert.ok(Object.hasOwn(answer.body.errors, path), Object.keys(answer.body.errors).join());
    assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'pending');
  });
}

/** Phone numbers of 13 digits that start as cards do and pass the check sum. */
const PHONES = ['2348030000007', '+2250700000003', '4222222222222', '+234 803 000 0007', '2348030000015'];

for (const phone of PHONES) {
  test(`201 the phone ${phone}, which passes the check sum of cards, in every phone field`, async () => {
    for (const body of [{ phone }, { phone: undefined, customer: { phone } }, { shipping: { phone } }]) {
      assert.equal((await api.call('POST', '/payments', { body: { ...ORDER, ...body } })).status, 201, JSON.stringify(body));
    }
  });
}

test('202 phones and accounts that pass the check sum can be charged', async () => {
  const charges: [currency: string, body: object][] = [
    ['NGN', { channel: 'ng.mtn', data: { phone: '2348030000007' } }],
    ['XOF', { channel: 'ci.orange', data: { phone: '+2250700000003' } }],
    ['XAF', { channel: 'cm.bank', data: { account_number: CARD } }],
  ];
  for (const [currency, body] of charges) {
    const { id } = (await api.call('POST', '/payments', { body: { ...ORDER, amount: 1000, currency } })).body.transaction;
    const { status, body: answer } = await api.call('POST', `/payments/${id}`, { body });
    assert.equal(status, 202, JSON.stringify(answer));
  }
});

const HARMLESS: [what: string, body: object][] = [
  ['a number that fails the check sum', { reference: '4242424242424241' }],
  ['a UUID', { reference: '550e8400-e29b-41d4-a716-446655440000' }],
  ['a moment', { metadata: { at: '2026-11-21T04:05:06.789Z' } }],
  ['an order number of 12 digits', { reference: '424242424242' }],
  ['expires beside number', { expires: { in: 60 }, metadata: { number: '12' } }],
  ['words that hold pin and pan', { metadata: { shipping: 'x', company: 'y', pinned: true, expansion: 1 } }],
  ['the largest amount', { amount: 50_000_000 }],
];

for (const [what, body] of HARMLESS) {
  test(`201 ${what} is no card`, async () => {
    const answer = await api.call('POST', '/payments', { body: { ...ORDER, ...body } });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
  });
}

test('every field with card data is named in one response', async () => {
  const { body } = await api.call('POST', '/payments', {
    body: { ...ORDER, name: CARD, cvc: '1', metadata: { a: CARD } },
  });
  assert.deepEqual(Object.keys(body.errors).sort(), ['cvc', 'metadata.a', 'name']);
});

test('nothing of a rejected request is stored', async () => {
  const rows = await db.all<{ row: string }>(sql`select p::text as row from payments p`);
  assert.ok(rows.length > 0);
  const kept = rows.map(({ row }) => row.normalize('NFKC').replace(/[ .-]/g, '')).filter((row) => row.includes(CARD));
  assert.deepEqual(kept, []);
});

test('422 a card number in an Idempotency-Key or reference: the error names the header or field, never the number', async () => {
  for (const key of [CARD, grouped('-'), `order_${grouped('.')}`]) {
    const headers = { 'idempotency-key': key };
    const { status, body } = await api.call('POST', '/payments', { body: ORDER, headers });
    assert.deepEqual([status, body.error_code], [422, 'idempotency_key_invalid']);
    assert.match(body.message, /looks like it holds a card number/);
    assert.doesNotMatch(JSON.stringify(body), /4242/);
  }
  const { body } = await api.call('POST', '/payments', { body: { ...ORDER, reference: grouped(' ') } });
  assert.match(body.message, /reference looks like it holds a card number/);
  assert.match(body.errors.reference[0], /looks like it holds a card number/);
});

test('201 an Idempotency-Key and a reference of numbered groups that pass the check sum', async () => {
  const name = 'l33-129-62.583429';
  const answer = await api.call('POST', '/payments', {
    body: { ...ORDER, reference: name },
    headers: { 'idempotency-key': name },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
});

test('a number with a card prefix that no issuer uses is rejected on charge and accepted elsewhere', async () => {
  const unissued = '3100000000000003';
  const created = await api.call('POST', '/payments', { body: { ...ORDER, reference: unissued } });
  assert.equal(created.status, 201);
  const body = { channel: 'cm.mtn', data: { phone: '650000000' }, note: unissued };
  const charged = await api.call('POST', `/payments/${created.body.transaction.id}`, { body });
  assert.deepEqual([charged.status, charged.body.error_code], [422, 'raw_card_data_not_accepted']);
});
