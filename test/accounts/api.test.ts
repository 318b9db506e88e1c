import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { readOnboardingToken } from '../../src/core/accounts/onboarding.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { findActiveAccount, setVerification } from '../../src/core/accounts/service.ts';
import { unpack } from '../../src/kit/packing.ts';
import { Problem } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, type Api, type Merchant, startApi } from '../setup/api.ts';

const ID = /^acct_test_[0-9a-hjkmnp-tv-z]{26}$/;
const MISSING = 'acct_test_00000000000000000000000000';
const SHOP = { name: 'Boutique Bonapriso', email: 'bonapriso@shop.example' };
const MONEY = { split: { type: 'percentage', value: 12.5 }, settlement: { channel: 'cm.mtn', account_number: '650 00 00 00' } };

let api: Api;
let merchant: Merchant;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());
beforeEach(async () => {
  merchant = await api.newMerchant();
});

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return api.call(method, path, { key: merchant.sandbox.secret, body, headers });
}

function publicCall(method: string, path: string, body?: unknown): Promise<Answer> {
  return api.call(method, path, { key: merchant.sandbox.public, body });
}

async function made(body: object = SHOP) {
  const answer = await call('POST', '/accounts', body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.account;
}

async function eventsOf(id: string) {
  const rows = await api.deps.stores.sandbox.db.all<{ type: string; body: Buffer }>(sql`
    select type, body from events where team_id = ${merchant.team.id} and resource_id = ${id} order by sequence`);
  return rows.map(({ type, body }) => ({ type, data: JSON.parse(unpack(body)).data }));
}

test('201 creates an active account with verification pending and defaults for omitted fields', async () => {
  const { id, created_at, updated_at, ...rest } = await made();
  assert.match(id, ID);
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    ...SHOP,
    phone: null,
    business_profile: null,
    split: null,
    settlement: null,
    metadata: null,
    active: true,
    verification: 'pending',
    sandbox: true,
  });
});

test('201 returns every submitted field; the settlement number is in international format', async () => {
  const sent = {
    ...SHOP,
    ...MONEY,
    phone: '650',
    business_profile: { name: 'B', url: 'https://b.example' },
    metadata: { city: 'Douala' },
  };
  const account = await made(sent);
  assert.deepEqual(account.settlement, { channel: 'cm.mtn', account_number: '+237650000000' });
  for (const field of ['name', 'email', 'phone', 'business_profile', 'split', 'metadata'] as const) {
    assert.deepEqual(account[field], sent[field], field);
  }
  assert.deepEqual((await call('GET', `/accounts/${account.id}`)).body.account, account);
  const settlement = { channel: 'cm.bank', account_number: '10005 00001', extra: 1 };
  const bank = await made({ ...SHOP, settlement, split: { type: 'fixed', value: 250, extra: 1 } });
  assert.deepEqual(
    [bank.settlement, bank.split],
    [
      { channel: 'cm.bank', account_number: '1000500001' },
      { type: 'fixed', value: 250 },
    ],
  );
});

test('422 names every field that does not fit', async () => {
  const cases: [object, string[]][] = [
    [{}, ['email', 'name']],
    [{ ...SHOP, name: ' ', email: 'no' }, ['email', 'name']],
    [{ ...SHOP, split: { type: 'percentage', value: 100.01 } }, ['split.value']],
    [{ ...SHOP, split: { type: 'percentage', value: 12.345 } }, ['split.value']],
    [{ ...SHOP, split: { type: 'percentage', value: -1 } }, ['split.value']],
    [{ ...SHOP, split: { type: 'fixed', value: 0.001 } }, ['split.value']],
    [{ ...SHOP, split: { type: 'half', value: '50' } }, ['split.type', 'split.value']],
    [{ ...SHOP, split: {} }, ['split.type', 'split.value']],
    [{ ...SHOP, split: 50, settlement: [] }, ['settlement', 'split']],
    [{ ...SHOP, settlement: {} }, ['settlement.account_number', 'settlement.channel']],
    [{ ...SHOP, settlement: { channel: 'cm.card', account_number: '1234' } }, ['settlement.channel']],
    [
      {
        ...SHOP,
        settlement: { channel: 'cm.mtn', account_number: '+33600000000' },
        split: { type: 'percentage', value: 101 },
        metadata: { x: 'x'.repeat(17_000) },
      },
      ['metadata', 'settlement.account_number', 'split.value'],
    ],
    [{ ...SHOP, phone: 5, metadata: [], business_profile: 'x' }, ['business_profile', 'metadata', 'phone']],
    [{ ...SHOP, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, i])) }, ['metadata']],
    [{ ...SHOP, name: '\u0000' }, ['name']],
  ];
  for (const [body, fields] of cases) {
    const { status, body: answer } = await call('POST', '/accounts', body);
    assert.equal(status, 422, JSON.stringify(body).slice(0, 200));
    assert.deepEqual(Object.keys(answer.errors).sort(), fields, JSON.stringify(body).slice(0, 200));
  }
  assert.equal((await call('GET', '/accounts')).body.meta.total, 0);
});

test('200 list: newest first, in both forms of paging', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.unshift((await made({ ...SHOP, name: `Shop ${n}` })).id);
  const { body } = await call('GET', '/accounts?per_page=2');
  assert.deepEqual(
    body.items.map((item: { id: string }) => item.id),
    ids.slice(0, 2),
  );
  const { next_cursor, ...meta } = body.meta;
  assert.deepEqual(meta, { current_page: 1, last_page: 2, per_page: 2, total: 3 });
  const next = await call('GET', `/accounts?per_page=2&cursor=${encodeURIComponent(next_cursor)}`);
  assert.deepEqual(
    next.body.items.map((item: { id: string }) => item.id),
    ids.slice(2),
  );
});

test('200 PATCH changes the fields it contains, PUT resets the others', async () => {
  const before = await made({ ...SHOP, ...MONEY, metadata: { a: 1 } });
  const patched = (await call('PATCH', `/accounts/${before.id}`, { split: null, name: 'New' })).body.account;
  assert.deepEqual({ ...patched, updated_at: 0 }, { ...before, split: null, name: 'New', updated_at: 0 });
  const put = await call('PUT', `/accounts/${before.id}`, { ...SHOP, active: false });
  assert.equal(put.status, 200);
  assert.deepEqual(
    { ...put.body.account, updated_at: 0 },
    { ...before, split: null, settlement: null, metadata: null, updated_at: 0 },
  );
});

test('200 deactivate and reactivate, each with one event', async () => {
  const created = await made();
  const off = await call('POST', `/accounts/${created.id}/deactivate`);
  assert.deepEqual([off.status, off.body.account.active], [200, false]);
  assert.deepEqual((await call('POST', `/accounts/${created.id}/deactivate`)).body.account, off.body.account);
  const on = await call('POST', `/accounts/${created.id}/reactivate`);
  assert.equal(on.body.account.active, true);
  assert.deepEqual(await eventsOf(created.id), [
    { type: 'account.created', data: created },
    { type: 'account.updated', data: off.body.account },
    { type: 'account.updated', data: on.body.account },
  ]);
});

test('X-Sync accepts active accounts only: 404 for an unknown account, 422 errors.account for an inactive one', async () => {
  const { id } = await made();
  const { sandbox, live } = api.deps.stores;
  assert.equal((await findActiveAccount(sandbox, merchant.team.id, id)).id, id);
  const problem = (status: number) => (error: unknown) => error instanceof Problem && error.status === status;
  await assert.rejects(findActiveAccount(live, merchant.team.id, id), problem(404));
  await assert.rejects(findActiveAccount(sandbox, api.team.id, id), problem(404));
  await assert.rejects(findActiveAccount(sandbox, merchant.team.id, 'acct_\u0000'), problem(404));
  await call('POST', `/accounts/${id}/deactivate`);
  await assert.rejects(findActiveAccount(sandbox, merchant.team.id, id), (error: unknown) => {
    return error instanceof Problem && error.status === 422 && error.details.errors?.account !== undefined;
  });
});

test('201 an onboarding link that cannot be forged and expires', async () => {
  const { id } = await made();
  const { status, body } = await call('POST', `/accounts/${id}/onboarding`);
  assert.equal(status, 201);
  const { url, expires_at } = body.onboarding;
  assert.ok(url.startsWith(`${api.config.public_url}/onboarding/test_`), url);
  const token = url.slice(url.lastIndexOf('/') + 1);
  const { secrets } = api.deps;
  const end = Date.parse(expires_at);
  assert.ok(end > Date.now());
  assert.deepEqual(readOnboardingToken(secrets, token, Date.now()), {
    environment: 'sandbox',
    team_id: merchant.team.id,
    account_id: id,
    expires_at: end,
  });
  assert.equal(readOnboardingToken(secrets, token, end), 'expired');
  const [random, team, until, mac] = token.slice('test_'.length).split('.');
  const forgeries = [
    `${random}.${team}.${until}.${mac}`,
    `test_${random}.${team}.${Number(until) + 1}.${mac}`,
    `test_${random}.1.${until}.${mac}`,
    `test_${random}.0${team}.${until}.${mac}`,
    `${token}x`,
    '',
    'a.b.c.d',
  ];
  for (const forged of forgeries) {
    assert.equal(readOnboardingToken(secrets, forged, Date.now()), null, forged);
  }
});

test('the operator sets the verification status, and a change emits an event', async () => {
  const { id } = await made();
  const ref = { team_id: merchant.team.id, id };
  const { sandbox, live } = api.deps.stores;
  for (const verification of ['verified', 'verified', 'rejected', 'pending'] as const) {
    assert.equal((await setVerification(api.deps, sandbox, ref, verification, WORKER)).verification, verification);
    assert.equal((await call('GET', `/accounts/${id}`)).body.account.verification, verification);
  }
  assert.deepEqual(
    (await eventsOf(id)).map(({ data }) => data.verification),
    ['pending', 'verified', 'rejected', 'pending'],
  );
  await assert.rejects(setVerification(api.deps, live, ref, 'verified', WORKER), /Account Not Found/);
});

test('a public key creates, reads and updates accounts without access to contact and settlement details', async () => {
  const full = await made({ ...SHOP, ...MONEY, phone: '650', business_profile: { tax: 'T-1' } });
  const own = await publicCall('POST', '/accounts', SHOP);
  assert.equal(own.status, 201);
  const shown = ['active', 'created_at', 'id', 'metadata', 'name', 'sandbox', 'split', 'updated_at', 'verification'];
  const answers = [
    own.body.account,
    (await publicCall('GET', `/accounts/${full.id}`)).body.account,
    ...(await publicCall('GET', '/accounts')).body.items,
    (await publicCall('PATCH', `/accounts/${full.id}`, { name: 'Renamed' })).body.account,
  ];
  assert.equal(answers.length, 5);
  for (const account of answers) assert.deepEqual(Object.keys(account).sort(), shown);
  assert.equal((await call('GET', `/accounts/${full.id}`)).body.account.name, 'Renamed');
});

test('406 for a public key that changes split, settlement or activation', async () => {
  const { id } = await made();
  const refused: [string, string, object?][] = [
    ['POST', '/accounts', { ...SHOP, split: null }],
    ['POST', '/accounts', { ...SHOP, settlement: MONEY.settlement }],
    ['PATCH', `/accounts/${id}`, { split: MONEY.split }],
    ['PATCH', `/accounts/${id}`, { settlement: null }],
    ['PUT', `/accounts/${id}`, SHOP],
    ['POST', `/accounts/${id}/deactivate`],
    ['POST', `/accounts/${id}/reactivate`],
    ['POST', `/accounts/${id}/onboarding`],
  ];
  for (const [method, path, body] of refused) {
    const { status, body: answer } = await publicCall(method, path, body);
    assert.deepEqual([status, answer.message], [406, 'Private Key Required'], `${method} ${path}`);
  }
  assert.equal((await call('GET', '/accounts')).body.meta.total, 1);
});

test('403 a restricted key without the scope', async () => {
  const reader = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['account.read'] });
  assert.equal((await api.call('GET', '/accounts', { key: reader.key })).status, 200);
  assert.equal((await api.call('POST', '/accounts', { key: reader.key, body: SHOP })).status, 403);
});

test('the alias /subaccounts behaves identically on every route', async () => {
  const headers = { 'Idempotency-Key': 'acct-1' };
  const first = await call('POST', '/subaccounts', SHOP, headers);
  const again = await call('POST', '/accounts', SHOP, headers);
  assert.deepEqual([first.status, again.status, again.body.account], [201, 201, first.body.account]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const { id } = first.body.account;
  assert.deepEqual((await call('GET', `/subaccounts/${id}`)).body.account, first.body.account);
  assert.equal((await call('PATCH', `/subaccounts/${id}`, { phone: '1' })).body.account.phone, '1');
  assert.equal((await call('POST', `/subaccounts/${id}/deactivate`)).body.account.active, false);
  assert.equal((await call('POST', `/subaccounts/${id}/onboarding`)).status, 201);
  assert.equal((await call('GET', '/subaccounts')).body.meta.total, 1);
});

test("404 for unknown ids, another team's and another environment's, on every operation", async () => {
  const { id } = await made();
  const other = await api.newMerchant();
  const operations = [
    ['GET', ''],
    ['PATCH', '', {}],
    ['PUT', '', SHOP],
    ['POST', '/deactivate'],
    ['POST', '/onboarding'],
  ] as const;
  for (const [path, key] of [
    [MISSING, merchant.sandbox.secret],
    [id, other.sandbox.secret],
    [id, merchant.live.secret],
  ] as const) {
    for (const [method, suffix, body] of operations) {
      const answer = await api.call(method, `/accounts/${path}${suffix}`, { key, body });
      assert.deepEqual([answer.status, answer.body.message], [404, 'Account Not Found'], `${method} ${path}${suffix}`);
    }
  }
});

test('POST /payments with X-Sync is replayed by its key after the account was deactivated; a new key gets 422', async () => {
  const { id } = await made();
  const create = (key: string) =>
    call('POST', '/payments', { amount: 1000, currency: 'XAF', phone: '1' }, { 'x-sync': id, 'idempotency-key': key });
  const first = await create('synced');
  assert.equal(first.status, 201);
  await call('POST', `/accounts/${id}/deactivate`);
  const second = await create('synced');
  assert.deepEqual([second.status, second.body, second.headers.get('idempotent-replayed')], [201, first.body, 'true']);
  assert.deepEqual([(await create('synced-anew')).status, (await create('synced-anew')).body.errors?.account?.length], [422, 1]);
});

test('422 idempotency_key_reused for the same body for another account, or for none', async () => {
  const [first, second] = [await made(), await made({ ...SHOP, name: 'Boutique Akwa' })];
  const create = (headers: Record<string, string>) =>
    call('POST', '/payments', { amount: 1000, currency: 'XAF', phone: '1' }, { 'idempotency-key': 'one', ...headers });
  assert.equal((await create({ 'x-sync': first.id })).status, 201);
  for (const headers of [{ 'x-sync': second.id }, {}]) {
    const { status, body } = await create(headers as Record<string, string>);
    assert.deepEqual([status, body.error_code, body.transaction], [422, 'idempotency_key_reused', undefined]);
  }
  assert.equal((await call('GET', '/payments')).body.items.length, 1);
});
