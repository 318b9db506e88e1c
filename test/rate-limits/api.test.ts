import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Plan } from '../../src/tenants/teams/schema.ts';
import { type Answer, FakeClock, startApi } from '../setup/api.ts';

const clock = new FakeClock();
const api = await startApi({ workers: false, clock, env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' } });
after(() => api.stop());

interface Caller {
  key: string | null;
  ip?: string;
  headers?: Record<string, string>;
}

let addresses = 0;
/** Tests do not use up each other's limit by address. */
const newAddress = () => `198.51.${100 + Math.floor(addresses / 250)}.${1 + (addresses++ % 250)}`;

function call(method: string, path: string, { key, ip = newAddress(), headers = {} }: Caller, body?: object): Promise<Answer> {
  return api.call(method, path, { key, headers: { 'x-forwarded-for': ip, ...headers }, ...(body ? { body } : {}) });
}

/** Calls one after the other. @returns how many came before the first 429, and that one */
async function untilRefused(
  most: number,
  next: (index: number) => Promise<Answer>,
): Promise<{ passed: number; refused: Answer }> {
  for (let passed = 0; passed <= most; passed += 1) {
    const answer = await next(passed);
    if (answer.status === 429) return { passed, refused: answer };
  }
  throw new Error(`${most + 1} calls passed`);
}

const shown = ({ headers }: Answer) => ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

function assertRefused({ status, headers, body }: Answer, type: string): void {
  assert.equal(status, 429);
  const { retry_after } = body;
  assert.ok(Number.isInteger(retry_after) && retry_after >= 1 && retry_after <= 60);
  assert.deepEqual(Object.keys(body), ['code', 'status', 'message', 'type', 'retry_after', 'retry_after_human']);
  assert.deepEqual([body.code, body.status, body.type], [429, 'Too Many Requests', type]);
  assert.equal(headers.get('retry-after'), String(retry_after));
  assert.equal(body.retry_after_human, retry_after === 60 ? '00:01:00' : `00:00:${String(retry_after).padStart(2, '0')}`);
}

const ENDPOINTS: [plan: Plan, path: string, ceiling: number][] = [
  ['starter', '/payments', 30],
  ['starter', '/payments/trx_test_x/refunds', 30],
  ['starter', '/transfers', 20],
  ['starter', '/refunds', 10],
  ['starter', '/customers', 50],
  ['growth', '/refunds/rfd_test_x', 20],
  ['scale', '/refunds', 50],
  ['unlimited', '/refunds', 100],
];

for (const [plan, path, ceiling] of ENDPOINTS) {
  test(`429 endpoint after ${ceiling} calls of ${path} on the plan ${plan}; others are not limited`, async () => {
    const merchant = await api.newMerchant({ plan });
    const keys = await Promise.all([0, 1, 2].map(async () => (await api.newKey(merchant.team, 'sandbox', 'secret')).key));
    const next = (index: number) => call('GET', path, { key: keys[index % 3] as string });
    const { passed, refused } = await untilRefused(ceiling, next);
    assert.equal(passed, ceiling);
    assertRefused(refused, 'endpoint');
    assert.equal((await call('GET', '/channels', { key: merchant.sandbox.secret })).status, 200);
    assert.equal((await call('GET', '/refunds', { key: (await api.newMerchant()).sandbox.secret })).status, 200);
  });
}

test('429 endpoint also counts a wrong method of the path and any spelling of the path', async () => {
  const { sandbox } = await api.newMerchant();
  const spellings: [string, string][] = [
    ['PUT', '/refunds'],
    ['GET', '/%72efunds'],
    ['GET', '/refunds?per_page=0'],
  ];
  const next = (index: number) => call(...(spellings[index % 3] as [string, string]), { key: sandbox.secret });
  const { passed, refused } = await untilRefused(10, next);
  assert.equal(passed, 10);
  assertRefused(refused, 'endpoint');
});

for (const plan of ['starter', 'unlimited'] as const) {
  test(`429 Merchant limit 20, without type, for POST /transfers and POST /beneficiaries together on ${plan}`, async () => {
    const { team, sandbox, live } = await api.newMerchant({ plan });
    const keys = [sandbox.secret, live.secret, (await api.newKey(team, 'sandbox', 'secret')).key];
    const next = (index: number) =>
      call('POST', index % 2 ? '/transfers' : '/beneficiaries', { key: keys[index % 3] as string }, {});
    const { passed, refused } = await untilRefused(20, next);
    assert.equal(passed, 20);
    const { retry_after, retry_after_human, ...rest } = refused.body;
    assert.deepEqual(rest, { code: 429, status: 'Too Many Requests', message: 'Merchant limit 20' });
    assert.deepEqual([String(retry_after), retry_after_human.length], [refused.headers.get('retry-after'), 8]);
    assert.equal((await call('GET', '/beneficiaries', { key: sandbox.secret })).status, 200);
  });
}

test('429 Merchant limit 20 is reported before the endpoint limit of 20 for transfers when both are used up', async () => {
  const { sandbox } = await api.newMerchant();
  await untilRefused(20, () => call('POST', '/transfers', { key: sandbox.secret }, {}));
  assert.equal((await call('POST', '/transfers', { key: sandbox.secret }, {})).body.message, 'Merchant limit 20');
  assertRefused(await call('GET', '/transfers', { key: sandbox.secret }), 'endpoint');
});

test('429 api_key after 100 calls with one key on any plan; another key of the team is not limited', async () => {
  const { team, sandbox } = await api.newMerchant({ plan: 'unlimited' });
  const { passed, refused } = await untilRefused(100, () => call('GET', '/channels', { key: sandbox.secret }));
  assert.equal(passed, 100);
  assertRefused(refused, 'api_key');
  const { key } = await api.newKey(team, 'sandbox', 'secret');
  assert.equal((await call('GET', '/channels', { key })).status, 200);
});

for (const [what, ip] of [
  ['one IPv4 address', () => '203.0.113.77'],
  ['one IPv6 /64', (index: number) => `2001:db8:77:1::${index.toString(16)}`],
] as const) {
  test(`429 ip after 120 calls from ${what} with any key; other addresses are not limited`, async () => {
    const merchants = await Promise.all([0, 1, 2].map(() => api.newMerchant()));
    const keyOf = (index: number) => merchants[index % 3]?.sandbox.secret as string;
    const next = (index: number) => call('GET', '/channels', { key: keyOf(index), ip: ip(index) });
    const { passed, refused } = await untilRefused(120, next);
    assert.equal(passed, 120);
    assertRefused(refused, 'ip');
    assert.equal((await call('GET', '/channels', { key: keyOf(0), ip: '2001:db8:77:2::1' })).status, 200);
  });
}

for (const [plan, ceiling] of [
  ['starter', 120],
  ['growth', 240],
] as const) {
  test(`429 team after ${ceiling} calls with all keys of both environments on the plan ${plan}`, async () => {
    const { team, sandbox, live } = await api.newMerchant({ plan });
    const more = await Promise.all(Array.from({ length: 4 }, async () => (await api.newKey(team, 'live', 'secret')).key));
    const keys = [sandbox.secret, live.secret, sandbox.public, live.public, ...more];
    const next = (index: number) => call('GET', '/channels', { key: keys[index % keys.length] as string });
    const { passed, refused } = await untilRefused(ceiling, async (index) => {
      const answer = await next(index);
      if (answer.status === 200) assert.deepEqual(shown(answer).slice(0, 2), [String(ceiling), String(ceiling - index - 1)]);
      return answer;
    });
    assert.equal(passed, ceiling);
    assertRefused(refused, 'team');
    assert.deepEqual(shown(refused).slice(0, 2), [String(ceiling), '0']);
    assert.equal(Number(shown(refused)[2]), Math.ceil(clock.now() / 1000) + 60);
  });
}

test('429 when several limits are exceeded: payout writes, endpoint, api_key, ip, team, in this order', async () => {
  const { sandbox, live } = await api.newMerchant();
  const [first, second] = [sandbox.secret, live.secret];
  const ip = newAddress();
  const many = async (times: number, ask: () => Promise<Answer>) => {
    for (let index = 0; index < times; index += 1) assert.notEqual((await ask()).status, 429);
  };
  await many(20, () => call('POST', '/transfers', { key: first, ip }, {}));
  await many(30, () => call('GET', '/payments', { key: first, ip }));
  await many(50, () => call('GET', '/channels', { key: first, ip }));
  await many(20, () => call('GET', '/channels', { key: second, ip }));
  assert.equal((await call('POST', '/transfers', { key: first, ip }, {})).body.message, 'Merchant limit 20');
  assertRefused(await call('GET', '/transfers', { key: first, ip }), 'endpoint');
  assertRefused(await call('GET', '/payments', { key: second }), 'endpoint');
  assertRefused(await call('GET', '/channels', { key: first, ip }), 'api_key');
  assertRefused(await call('GET', '/channels', { key: second, ip }), 'ip');
  assertRefused(await call('GET', '/channels', { key: second }), 'team');
});

test('the team limit on the plan scale is 600', async () => {
  const { sandbox } = await api.newMerchant({ plan: 'scale' });
  assert.deepEqual(shown(await call('GET', '/channels', { key: sandbox.secret })).slice(0, 2), ['600', '599']);
});

test('a rejected request is not counted: Remaining does not change, and waiting for retry_after is enough', async () => {
  const { sandbox } = await api.newMerchant();
  const refunds = () => call('GET', '/refunds', { key: sandbox.secret });
  await untilRefused(10, refunds);
  clock.advance(45_500);
  for (let index = 0; index < 20; index += 1) {
    const { headers, body } = await refunds();
    assert.deepEqual([headers.get('x-ratelimit-remaining'), body.retry_after], ['110', 15]);
  }
  clock.advance(15_000);
  assert.equal((await refunds()).status, 200);
});

test('of 60 concurrent calls exactly 30 pass', async () => {
  const { sandbox } = await api.newMerchant();
  const answers = await Promise.all(Array.from({ length: 60 }, () => call('GET', '/payments', { key: sandbox.secret })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 30);
});

test('every response to a known key has the headers of the team counter', async () => {
  const { team, sandbox } = await api.newMerchant();
  const elsewhere = (await api.newKey(team, 'sandbox', 'secret', { allowed_ips: ['192.0.2.1'] })).key;
  const scopeless = (await api.newKey(team, 'sandbox', 'restricted')).key;
  const key = sandbox.secret;
  const answers: [status: number, remaining: number, answer: () => Promise<Answer>][] = [
    [403, 120, () => call('GET', '/payments', { key, headers: { origin: 'https://shop.example' } })],
    [403, 120, () => call('GET', '/payments', { key: elsewhere })],
    [200, 119, () => call('GET', '/payments', { key })],
    [201, 118, () => call('POST', '/payments', { key }, { amount: 1, currency: 'XAF', phone: '1' })],
    [400, 117, () => call('GET', '/payments', { key, headers: { 'x-service-version': '2020-01-01' } })],
    [404, 116, () => call('GET', '/nothing', { key })],
    [404, 115, () => call('GET', '/payments/trx_test_x', { key })],
    [405, 114, () => call('PUT', '/payments', { key })],
    [406, 113, () => call('GET', '/webhooks', { key: sandbox.public })],
    [403, 112, () => call('GET', '/webhooks', { key: scopeless })],
    [422, 111, () => call('POST', '/payments', { key }, {})],
    [403, 111, () => call('GET', '/payments', { key: elsewhere })],
  ];
  for (const [status, remaining, ask] of answers) {
    const answer = await ask();
    assert.deepEqual([answer.status, ...shown(answer).slice(0, 2)], [status, '120', String(remaining)]);
    assert.match(String(shown(answer)[2]), /^\d{10}$/);
  }
});

test('a response has no counter headers on the plan without a limit, or without a key', async () => {
  const { sandbox } = await api.newMerchant({ plan: 'unlimited' });
  const browser = { key: sandbox.secret, headers: { origin: 'https://shop.example' } };
  for (const caller of [{ key: sandbox.secret }, browser, { key: null }]) {
    assert.deepEqual(shown(await call('GET', '/payments', caller)), [null, null, null]);
  }
});

test('429 ip after 30 calls without a valid key from one address, on any path; a valid key from there still works', async () => {
  const { sandbox } = await api.newMerchant();
  const ip = newAddress();
  const wrong: [string, string, string | null][] = [
    ['GET', '/payments', null],
    ['POST', '/nothing', 'sk_test.x'],
    ['PUT', '/payments', `Bearer ${sandbox.secret}`],
  ];
  const { passed, refused } = await untilRefused(30, async (index) => {
    const [method, path, key] = wrong[index % 3] as [string, string, string | null];
    const answer = await call(method, path, { key, ip });
    assert.ok([401, 429].includes(answer.status));
    return answer;
  });
  assert.equal(passed, 30);
  assertRefused(refused, 'ip');
  assert.equal((await call('GET', '/payments', { key: sandbox.secret, ip })).status, 200);
  assert.equal((await call('GET', '/payments', { key: null })).status, 401);
  clock.advance(60_000);
  assert.equal((await call('GET', '/payments', { key: null, ip })).status, 401);
});

test('keys that nobody has do not reach the database beyond 300 a minute from one address; a known key from there goes on', async () => {
  clock.advance(60_000);
  const { sandbox } = await api.newMerchant();
  const ip = newAddress();
  assert.equal((await call('GET', '/channels', { key: sandbox.secret, ip })).status, 200);
  const asked = await queriesOf(async () => {
    for (let index = 0; index < 400; index += 1) await call('GET', '/payments', { key: `sk_test.${index}`, ip });
  });
  assert.ok(asked >= 299 && asked <= 300, `${asked} look-ups`);
  assertRefused(await call('GET', '/payments', { key: 'sk_test.x', ip }), 'ip');
  assert.equal((await call('GET', '/channels', { key: sandbox.secret, ip })).status, 200);
});

/** How often keys are looked up in the database meanwhile. */
async function queriesOf(work: () => Promise<void>): Promise<number> {
  const { control } = api.deps.stores;
  const { maybe } = control;
  let asked = 0;
  control.maybe = ((query: Parameters<typeof maybe>[0]) => {
    asked += 1;
    return maybe.call(control, query);
  }) as typeof maybe;
  try {
    await work();
  } finally {
    control.maybe = maybe;
  }
  return asked;
}

test('health checks, hosted pages and preflight requests are not counted', async () => {
  const { sandbox } = await api.newMerchant();
  const ip = newAddress();
  for (const [method, path] of [
    ['GET', '/health/live'],
    ['GET', '/pay/nothing'],
    ['OPTIONS', '/payments'],
  ] as const) {
    for (let index = 0; index < 45; index += 1) assert.notEqual((await call(method, path, { key: null, ip })).status, 429);
  }
  assert.equal((await call('GET', '/payments', { key: null, ip })).status, 401);
  assert.equal(shown(await call('GET', '/payments', { key: sandbox.secret, ip }))[1], '119');
});

test('429 is checked after 401, browser and address, and before version, path, method, kind, scope and body', async () => {
  const { team, sandbox } = await api.newMerchant();
  const key = sandbox.secret;
  const elsewhere = (await api.newKey(team, 'sandbox', 'secret', { allowed_ips: ['192.0.2.1'] })).key;
  const scopeless = (await api.newKey(team, 'sandbox', 'restricted')).key;
  const keys = [key, sandbox.public];
  await untilRefused(120, (index) => call('GET', '/channels', { key: keys[index % 2] as string }));
  const status = async (method: string, path: string, caller: Caller, body?: object) =>
    (await call(method, path, caller, body)).status;
  assert.equal(await status('GET', '/payments', { key: `${key}x` }), 401);
  assert.equal(await status('GET', '/payments', { key, headers: { referer: 'https://shop.example/' } }), 403);
  assert.equal(await status('GET', '/payments', { key: elsewhere }), 403);
  assert.equal(await status('GET', '/payments', { key, headers: { 'x-service-version': '2020-01-01' } }), 429);
  assert.equal(await status('GET', '/nothing', { key }), 429);
  assert.equal(await status('PUT', '/payments', { key }), 429);
  assert.equal(await status('GET', '/webhooks', { key: sandbox.public }), 429);
  assert.equal(await status('GET', '/webhooks', { key: scopeless }), 429);
  assert.equal(await status('POST', '/payments', { key }, { number: '4242424242424242' }), 429);
});

test('a page on any origin can read the Retry-After header', async () => {
  const { sandbox } = await api.newMerchant();
  const { headers } = await call('GET', '/payments', { key: sandbox.public, headers: { origin: 'https://shop.example' } });
  assert.match(headers.get('access-control-expose-headers') ?? '', /X-RateLimit-Limit.*X-RateLimit-Reset, Retry-After/);
});

test('the health check reports where requests are counted', async () => {
  assert.deepEqual((await call('GET', '/health/ready', { key: null })).body.details, { rate_limits: 'this node' });
});
