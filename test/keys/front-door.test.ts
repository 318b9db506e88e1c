import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, startApi } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ workers: false, clock });
after(() => api.stop());

const ORDER = { amount: 100, currency: 'XAF', phone: '1' };
const secret = api.keys.sandbox.secret;

const NO_KEYS: [what: string, key: string | null][] = [
  ['nothing', null],
  ['an unknown key', 'sk_test.0123456789abcdefghijABCDEFGHIJ0123456789abc'],
  ['Bearer and a good key', `Bearer ${secret}`],
  ['Basic and a good key', `Basic ${Buffer.from(`${secret}:`).toString('base64')}`],
  ['a good key and something behind it', `${secret} x`],
  ['a good key without its last character', secret.slice(0, -1)],
  ['a good key in upper case', secret.toUpperCase()],
  ['the live prefix on a sandbox key', secret.replace('_test', '')],
  ['two good keys', `${secret},${secret}`],
  ['a word', 'undefined'],
  ['4,000 characters', 'k'.repeat(4_000)],
  ['a hash from the database', 'a'.repeat(64)],
];

for (const [what, key] of NO_KEYS) {
  test(`401 ${what}`, async () => {
    for (const [method, path] of [
      ['GET', '/payments'],
      ['POST', '/payments'],
      ['PUT', '/payments'],
      ['GET', '/nothing'],
      ['DELETE', '/payments/x'],
    ] as const) {
      const { status, body } = await api.call(method, path, {
        key,
        ...(method === 'POST' ? { body: ORDER } : {}),
      });
      assert.deepEqual([status, body.code, body.status], [401, 401, 'Unauthorized'], `${method} ${path}`);
    }
  });
}

test('401 a key anywhere but in the Authorization header', async () => {
  const { status } = await api.call('POST', `/payments?key=${secret}&api_key=${secret}&authorization=${secret}`, {
    key: null,
    body: { ...ORDER, authorization: secret },
    headers: { 'x-api-key': secret },
  });
  assert.equal(status, 401);
});

test('401 a revoked key, within a second of the revocation', async () => {
  const { id, key } = await api.newKey(api.team, 'sandbox', 'secret');
  assert.equal((await api.call('GET', '/payments', { key })).status, 200);
  await api.control.run(sql`update api_keys set revoked_at = now() where id = ${id}`);
  clock.advance(1_000);
  assert.equal((await api.call('GET', '/payments', { key })).status, 401);
});

test('401 an inactive key', async () => {
  const { id, key } = await api.newKey(api.team, 'sandbox', 'secret');
  await api.control.run(sql`update api_keys set active = false where id = ${id}`);
  assert.equal((await api.call('GET', '/payments', { key })).status, 401);
});

test('401 a key from its expiry on', async () => {
  const { key } = await api.newKey(api.team, 'sandbox', 'secret', {
    expires_at: new Date(clock.now() + 60_000),
  });
  clock.advance(59_000);
  assert.equal((await api.call('GET', '/payments', { key })).status, 200);
  clock.advance(1_000);
  assert.equal((await api.call('GET', '/payments', { key })).status, 401);
});

test('a key is stored only as its hash', async () => {
  const rows = await api.control.all<{ row: string }>(sql`select k::text as row from api_keys k`);
  assert.ok(rows.length > 4);
  for (const { row } of rows) for (const key of Object.values(api.keys.sandbox)) assert.ok(!row.includes(key.slice(8)));
});

const ORIGINS: [what: string, headers: Record<string, string>][] = [
  ['Origin', { origin: 'https://shop.example' }],
  ['Referer', { referer: 'https://shop.example/cart' }],
  ['an empty Origin', { origin: '' }],
  ['Origin null', { origin: 'null' }],
];

for (const [what, headers] of ORIGINS) {
  test(`403 secret_key_in_browser for a secret key with ${what}, in both environments and on unknown paths`, async () => {
    for (const [path, key] of [
      ['/payments', secret],
      ['/payments', api.keys.live.secret],
      ['/nothing', secret],
    ] as const) {
      const { status, body } = await api.call('GET', path, { key, headers });
      assert.deepEqual([status, body.error_code], [403, 'secret_key_in_browser']);
    }
  });

  test(`200 a public key with ${what}, and any origin may read the response`, async () => {
    const { status, headers: answered } = await api.call('GET', '/payments', {
      key: api.keys.sandbox.public,
      headers,
    });
    assert.deepEqual([status, answered.get('access-control-allow-origin')], [200, '*']);
  });
}

const PLACES: [allowed: string[], status: number][] = [
  [['127.0.0.1'], 200],
  [['10.0.0.0/8', '127.0.0.0/8'], 200],
  [['::1', '127.0.0.1/32'], 200],
  [['10.0.0.0/8'], 403],
  [['127.0.0.2'], 403],
  [['::1'], 403],
];

for (const [allowed_ips, expected] of PLACES) {
  test(`${expected} a call from 127.0.0.1 with allowed_ips ${allowed_ips.join(', ')}`, async () => {
    const { key } = await api.newKey(api.team, 'sandbox', 'secret', { allowed_ips });
    const { status, body } = await api.call('GET', '/payments', {
      key,
      headers: { 'x-forwarded-for': '10.1.2.3' },
    });
    assert.deepEqual([status, body.error_code], [expected, expected === 403 ? 'ip_not_allowed' : undefined]);
  });
}

test('403 scope_missing for a restricted key without the scope; write does not imply read', async () => {
  const { key: reads } = await api.newKey(api.team, 'sandbox', 'restricted', { scopes: ['payment.read'] });
  const { key: writes } = await api.newKey(api.team, 'sandbox', 'restricted', { scopes: ['payment.write'] });
  const { key: nothing } = await api.newKey(api.team, 'sandbox', 'restricted');
  const read = async (key: string) => (await api.call('GET', '/payments', { key })).status;
  const write = async (key: string) => (await api.call('POST', '/payments', { key, body: ORDER })).status;
  assert.deepEqual([await read(reads), await write(reads)], [200, 403]);
  assert.deepEqual([await read(writes), await write(writes)], [403, 201]);
  assert.deepEqual([await read(nothing), await write(nothing)], [403, 403]);
  const { body } = await api.call('GET', '/payments', { key: writes });
  assert.deepEqual([body.status, body.error_code], ['Forbidden', 'scope_missing']);
});

test('406 Private Key Required for a public key on everything but payments and reference data', async () => {
  for (const key of [api.keys.sandbox.public, api.keys.live.public]) {
    for (const [method, path] of [
      ['GET', '/webhooks'],
      ['POST', '/webhooks'],
      ['GET', '/events'],
    ] as const) {
      const { status, body } = await api.call(method, path, {
        key,
        ...(method === 'POST' ? { body: {} } : {}),
      });
      const { hint, ...rest } = body;
      assert.deepEqual([status, rest], [406, { code: 406, status: 'Not Acceptable', message: 'Private Key Required' }], path);
      assert.match(hint, /needs a secret/);
    }
    assert.equal((await api.call('GET', '/payments', { key })).status, 200);
    assert.equal((await api.call('GET', '/channels', { key })).status, 200);
  }
});

test('the key selects the store: the same call reads sandbox or live', async () => {
  const team = await api.newMerchant({ verification_level: 1 });
  for (const environment of ['sandbox', 'live'] as const) {
    await api.call('POST', '/payments', {
      key: team[environment].secret,
      body: { ...ORDER, reference: environment },
    });
  }
  for (const environment of ['sandbox', 'live'] as const) {
    const { items } = (await api.call('GET', '/payments', { key: team[environment].public })).body;
    assert.deepEqual(
      items.map((item: { reference: string }) => item.reference),
      [environment],
    );
    assert.equal(items[0].sandbox, environment === 'sandbox');
  }
});
