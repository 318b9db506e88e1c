import assert from 'node:assert/strict';
import net from 'node:net';
import { after, test } from 'node:test';
import { type CallOptions, startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 100, currency: 'XAF', phone: '1' };
const CARD = { ...ORDER, amount: 0, metadata: { note: '4242424242424242' } };
const key = api.keys.sandbox;
const elsewhere = (await api.newKey(api.team, 'sandbox', 'secret', { allowed_ips: ['10.0.0.1'] })).key;
const scopeless = (await api.newKey(api.team, 'sandbox', 'restricted')).key;
const PAGE = { origin: 'https://shop.example' };
const OLD = { 'x-service-version': '2020-01-01' };

/**
 * Requests that are wrong in many ways at once; the first check of docs/contract/order-of-checks.md that objects has to answer.
 * Each row is wrong in all that the rows below it are, so that the order is walked step by step.
 */
const STEPS: [step: string, method: string, path: string, options: CallOptions, status: number, error_code?: string][] = [
  ['401 before everything, on an unknown path', 'PUT', '/nothing', { key: null, headers: { ...PAGE, ...OLD } }, 401],
  ['401 before the body is looked at, on an unknown path', 'POST', '/nothing', { key: null, raw: '{bad' }, 401],
  ['401 before the body is looked at', 'POST', '/payments', { key: null, raw: '{bad' }, 401],
  ['401 before the size of the body', 'POST', '/payments', { key: null, raw: 'x'.repeat(300_000) }, 401],
  ['401 before the size of the body, on an unknown path', 'POST', '/nothing', { key: null, raw: 'x'.repeat(300_000) }, 401],
  ['401 before the length of an id', 'GET', `/payments/${'x'.repeat(600)}`, { key: null }, 401],
  ['401 before a malformed path', 'GET', '/payments/%zz', { key: null }, 401],
  ['400 version before a malformed path', 'GET', '/payments/%zz', { headers: OLD }, 400, 'unsupported_api_version'],
  ['404 malformed path', 'GET', '/payments/%zz', {}, 404],
  ['401 before raw card data', 'POST', '/payments', { key: 'sk_test.x', body: CARD }, 401],
  [
    '403 browser before the address',
    'PUT',
    '/nothing',
    { key: elsewhere, headers: { ...PAGE, ...OLD } },
    403,
    'secret_key_in_browser',
  ],
  ['403 address before the version', 'PUT', '/nothing', { key: elsewhere, headers: OLD }, 403, 'ip_not_allowed'],
  ['400 version before the path', 'PUT', '/nothing', { key: key.secret, headers: OLD }, 400, 'unsupported_api_version'],
  ['400 version before the method', 'PUT', '/payments', { key: key.secret, headers: OLD }, 400, 'unsupported_api_version'],
  ['400 version before the key kind', 'GET', '/webhooks', { key: key.public, headers: OLD }, 400, 'unsupported_api_version'],
  [
    '400 version before the body',
    'POST',
    '/payments',
    { key: key.secret, raw: '{bad', headers: OLD },
    400,
    'unsupported_api_version',
  ],
  ['404 path before the body', 'POST', '/nothing', { key: key.secret, raw: '{bad' }, 404],
  ['405 method before the key kind', 'DELETE', '/webhooks', { key: key.public, raw: '{bad' }, 405],
  ['405 method before the body', 'PUT', '/payments', { key: key.secret, raw: '{bad' }, 405],
  ['406 key kind before the body', 'POST', '/webhooks', { key: key.public, raw: '{bad' }, 406],
  ['403 scope before the body', 'POST', '/payments', { key: scopeless, raw: '{bad' }, 403, 'scope_missing'],
  ['400 malformed JSON before card data in it', 'POST', '/payments', { raw: '{"n":"4242424242424242"' }, 400],
  ['400 not an object before card data in it', 'POST', '/payments', { body: [CARD] }, 400],
  [
    '422 card data before validation',
    'POST',
    '/payments',
    { body: CARD, headers: { 'idempotency-key': 'a b' } },
    422,
    'raw_card_data_not_accepted',
  ],
  [
    '422 card data before existence',
    'POST',
    '/payments/trx_test_x',
    { body: { channel: 'x', cvc: '1' } },
    422,
    'raw_card_data_not_accepted',
  ],
  ['422 validation before existence', 'POST', '/payments/trx_test_x', { body: { channel: 7 } }, 422],
  [
    '422 channel before existence',
    'POST',
    '/payments/trx_test_x',
    { body: { channel: 'cm.none' } },
    422,
    'channel_not_supported',
  ],
  [
    '422 the idempotency key before existence',
    'POST',
    '/payments/trx_test_x',
    { body: { channel: 'cm.card' }, headers: { 'idempotency-key': 'a b' } },
    422,
    'idempotency_key_invalid',
  ],
  ['422 validation before 402', 'POST', '/payments', { key: api.keys.live.secret, body: { ...ORDER, amount: 0 } }, 422],
  [
    '422 the idempotency key before 402',
    'POST',
    '/payments',
    { key: api.keys.live.secret, body: ORDER, headers: { 'idempotency-key': 'a b' } },
    422,
    'idempotency_key_invalid',
  ],
];

for (const [step, method, path, options, status, error_code] of STEPS) {
  test(step, async () => {
    const answer = await api.call(method, path, options);
    assert.deepEqual([answer.status, answer.body.error_code], [status, error_code], JSON.stringify(answer.body));
  });
}

test('422 validation is reported before a malformed idempotency key', async () => {
  const { body } = await api.call('POST', '/payments', {
    body: { ...ORDER, amount: 0 },
    headers: { 'idempotency-key': 'a b' },
  });
  assert.deepEqual(Object.keys(body.errors), ['amount']);
});

const METHODS: [path: string, allow: string, wrong: string[]][] = [
  ['/payments', 'GET, POST', ['PUT', 'PATCH', 'DELETE']],
  ['/payments/trx_test_x', 'GET, DELETE, POST', ['PUT', 'PATCH']],
  ['/channels', 'GET', ['POST', 'PUT', 'PATCH', 'DELETE']],
];

for (const [path, allow, wrong] of METHODS) {
  for (const method of wrong) {
    test(`405 ${method} ${path}, with Allow`, async () => {
      const { status, headers, body } = await api.call(method, path);
      assert.deepEqual([status, body.code, body.status], [405, 405, 'Method Not Allowed']);
      assert.deepEqual(new Set(headers.get('allow')?.split(', ')), new Set(allow.split(', ')));
    });
  }
}

test('405 HEAD, like every method that a path does not have', async () => {
  const { status, headers } = await api.call('HEAD', '/payments');
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, POST']);
});

for (const path of [
  '/',
  '/payment',
  '/payments/x/y',
  '/Payments',
  '/refunds/x/y/z',
  '/favicon.ico',
  '/payments//',
  '/.env',
  '/payments/',
  '/refunds/',
]) {
  test(`404 Resource Not Found for ${path}`, async () => {
    const { status, body } = await api.call('GET', path);
    const { hint: _, ...rest } = body;
    assert.deepEqual([status, rest], [404, { code: 404, status: 'Not Found', message: 'Resource Not Found' }]);
  });
}

test('404 an empty id is no resource, whatever the method; 401 without a key', async () => {
  for (const method of ['POST', 'DELETE', 'PUT']) {
    const { status, body } = await api.call(method, '/payments/', method === 'DELETE' ? {} : { body: {} });
    assert.deepEqual([status, body.message], [404, 'Resource Not Found']);
  }
  assert.equal((await api.call('GET', '/payments/', { key: null })).status, 401);
});

test('every response after the check of the version names it', async () => {
  const REFUSED: [number, string, string, string][] = [
    [404, 'GET', '/nothing', key.secret],
    [405, 'DELETE', '/webhooks', key.secret],
    [406, 'GET', '/webhooks', key.public],
    [403, 'GET', '/payments', scopeless],
    [403, 'GET', '/links', key.secret],
    [404, 'GET', '/payments/%ff?page=%zz', key.secret],
  ];
  for (const [expected, method, path, caller] of REFUSED) {
    const { status, headers } = await api.call(method, path, { key: caller });
    assert.deepEqual([status, headers.get('x-service-version')], [expected, '2026-08-01'], path);
  }
  const early = await api.call('GET', '/nothing', { key: null });
  assert.deepEqual([early.status, early.headers.get('x-service-version')], [401, null]);
});

test('204 preflight without a key on the routes that a public key may call', async () => {
  for (const path of ['/payments', '/payments/trx_test_x', '/channels']) {
    const { status, headers } = await api.call('OPTIONS', path, {
      key: null,
      headers: { ...PAGE, 'access-control-request-method': 'POST' },
    });
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, '*']);
    assert.match(headers.get('access-control-allow-headers') ?? '', /Authorization.*Idempotency-Key/);
    assert.match(headers.get('access-control-allow-methods') ?? '', /GET/);
  }
  const { status, headers } = await api.call('OPTIONS', '/webhooks', { key: null, headers: PAGE });
  assert.deepEqual([status, headers.get('access-control-allow-origin')], [401, null]);
});

const VERSIONS: [sent: string, status: number][] = [
  ['2026-08-01', 200],
  ['', 400],
  ['2026-08-02', 400],
  ['2026-08-01, 2026-08-01', 400],
  ['latest', 400],
];

for (const [sent, expected] of VERSIONS) {
  test(`${expected} X-Service-Version ${JSON.stringify(sent)}`, async () => {
    const { status, headers, body } = await api.call('GET', '/payments', {
      headers: { 'x-service-version': sent },
    });
    assert.equal(status, expected);
    if (status === 200) assert.equal(headers.get('x-service-version'), sent);
    else assert.equal(body.error_code, 'unsupported_api_version');
  });
}

test('200 without X-Service-Version: the version of the team is used and echoed', async () => {
  assert.equal((await api.call('GET', '/payments')).headers.get('x-service-version'), '2026-08-01');
});

/** As bytes on a connection: clients would join or refuse what is sent here. */
async function statusOfRaw(lines: string[]): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(api.url);
  const socket = net.connect(Number(port), hostname);
  socket.write(`${[...lines, `Host: ${hostname}`, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  const text = (await socket.setEncoding('utf8').toArray()).join('');
  return { status: Number(text.split(' ')[1]), text };
}

for (const method of ['PROPFIND', 'TRACE', 'PURGE', 'M-SEARCH', 'QUERY', 'LINK']) {
  test(`405 ${method}, a method that no path has, with Allow; 401 without a key, 404 where no path is`, async () => {
    const { status, text } = await statusOfRaw([`${method} /payments HTTP/1.1`, `Authorization: ${key.secret}`]);
    assert.equal(status, 405, text);
    assert.match(text, /\r\nallow: GET, POST\r\n/i);
    assert.equal((await statusOfRaw([`${method} /payments HTTP/1.1`])).status, 401);
    assert.equal((await statusOfRaw([`${method} /nothing HTTP/1.1`, `Authorization: ${key.secret}`])).status, 404);
  });
}

const TWO_KEYS: [what: string, headers: string[]][] = [
  ['two good keys', [`Authorization: ${key.secret}`, `Authorization: ${key.public}`]],
  ['the same key twice', [`Authorization: ${key.secret}`, `authorization: ${key.secret}`]],
  ['a good key before an unknown one', [`Authorization: ${key.secret}`, 'Authorization: sk_test.x']],
  ['an unknown key before a good one', ['AUTHORIZATION: sk_test.x', `Authorization: ${key.secret}`]],
  ['an empty header beside a good key', ['Authorization:', `Authorization: ${key.secret}`]],
  ['two keys joined by a comma', [`Authorization: ${key.secret}, ${key.secret}`]],
];

for (const [what, headers] of TWO_KEYS) {
  test(`401 ${what}: the key is the sole value of one header`, async () => {
    for (const path of ['/payments', '/nothing']) {
      const { status, text } = await statusOfRaw([`GET ${path} HTTP/1.1`, ...headers]);
      assert.equal(status, 401, text);
    }
  });
}
