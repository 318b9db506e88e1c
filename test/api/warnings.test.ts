// Own process: the version that it adds stays for as long as the process.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addSecondVersion, NEW, OLD } from '../versions/second.ts';
import { startApi } from '../setup/api.ts';
import { plainFetch } from '../setup/watched-fetch.ts';

const api = await startApi({ workers: false });
after(() => api.stop());
const verified = await api.newMerchant({ verification_level: 4 });

const ORDER = { amount: 25_000, currency: 'XAF', phone: '650000000' };
const IGNORED = 'is not a field of this operation and was ignored';

const post = (path: string, body: object, options: { key?: string; headers?: Record<string, string> } = {}) =>
  api.call('POST', path, { ...options, body });

async function warningsOf(path: string, body: object, options = {}): Promise<Record<string, string> | undefined> {
  const answer = await post(path, body, options);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const { warnings } = answer.body as { warnings?: { field: string; message: string }[] };
  return warnings && Object.fromEntries(warnings.map(({ field, message }) => [field, message]));
}

/** What is added to a payment, and the warnings about it. */
const PAYMENTS: [what: string, added: object, warnings: Record<string, string> | undefined][] = [
  ['nothing', {}, undefined],
  ["another API's name", { callback_url: 'https://shop.example' }, { callback_url: `${IGNORED}: did you mean callback?` }],
  ['a top-level expires_in', { expires_in: 60 }, { expires_in: `${IGNORED}: did you mean expires.in?` }],
  ['a name like no other', { zzz: 1 }, { zzz: IGNORED }],
  [
    'a slip in customer',
    { customer: { emial: 'a@example.com' } },
    { 'customer.emial': `${IGNORED}: did you mean customer.email?` },
  ],
  [
    'a field of the payment in customer',
    { customer: { metadata: {} } },
    { 'customer.metadata': `${IGNORED}: did you mean metadata?` },
  ],
  ['fields of its own in items, which are stored', { items: [{ name: 'Fan', sku: 'F-1' }, { nmae: 'Lamp' }] }, undefined],
  ['anything in metadata', { metadata: { callback_url: 1, customer: { emial: 1 } } }, undefined],
  [
    'anything in a free object',
    { address: { callback_url: 1 }, theming: { x: 1 }, shipping: { y: 1 }, telemetry: { z: 1 } },
    undefined,
  ],
  ['null for a free object', { metadata: null, theming: null }, undefined],
  ['fields named like those of every object', { toString: 1, constructor: 2 }, { constructor: IGNORED, toString: IGNORED }],
  ['a long name', { ['x'.repeat(5_000)]: 1 }, { [`${'x'.repeat(64)}…`]: IGNORED }],
];

for (const [what, added, expected] of PAYMENTS) {
  test(`201 a payment with ${what}`, async () => {
    assert.deepEqual(await warningsOf('/payments', { ...ORDER, ...added }), expected);
    assert.deepEqual(await warningsOf('/payments', { ...ORDER, ...added }, { key: api.keys.sandbox.public }), expected);
  });
}

test('at most 20 unknown fields are listed, with the number of the others', async () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`zz${String(i).padStart(4, '0')}`, 1]));
  const warnings = (await warningsOf('/payments', { ...ORDER, ...many })) as Record<string, string>;
  assert.deepEqual(Object.keys(warnings), [...Array.from({ length: 20 }, (_, i) => `zz00${String(i).padStart(2, '0')}`), 'body']);
  assert.equal(warnings.body, 'has 2980 more unknown fields, which were ignored');
});

test('every operation with a body warns, in nested objects too', async () => {
  const key = verified.live.secret;
  const customer = (await post('/customers', { email: 'awa@example.com' })).body.customer.id;
  const account = {
    name: 'Shop',
    email: 'shop@example.com',
    settlement: { channel: 'cm.mtn', account_number: '650000000', numbr: 1 },
  };
  const beneficiary = { name: 'Awa', channel: 'cm.mtn', phone: '650000000' };
  const invoice = { currency: 'XAF', customer: { email: 'a@example.com' }, items: [{ name: 'Fan', unit_price: 100, price: 5 }] };
  const calls: [string, string, object, string, string?][] = [
    ['PATCH', `/customers/${customer}`, { naem: 'Awa' }, 'naem'],
    ['PUT', `/customers/${customer}`, { email: 'awa@example.com', naem: 'Awa' }, 'naem'],
    ['POST', '/accounts', account, 'settlement.numbr'],
    ['POST', '/beneficiaries', { ...beneficiary, bank: 'x' }, 'bank'],
    ['POST', '/transfers', { amount: 100, currency: 'XAF', beneficiary: { ...beneficiary, nme: 'x' } }, 'beneficiary.nme'],
    ['POST', '/webhooks', { url: 'https://shop.example/hook', event: '*' }, 'event'],
    ['POST', '/links', { title: 'Fan', currency: 'XAF', amount: 5_000, ammount: 1 }, 'ammount', key],
    ['POST', '/invoices', invoice, 'items.0.price', key],
  ];
  for (const [method, path, body, field, with_key] of calls) {
    const answer = await api.call(method, path, { body, ...(with_key ? { key: with_key } : {}) });
    assert.ok([200, 201].includes(answer.status), `${method} ${path}: ${JSON.stringify(answer.body)}`);
    assert.deepEqual(
      answer.body.warnings?.map((warning: { field: string }) => warning.field),
      [field],
      `${method} ${path}`,
    );
  }
});

test('a charge warns', async () => {
  const { id } = (await post('/payments', ORDER)).body.transaction;
  const charged = await post(`/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000', phone_number: '1' } });
  assert.equal(charged.status, 202);
  assert.deepEqual(charged.body.warnings, [{ field: 'data.phone_number', message: `${IGNORED}: did you mean data.phone?` }]);
});

test('a replay repeats the warnings to the letter, whatever the order of the fields', async () => {
  for (const [path, body] of [
    ['/payments', { ...ORDER, zeta: 1, alpha: 2, amount: 100.5 }],
    ['/beneficiaries', { name: 'Awa', channel: 'cm.mtn', phone: '650000000', zeta: 1, alpha: 2 }],
  ] as const) {
    const send = async (sent: object) => {
      const headers = { authorization: api.keys.sandbox.secret, 'idempotency-key': 'warned' };
      const answer = await plainFetch(`${api.url}${path}`, { method: 'POST', headers, body: JSON.stringify(sent) });
      return { replayed: answer.headers.get('idempotent-replayed'), text: await answer.text() };
    };
    const first = await send(body);
    const again = await send(Object.fromEntries(Object.entries(body).toReversed()));
    assert.deepEqual([first.replayed, again.replayed], [null, 'true']);
    assert.match(first.text, /"warnings":\[.*"alpha".*"zeta"/);
    assert.equal(again.text, first.text);
  }
});

test('201 an amount with decimals of a currency without them, with a warning; 422 at its charge', async () => {
  const answer = await post('/payments', { ...ORDER, amount: 250.55 });
  const message = 'must be a whole amount to be paid: no channel moves decimals of XAF, and a charge is rejected with 422';
  assert.deepEqual([answer.status, answer.body.warnings], [201, [{ field: 'amount', message }]]);
  for (const body of [
    { channel: 'cm.mtn', data: { phone: '650000000' } },
    { channel: 'cm.card' },
    { channel: 'cm.bank', data: { account_number: '000000' } },
  ]) {
    const charged = await post(`/payments/${answer.body.transaction.id}`, body);
    assert.deepEqual([charged.status, Object.keys(charged.body.errors)], [422, ['amount']]);
  }
  assert.equal((await post('/payments', { ...ORDER, amount: 250.55, currency: 'NGN' })).body.warnings, undefined);
});

test('a version names the fields as its callers do', async () => {
  addSecondVersion();
  const create = async (version: string, body: object) => {
    const headers = { authorization: api.keys.sandbox.secret, 'x-service-version': version };
    const answer = await plainFetch(`${api.url}/payments`, { method: 'POST', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
    return (await answer.json()) as any;
  };
  const base = { currency: 'XAF', phone: '650000000' };
  assert.equal((await create(OLD, { ...base, amont: 100 })).hint, 'amont is not a field of this operation: did you mean total?');
  assert.equal((await create(NEW, { ...base, amont: 100 })).hint, 'amont is not a field of this operation: did you mean amount?');
  const [warning] = (await create(OLD, { ...base, total: 100.5 })).warnings;
  assert.equal(warning.field, 'total');
});
