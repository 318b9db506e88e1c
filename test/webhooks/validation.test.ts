import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

/** @returns the fields that were refused */
async function refusedFields(body: object, key?: string): Promise<string[]> {
  const answer = await api.call('POST', '/webhooks', { body, ...(key ? { key } : {}) });
  assert.equal(answer.status, 422, JSON.stringify(body));
  return Object.keys(answer.body.errors);
}

const url = 'https://shop.example/';

const REFUSED_URLS: Record<string, unknown[]> = {
  'no address at all': ['', 'shop.example', 'https://', 'https:shop.example', '//shop.example/', 7, null],
  'not https': ['http://shop.example/', 'ftp://shop.example/', 'file:///etc/passwd', 'javascript:alert(1)'],
  'user information': ['https://user@shop.example/', 'https://user:secret@shop.example/', 'https://:x@shop.example/'],
  'line breaks and blanks': [
    'https://shop.\nexample/',
    ' https://shop.example/',
    'https://shop.example/a b',
    'https://shop.example/\t',
  ],
  'longer than 2048': [`https://shop.example/${'a'.repeat(2048)}`],
  'a private address': [
    'https://10.0.0.1/',
    'https://172.16.5.4/',
    'https://192.168.1.1:8443/',
    'https://[fd12::1]/',
    'https://100.64.1.1/',
  ],
  'a link-local or metadata address': [
    'https://169.254.169.254/latest/meta-data/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
  ],
  'an address of documentation, multicast or nothing': [
    'https://192.0.2.1/',
    'https://224.0.0.1/',
    'https://0.0.0.0/',
    'https://[::]/',
  ],
  'an IPv4 address inside an IPv6 one': [
    'https://[::ffff:8.8.8.8]/',
    'https://[64:ff9b::808:808]/',
    'https://[2002:808:808::1]/',
  ],
};

for (const [kind, urls] of Object.entries(REFUSED_URLS)) {
  test(`422 ${kind} as url`, async () => {
    for (const refused of urls) assert.deepEqual(await refusedFields({ url: refused }), ['url'], String(refused));
  });
}

const LOOPBACKS = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://１２７.0.0.1/',
  'https://[::1]/',
  'https://localhost/',
  'https://LocalHost./',
  'https://hooks.localhost/',
];

test('422 for a loopback address in live, in every notation', async () => {
  for (const loopback of LOOPBACKS)
    assert.deepEqual(await refusedFields({ url: loopback }, api.keys.live.secret), ['url'], loopback);
});

test('201 for a loopback address in the sandbox of a development installation, with https only', async () => {
  const { sandbox } = await api.newMerchant();
  for (const loopback of ['https://127.0.0.1:8443/hooks', 'https://localhost:8443/hooks', 'https://[::1]:8443/']) {
    const { status } = await api.call('POST', '/webhooks', { key: sandbox.secret, body: { url: loopback } });
    assert.equal(status, 201, loopback);
  }
  assert.deepEqual(await refusedFields({ url: 'http://127.0.0.1:8080/' }, sandbox.secret), ['url']);
  assert.deepEqual(await refusedFields({ url: 'https://[::ffff:127.0.0.1]/' }, sandbox.secret), ['url']);
});

test('422 for a loopback address in the sandbox of a production installation', async () => {
  const production = await startApi({
    workers: false,
    env: { PROFILE: 'production', SECRETS_KEY: Buffer.alloc(32).fill('key').toString('base64') },
  });
  try {
    for (const loopback of LOOPBACKS) {
      const { status, body } = await production.call('POST', '/webhooks', { body: { url: loopback } });
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['url']], loopback);
    }
  } finally {
    await production.stop();
  }
});

test('422 for a missing url', async () => {
  assert.deepEqual(await refusedFields({}), ['url']);
});

test('422 for an unknown event type, reported by its index', async () => {
  assert.deepEqual(await refusedFields({ url, events: ['payment.succeeded', 'payment.lost', 'nothing.*', 'webhook.test'] }), [
    'events.1',
    'events.2',
    'events.3',
  ]);
  for (const event of ['payment', 'payment.', '*.succeeded', '**', ''])
    assert.deepEqual(await refusedFields({ url, events: [event] }), ['events.0'], event);
});

test('422 for events that are not a list, or are empty', async () => {
  assert.deepEqual(await refusedFields({ url, events: [] }), ['events']);
  assert.deepEqual(await refusedFields({ url, events: '*' }), ['events']);
});

test('422 for an api_version that does not exist or is not a version', async () => {
  const url = 'https://shop.example/';
  for (const api_version of ['2026-08-02', '', null, 20260801]) {
    assert.deepEqual(await refusedFields({ url, api_version }), ['api_version'], String(api_version));
  }
});

test('422 reports all errors at once', async () => {
  const fields = await refusedFields({ url: 'shop', events: ['x'], description: 'a'.repeat(256), active: 'yes', metadata: [] });
  assert.deepEqual(fields.sort(), ['active', 'description', 'events.0', 'metadata', 'url']);
});

test('422 for metadata with 51 keys or more than 16 KB', async () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  assert.deepEqual(await refusedFields({ url, metadata: keys(51) }), ['metadata']);
  assert.deepEqual(await refusedFields({ url, metadata: { text: 'é'.repeat(8_192) } }), ['metadata']);
  assert.equal((await api.call('POST', '/webhooks', { body: { url, metadata: keys(50) } })).status, 201);
});

test('422 PATCH and PUT validate as creation does', async () => {
  const { webhook } = (await api.call('POST', '/webhooks', { body: { url } })).body;
  for (const method of ['PATCH', 'PUT']) {
    for (const [body, field] of [
      [{ url: 'https://10.0.0.1/' }, 'url'],
      [{ url, events: ['x'] }, 'events.0'],
      [{ url: null }, 'url'],
    ] as const) {
      const answer = await api.call(method, `/webhooks/${webhook.id}`, { body });
      assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, [field]], `${method} ${JSON.stringify(body)}`);
    }
  }
  assert.deepEqual(Object.keys((await api.call('PUT', `/webhooks/${webhook.id}`, { body: {} })).body.errors), ['url']);
});
