import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HINTS } from '../../src/tenants/api/hints.ts';
import { type CallOptions, startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const sandbox = api.keys.sandbox;
const live = api.keys.live;
const limited = (await api.newKey(api.team, 'sandbox', 'restricted', { scopes: ['refund.read'] })).key;
const ULID = '01kzzzzzzzzzzzzzzzzzzzzzzz';
const ALONE = 'Send the API key alone as the value of the Authorization header, without';
const FORM = 'An API key begins with pk., sk. or rk. (live), or with pk_test., sk_test. or rk_test. (sandbox).';
const LIVE_ID =
  'An id in this request is a live one, and the API key is a sandbox key: resources of one environment do not exist in the other.';
const SANDBOX_ID =
  'An id in this request is a sandbox one, and the API key is a live key: resources of one environment do not exist in the other.';
const SYNTAX = 'JSON needs double quotes around names and texts, and takes no comments and no comma after the last entry.';
const AS_JSON = 'Send the body as JSON, not as a form: {"amount": 25000, "currency": "XAF"}.';
const REFUND = { reason: 'duplicate' };
const NO_KEY = 'API key missing: send it as the sole value of the Authorization header.';
const UNKNOWN_KEY = 'API key unknown, revoked, inactive or expired.';

/** A mistake: the request, the status and message of the contract, and the hint; null: there is none. */
type Row = [
  mistake: string,
  method: string,
  path: string,
  options: CallOptions,
  status: number,
  message: string,
  hint: string | null,
];

const ROWS: Row[] = [
  ['Bearer', 'GET', '/balance', { key: `Bearer ${sandbox.secret}` }, 401, UNKNOWN_KEY, `${ALONE} "Bearer".`],
  ['bearer', 'GET', '/balance', { key: `bearer ${sandbox.secret}` }, 401, UNKNOWN_KEY, `${ALONE} "Bearer".`],
  ['Basic', 'GET', '/balance', { key: `Basic ${btoa(`${sandbox.secret}:`)}` }, 401, UNKNOWN_KEY, `${ALONE} "Basic".`],
  ['a key in quotes', 'GET', '/balance', { key: `"${sandbox.secret}"` }, 401, UNKNOWN_KEY, `${ALONE} quotes.`],
  ['a key of another service', 'GET', '/balance', { key: 'sk_test_4f7Kq2mZ8xW1cV5b' }, 401, UNKNOWN_KEY, FORM],
  [
    'a key that is cut',
    'GET',
    '/balance',
    { key: sandbox.secret.slice(0, -1) },
    401,
    UNKNOWN_KEY,
    'Check that the API key is complete, was issued by this server and was not revoked.',
  ],
  [
    'a key in another header',
    'GET',
    '/balance',
    { key: null, headers: { 'x-api-key': sandbox.secret } },
    401,
    NO_KEY,
    'Send the API key in the Authorization header, not in X-Api-Key.',
  ],
  ['no key', 'GET', '/balance', { key: null }, 401, NO_KEY, null],
  [
    'a missing scope',
    'GET',
    '/payments',
    { key: limited },
    403,
    'The key lacks the scope payment.read.',
    'Use a restricted key that has the scope payment.read, or a secret key on your server.',
  ],
  [
    'a sandbox key for invoices',
    'GET',
    '/invoices',
    {},
    403,
    'This feature exists in the live environment only.',
    'This operation needs a live key (sk.… or rk.…); this is a sandbox key (sk_test.…).',
  ],
  ['a live id, a sandbox key', 'GET', `/payments/trx_${ULID}`, {}, 404, 'Payment Not Found', LIVE_ID],
  ['a sandbox id, a live key', 'GET', `/payments/trx_test_${ULID}`, { key: live.secret }, 404, 'Payment Not Found', SANDBOX_ID],
  ['a public key too', 'GET', `/payments/trx_${ULID}`, { key: sandbox.public }, 404, 'Payment Not Found', LIVE_ID],
  ['a live customer', 'PATCH', `/customers/cus_${ULID}`, { body: { name: 'Awa' } }, 404, 'Customer Not Found', LIVE_ID],
  [
    'a live id in the body',
    'POST',
    '/refunds',
    { body: { ...REFUND, payment: `trx_${ULID}` } },
    404,
    'Payment Not Found',
    LIVE_ID,
  ],
  ['a live account in X-Sync', 'GET', '/balance', { headers: { 'x-sync': `acct_${ULID}` } }, 404, 'Account Not Found', LIVE_ID],
  ['an unknown id', 'GET', `/payments/trx_test_${ULID}`, {}, 404, 'Payment Not Found', null],
  [
    'a reference instead of an id',
    'GET',
    '/payments/order-1042',
    {},
    404,
    'Payment Not Found',
    'The id in this path begins with trx_test_; your own reference and other ids do not find it.',
  ],
  [
    'an id of something else',
    'GET',
    `/transfers/trx_${ULID}`,
    { key: live.secret },
    404,
    'Transfer Not Found',
    'The id in this path begins with po_; your own reference and other ids do not find it.',
  ],
  ['a path in the singular', 'POST', '/payment', {}, 404, 'Resource Not Found', 'There is no such path: did you mean /payments?'],
  [
    'a version in the path',
    'GET',
    '/api/v1/payments?page=1',
    {},
    404,
    'Resource Not Found',
    'There is no such path: did you mean /payments?',
  ],
  [
    'two slashes at the end',
    'GET',
    '/payments//',
    {},
    404,
    'Resource Not Found',
    'There is no such path: did you mean /payments?',
  ],
  ['a path like no other', 'GET', '/zzzzzzzzzzzz', {}, 404, 'Resource Not Found', null],
  ['an unknown path below a known one', 'GET', '/payments/a/b/c', {}, 404, 'Resource Not Found', null],
  [
    'a public key',
    'POST',
    '/refunds',
    { key: sandbox.public, body: {} },
    406,
    'Private Key Required',
    'This operation needs a secret (sk_test.…) or restricted key (rk_test.…) on your server; this is a public one (pk_test.…).',
  ],
  [
    'a live public key',
    'GET',
    '/balance',
    { key: live.public },
    406,
    'Private Key Required',
    'This operation needs a secret (sk.…) or restricted key (rk.…) on your server; this is a public one (pk.…).',
  ],
  [
    'no body',
    'POST',
    '/payments',
    {},
    400,
    'The body must be a JSON object.',
    'Send the fields as a JSON object in the body of the request.',
  ],
  [
    'a list',
    'POST',
    '/payments',
    { body: [{}] },
    400,
    'The body must be a JSON object.',
    'Send one JSON object, not a list: each request creates or changes one resource.',
  ],
  [
    'JSON in JSON',
    'POST',
    '/payments',
    { body: '{"amount":100}' },
    400,
    'The body must be a JSON object.',
    'Send a JSON object; a body in quotes was encoded as JSON twice.',
  ],
  ['a form', 'POST', '/payments', { raw: 'amount=100&currency=XAF' }, 400, 'The body is not valid JSON.', AS_JSON],
  ['a multipart form', 'POST', '/payments', { raw: '--x\r\nContent-Disposition' }, 400, 'The body is not valid JSON.', AS_JSON],
  ['single quotes', 'POST', '/payments', { raw: "{'amount': 100}" }, 400, 'The body is not valid JSON.', SYNTAX],
  ['a comma too many', 'POST', '/payments', { raw: '{"amount": 100,}' }, 400, 'The body is not valid JSON.', SYNTAX],
  [
    'a field of another API that was required',
    'POST',
    '/payments',
    { body: { amount_total: 100, currency: 'XAF', phone: '650000000' } },
    422,
    'amount: is required',
    'amount_total is not a field of this operation: did you mean amount?',
  ],
  [
    'a misspelt payer',
    'POST',
    '/payments',
    { body: { amount: 100, currency: 'XAF', e_mail: 'awa@example.com' } },
    422,
    'email: one of email, phone, customer_id or customer (with email or phone) is required',
    'e_mail is not a field of this operation: did you mean email?',
  ],
  [
    'an unknown field beside the rejected one, which was sent',
    'POST',
    '/payments',
    { body: { amount: 0, amount_total: 100, currency: 'XAF', customer: { email: 'x', mail: 'awa@example.com' } } },
    422,
    'amount: must be >= 0.01; customer.email: must be a valid e-mail address',
    null,
  ],
  [
    'an unknown field that has nothing to do with the error',
    'POST',
    '/payments',
    { body: { amount: 0, currency: 'XAF', phone: '650000000', colour: 'red' } },
    422,
    'amount: must be >= 0.01',
    null,
  ],
];

for (const [mistake, method, path, options, status, message, hint] of ROWS) {
  test(`${status} ${mistake}`, async () => {
    const { body, ...answer } = await api.call(method, path, options);
    assert.deepEqual([answer.status, body.code, body.message, body.hint ?? null], [status, status, message, hint]);
  });
}

test('every hint is sent by one of these mistakes', () => {
  const sent = ROWS.map(([, , , , status, , hint]) => `${status} ${hint}`);
  for (const { status, text } of Object.values(HINTS)) {
    const form = new RegExp(`^${status} ${text.replace(/[.()"?+*[\]^$|\\]/g, '\\$&').replace(/\{\w+\}/g, '.+')}$`);
    assert.ok(
      sent.some((line) => form.test(line)),
      text,
    );
  }
});

test('no hint repeats a key, wherever it was sent', async () => {
  const places: [string, CallOptions][] = [
    ['/payments', { key: `Bearer ${sandbox.secret}` }],
    [`/payments/${sandbox.secret}`, {}],
    [`/${sandbox.secret}`, {}],
    ['/payments', { headers: { 'x-sync': sandbox.secret } }],
    ['/payments', { body: { [sandbox.secret]: 1, amount: 1 } }],
    ['/payments', { body: { amount: 100, currency: 'XAF', phone: '650000000', [sandbox.secret]: 1 } }],
  ];
  for (const [path, options] of places) {
    const { body } = await api.call(options.body ? 'POST' : 'GET', path, options);
    assert.ok(!JSON.stringify(body).includes(sandbox.secret), path);
  }
});

test("another team's id and an id that nobody has give the same answer", async () => {
  const other = await api.newMerchant();
  const order = { amount: 100, currency: 'XAF', phone: '650000000' };
  const { id } = (await api.call('POST', '/payments', { key: other.sandbox.secret, body: order })).body.transaction;
  const answers = await Promise.all([id, `trx_test_${ULID}`].map((one) => api.call('GET', `/payments/${one}`)));
  assert.deepEqual(answers[0]?.body, answers[1]?.body);
});

test('422 names every fault in its message', async () => {
  const message = async (body: object) => (await api.call('POST', '/payments', { body })).body.message;
  const payer = 'email: one of email, phone, customer_id or customer (with email or phone) is required';
  assert.equal(await message({ currency: 'XAF' }), `amount: is required; ${payer}`);
  assert.equal(await message({}), `amount, currency: is required; ${payer}`);
  assert.equal(await message({ amount: 100, currency: 'XAF' }), payer);
  const items = Array.from({ length: 400 }, () => ({ quantity: -1 }));
  const many = await message({ amount: -1, currency: 'XAF', phone: '1', items });
  assert.equal(many, 'amount: must be >= 0.01; items.0.quantity, items.1.quantity, items.2.quantity: must be >= 0');
});

test('422 a number in quotes', async () => {
  const errors = async (body: object) => (await api.call('POST', '/payments', { body })).body.errors;
  const order = { currency: 'XAF', phone: '650000000' };
  assert.deepEqual(await errors({ ...order, amount: '2500000' }), {
    amount: ['must be a number in major units, without quotes'],
  });
  assert.deepEqual(await errors({ ...order, amount: 'many' }), { amount: ['must be number'] });
  assert.deepEqual(await errors({ ...order, amount: 1, expires: { in: '60' } }), {
    'expires.in': ['must be a number, without quotes'],
  });
});
