import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, type Api, type Merchant, startApi } from '../setup/api.ts';

const ID = /^ben_test_[0-9a-hjkmnp-tv-z]{26}$/;
const MISSING = 'ben_test_00000000000000000000000000';
const WALLET = { name: 'Awa Ngo', channel: 'cm.mtn', phone: '650 00 00 00' };
const ACCOUNT = { name: 'Awa SARL', channel: 'cm.bank', account_number: '10005-00001 23456789012-34', bank_code: '10005' };

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

async function made(body: object = WALLET) {
  const answer = await call('POST', '/beneficiaries', body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.beneficiary;
}

async function eventsOf(id: string) {
  const rows = await api.deps.stores.sandbox.db.all<{ type: string; body: Buffer }>(sql`
    select type, body from events where team_id = ${merchant.team.id} and resource_id = ${id} order by sequence`);
  return rows.map(({ type, body }) => ({ type, data: JSON.parse(unpack(body)).data }));
}

test('201 a mobile money beneficiary: international number; type, country and currency from the channel', async () => {
  const { id, created_at, updated_at, ...rest } = await made();
  assert.match(id, ID);
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    name: 'Awa Ngo',
    type: 'mobile_money',
    channel: 'cm.mtn',
    phone: '+237650000000',
    account_number: null,
    email: null,
    bank_code: null,
    country: 'CM',
    currency: 'XAF',
    description: null,
    reference: null,
    metadata: null,
    sandbox: true,
  });
});

test('201 a bank beneficiary: account number without separators, a contact phone', async () => {
  const row = await made({ ...ACCOUNT, phone: '+237 699 00 00 01', country: 'cm', currency: 'XAF', metadata: { a: 1 } });
  assert.deepEqual(
    [row.type, row.account_number, row.phone, row.bank_code, row.country, row.metadata],
    ['bank', '10005000012345678901234', '+237699000001', '10005', 'CM', { a: 1 }],
  );
});

test('201 account_number may contain a wallet number, and the second currency of a channel may be chosen', async () => {
  assert.equal((await made({ name: 'A', channel: 'cm.orange', account_number: '237690000001' })).phone, '+237690000001');
  assert.equal((await made({ name: 'A', channel: 'cd.orange', phone: '+243890000000', currency: 'USD' })).currency, 'USD');
});

test('422 names every field that does not fit', async () => {
  const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, i]));
  const cases: [object, string[]][] = [
    [{}, ['channel', 'name']],
    [{ ...WALLET, name: ' ' }, ['name']],
    [{ ...WALLET, channel: 'cm.nobody' }, ['channel']],
    [{ ...WALLET, channel: 'cm.card' }, ['channel']],
    [{ name: 'A', channel: 'cm.mtn' }, ['phone']],
    [{ ...WALLET, phone: '' }, ['phone']],
    [
      { ...WALLET, phone: '+2250700000000', country: 'CI', currency: 'XOF', metadata: tooMany },
      ['country', 'currency', 'metadata', 'phone'],
    ],
    [{ name: 'A', channel: 'cm.mtn', account_number: '12' }, ['account_number']],
    [{ name: 'A', channel: 'cm.bank' }, ['account_number']],
    [{ ...ACCOUNT, account_number: '€€€€€€', phone: '1' }, ['account_number', 'phone']],
    [{ ...ACCOUNT, account_number: `${'1'.repeat(35)}` }, ['account_number']],
    [
      { ...WALLET, email: 'no', country: 'CMR', reference: 'r'.repeat(129), description: 'd'.repeat(501) },
      ['country', 'description', 'email', 'reference'],
    ],
    [{ ...WALLET, phone: 650000000, name: ['A'], channel: {}, metadata: 'x' }, ['channel', 'metadata', 'name', 'phone']],
    [{ ...WALLET, name: 'A\u0000' }, ['name']],
    [{ ...WALLET, metadata: { note: '\ud800' } }, ['metadata.note']],
  ];
  for (const [body, fields] of cases) {
    const { status, body: answer } = await call('POST', '/beneficiaries', body);
    assert.equal(status, 422, JSON.stringify(body));
    assert.deepEqual(Object.keys(answer.errors).sort(), fields, JSON.stringify(body));
  }
  assert.equal((await call('GET', '/beneficiaries')).body.meta.total, 0);
});

test('422 channel_not_supported for an unknown channel or one without payouts', async () => {
  for (const channel of ['cm.nobody', 'cm.card']) {
    assert.equal((await call('POST', '/beneficiaries', { ...WALLET, channel })).body.error_code, 'channel_not_supported');
  }
});

test('400 a body that is not an object', async () => {
  for (const body of [[], 'x', 1]) assert.equal((await call('POST', '/beneficiaries', body)).status, 400);
});

test('200 list: newest first, in both forms of paging', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.unshift((await made({ ...WALLET, name: `Number ${n}` })).id);
  const { body } = await call('GET', '/beneficiaries?per_page=2');
  assert.deepEqual(
    body.items.map((item: { id: string }) => item.id),
    ids.slice(0, 2),
  );
  const { next_cursor, ...meta } = body.meta;
  assert.deepEqual(meta, { current_page: 1, last_page: 2, per_page: 2, total: 3 });
  const next = await call('GET', `/beneficiaries?per_page=2&cursor=${encodeURIComponent(next_cursor)}`);
  assert.deepEqual(
    next.body.items.map((item: { id: string }) => item.id),
    ids.slice(2),
  );
  assert.equal(next.body.meta.has_more, false);
});

test('200 search matches names, numbers, e-mail and reference, and treats wildcards as text', async () => {
  const awa = await made({ ...WALLET, email: 'awa@shop.example', reference: 'R_1' });
  const bank = await made({ ...ACCOUNT, name: '100 % Bio' });
  const found = async (search: string) => {
    const { body } = await call('GET', `/beneficiaries?search=${encodeURIComponent(search)}`);
    return body.items.map((item: { id: string }) => item.id);
  };
  for (const text of ['awa ngo', '50000000', 'AWA@SHOP', 'r_1', awa.id]) assert.deepEqual(await found(text), [awa.id], text);
  assert.deepEqual(await found('0 % b'), [bank.id]);
  assert.deepEqual(await found('10005000012345'), [bank.id]);
  assert.deepEqual(await found('r_'), [awa.id]);
  for (const text of ['R-1', '50%00', "' or true --"]) assert.deepEqual(await found(text), [], text);
});

test('200 PATCH changes the fields it contains and keeps the others', async () => {
  const before = await made({ ...WALLET, email: 'awa@shop.example', metadata: { a: 1 } });
  const { status, body } = await call('PATCH', `/beneficiaries/${before.id}`, {
    phone: '+237 651 00 00 02',
    metadata: null,
    reference: 'new',
  });
  assert.equal(status, 200);
  assert.deepEqual(
    { ...body.beneficiary, updated_at: 0 },
    {
      ...before,
      phone: '+237651000002',
      metadata: null,
      reference: 'new',
      updated_at: 0,
    },
  );
  assert.deepEqual((await call('GET', `/beneficiaries/${before.id}`)).body.beneficiary, body.beneficiary);
  const renamed = await call('PATCH', `/beneficiaries/${before.id}`, { account_number: '652000003' });
  assert.equal(renamed.body.beneficiary.phone, '+237652000003');
});

test('200 PUT resets omitted fields and keeps the destination', async () => {
  const before = await made({ ...WALLET, email: 'awa@shop.example', description: 'd', metadata: { a: 1 } });
  const sent = { name: 'Awa N.', phone: '651000002', channel: 'cm.mtn', currency: 'XAF' };
  const { status, body } = await call('PUT', `/beneficiaries/${before.id}`, sent);
  assert.equal(status, 200);
  assert.deepEqual(
    { ...body.beneficiary, updated_at: 0 },
    {
      ...before,
      name: 'Awa N.',
      phone: '+237651000002',
      email: null,
      description: null,
      metadata: null,
      updated_at: 0,
    },
  );
  assert.deepEqual(Object.keys((await call('PUT', `/beneficiaries/${before.id}`, { name: 'Awa' })).body.errors), ['phone']);
});

test('422 channel, country and currency never change; repeating the present values is accepted', async () => {
  const { id } = await made();
  for (const method of ['PUT', 'PATCH']) {
    const { status, body } = await call(method, `/beneficiaries/${id}`, {
      ...WALLET,
      channel: 'cm.orange',
      country: 'CI',
      currency: 'XOF',
    });
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(body.errors).sort(), ['channel', 'country', 'currency']);
    assert.equal((await call(method, `/beneficiaries/${id}`, { ...WALLET, country: 'cm', currency: 'XAF' })).status, 200);
  }
  assert.deepEqual(Object.keys((await call('PATCH', `/beneficiaries/${id}`, { phone: null })).body.errors), ['phone']);
});

test('200 DELETE returns the deleted beneficiary; then 404', async () => {
  const before = await made();
  const { status, body } = await call('DELETE', `/beneficiaries/${before.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body.beneficiary, before);
  for (const method of ['GET', 'DELETE']) assert.equal((await call(method, `/beneficiaries/${before.id}`)).status, 404);
});

test('every change emits an event with the same data as GET', async () => {
  const created = await made();
  const updated = (await call('PATCH', `/beneficiaries/${created.id}`, { name: 'B' })).body.beneficiary;
  await call('DELETE', `/beneficiaries/${created.id}`);
  assert.deepEqual(await eventsOf(created.id), [
    { type: 'beneficiary.created', data: created },
    { type: 'beneficiary.updated', data: updated },
    { type: 'beneficiary.deleted', data: updated },
  ]);
});

test("404 for unknown ids, another team's and another environment's, on every method", async () => {
  const { id } = await made();
  const other = await api.newMerchant();
  const { sandbox, live } = merchant;
  const asking: [string, string][] = [
    [MISSING, sandbox.secret],
    [id, other.sandbox.secret],
    [id, live.secret],
    ['%00', sandbox.secret],
  ];
  for (const [path, key] of asking) {
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}], ['PUT', WALLET]] as const) {
      const answer = await api.call(method, `/beneficiaries/${path}`, { key, body });
      assert.deepEqual([answer.status, answer.body.message], [404, 'Beneficiary Not Found'], `${method} ${path}`);
    }
  }
  assert.equal((await api.call('GET', '/beneficiaries', { key: other.sandbox.secret })).body.meta.total, 0);
  assert.equal((await api.call('GET', '/beneficiaries', { key: merchant.live.secret })).body.meta.total, 0);
  assert.equal((await call('GET', `/beneficiaries/${id}`)).status, 200);
});

test('406 a public key, 403 a restricted key without the scope', async () => {
  const { status, body } = await api.call('GET', '/beneficiaries', { key: merchant.sandbox.public });
  assert.deepEqual([status, body.message], [406, 'Private Key Required']);
  const reader = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['beneficiary.read'] });
  assert.equal((await api.call('GET', '/beneficiaries', { key: reader.key })).status, 200);
  assert.equal((await api.call('POST', '/beneficiaries', { key: reader.key, body: WALLET })).status, 403);
});

test('201 the same Idempotency-Key creates one beneficiary; 422 with another body', async () => {
  const headers = { 'Idempotency-Key': 'ben-1' };
  const answers = await Promise.all([1, 2, 3].map(() => call('POST', '/beneficiaries', WALLET, headers)));
  assert.deepEqual(new Set(answers.map(({ status, body }) => `${status} ${body.beneficiary.id}`)).size, 1);
  assert.equal(answers.filter(({ headers: sent }) => sent.get('idempotent-replayed') === 'true').length, 2);
  const other = await call('POST', '/beneficiaries', { ...WALLET, name: 'B' }, headers);
  assert.deepEqual([other.status, other.body.error_code], [422, 'idempotency_key_reused']);
  assert.equal((await call('GET', '/beneficiaries')).body.meta.total, 1);
});
