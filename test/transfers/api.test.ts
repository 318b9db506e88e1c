import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { assertBooks, bucketsOf, eventsOf, fund, journalsOf, TO_PHONE } from './support.ts';
import { type Answer, type Api, type Merchant, startApi } from '../setup/api.ts';

const ID = /^po_test_[0-9a-hjkmnp-tv-z]{26}$/;
const WALLET = { name: 'Awa Ngo', channel: 'cm.mtn', phone: '650000000' };

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

async function sent(body: object) {
  const answer = await call('POST', '/transfers', body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.transfer;
}

async function beneficiary(body: object = WALLET): Promise<string> {
  return (await call('POST', '/beneficiaries', body)).body.beneficiary.id;
}

async function recipientOf(id: string) {
  const row = await api.deps.stores.sandbox.db.maybe<{ recipient: object }>(sql`
    select recipient from transfers where team_id = ${merchant.team.id} and id = ${id}`);
  return row?.recipient;
}

test('201 a transfer to a beneficiary is processing and its money is reserved', async () => {
  await fund(api, merchant.team, 10_000);
  const ben = await beneficiary();
  const body = {
    amount: 1_000,
    currency: 'XAF',
    beneficiary: ben,
    reference: 'order-1',
    description: 'Salary',
    metadata: { month: 7 },
  };
  const { id, created_at, updated_at, ...rest } = await sent(body);
  assert.match(id, ID);
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    reference: 'order-1',
    amount: 1_000,
    currency: 'XAF',
    fee: 10,
    amount_total: 1_010,
    status: 'processing',
    reason: null,
    message: null,
    beneficiary: ben,
    channel: 'cm.mtn',
    account: null,
    description: 'Salary',
    metadata: { month: 7 },
    sandbox: true,
    completed_at: null,
  });
  assert.deepEqual((await call('GET', `/transfers/${id}`)).body.transfer, { id, created_at, updated_at, ...rest });
  const { available, reserved } = await bucketsOf(api.deps.stores.sandbox, merchant.team);
  assert.deepEqual([available, reserved], [8_990, 1_010]);
  assert.deepEqual(await journalsOf(api.deps.stores.sandbox, merchant.team, id), ['transfer.reserved']);
  await assertBooks(api.deps.stores.sandbox, merchant.team);
});

test('201 the recipient can be in the transfer itself: an object, a number, an account, an id', async () => {
  await fund(api, merchant.team, 100_000);
  const ben = await beneficiary({ name: 'Saved', channel: 'cm.bank', account_number: '1000500001', bank_code: '10005' });
  const none = { phone: null, account_number: null, bank_code: null, country: 'CM', email: null };
  const savedPayee = { ...none, name: 'Saved', account_number: '1000500001', bank_code: '10005' };
  const email = 'awa@shop.example';
  const cases: [object, string, string | null, object][] = [
    [{ beneficiary: { ...WALLET, email } }, 'cm.mtn', null, { ...none, name: 'Awa Ngo', phone: '+237650000000', email }],
    [
      { beneficiary: { name: 'A', phone: '690000001' }, channel: 'cm.orange' },
      'cm.orange',
      null,
      { ...none, name: 'A', phone: '+237690000001' },
    ],
    [{ recipient: '237650000001', channel: 'cm.mtn' }, 'cm.mtn', null, { ...none, name: null, phone: '+237650000001' }],
    [{ recipient: '10005 00001', channel: 'cm.bank' }, 'cm.bank', null, { ...none, name: null, account_number: '1000500001' }],
    [{ recipient: ben }, 'cm.bank', ben, savedPayee],
    [{ beneficiary: ben, channel: 'cm.bank' }, 'cm.bank', ben, savedPayee],
  ];
  for (const [fields, channel, beneficiaryId, recipient] of cases) {
    const transfer = await sent({ amount: 1_000, currency: 'XAF', ...fields });
    assert.deepEqual([transfer.channel, transfer.beneficiary], [channel, beneficiaryId], JSON.stringify(fields));
    assert.deepEqual(await recipientOf(transfer.id), recipient, JSON.stringify(fields));
  }
});

test('a later change or deletion of the beneficiary does not change its transfers', async () => {
  await fund(api, merchant.team, 10_000);
  const ben = await beneficiary();
  const transfer = await sent({ amount: 1_000, currency: 'XAF', beneficiary: ben });
  await call('PATCH', `/beneficiaries/${ben}`, { phone: '651000000' });
  await call('DELETE', `/beneficiaries/${ben}`);
  assert.deepEqual((await call('GET', `/transfers/${transfer.id}`)).body.transfer, transfer);
  assert.equal(((await recipientOf(transfer.id)) as { phone: string }).phone, '+237650000000');
  assert.equal((await call('GET', `/transfers?beneficiary=${ben}`)).body.meta.total, 1);
  assert.equal(
    (await call('POST', '/transfers', { amount: 1_000, currency: 'XAF', beneficiary: ben })).body.message,
    'Beneficiary Not Found',
  );
});

test('201 failed with insufficient_balance when amount and fee are not covered: event emitted, nothing posted', async () => {
  await fund(api, merchant.team, 1_009);
  const { sandbox } = api.deps.stores;
  const short = await sent({ ...TO_PHONE, amount: 1_000 });
  assert.deepEqual([short.status, short.reason], ['failed', 'insufficient_balance']);
  assert.ok(short.completed_at);
  assert.ok(short.message);
  assert.deepEqual((await call('GET', `/transfers/${short.id}`)).body.transfer, short);
  assert.deepEqual(await journalsOf(sandbox, merchant.team, short.id), []);
  assert.deepEqual(await eventsOf(sandbox, merchant.team, short.id), ['transfer.created', 'transfer.failed']);
  assert.equal((await bucketsOf(sandbox, merchant.team)).available, 1_009);
  await fund(api, merchant.team, 1);
  assert.equal((await sent({ ...TO_PHONE, amount: 1_000 })).status, 'processing');
  assert.equal((await sent({ ...TO_PHONE, amount: 100 })).status, 'failed');
  assert.equal((await bucketsOf(sandbox, merchant.team)).available, 0);
  await assertBooks(sandbox, merchant.team);
});

test('the events of a transfer have the same data as the responses and GET', async () => {
  const short = await sent({ ...TO_PHONE, amount: 1_000 });
  const rows = await api.deps.stores.sandbox.db.all<{ body: Buffer }>(sql`
    select body from events where team_id = ${merchant.team.id} and resource_id = ${short.id} order by sequence`);
  const [created, failed] = rows.map(({ body }) => JSON.parse(unpack(body)).data);
  assert.deepEqual(failed, short);
  assert.deepEqual(created, { ...short, status: 'processing', reason: null, message: null, completed_at: null });
});

test('each balance funds transfers in its own currency only', async () => {
  await fund(api, merchant.team, 10_000);
  assert.equal(
    (await sent({ recipient: '+2250700000000', channel: 'ci.orange', amount: 500, currency: 'XOF' })).reason,
    'insufficient_balance',
  );
  await fund(api, merchant.team, 1_000, api.deps.stores.sandbox, 'GHS');
  const transfer = await sent({ recipient: '+233240000000', channel: 'gh.mtn', amount: 10.05, currency: 'GHS' });
  assert.deepEqual([transfer.amount, transfer.fee, transfer.amount_total], [10.05, 0.1, 10.15]);
});

test('422 names every field that does not fit', async () => {
  await fund(api, merchant.team, 10_000_000);
  const ben = await beneficiary();
  const to = { amount: 1_000, currency: 'XAF' };
  const cases: [object, string[]][] = [
    [{}, ['amount', 'beneficiary', 'currency', 'recipient']],
    [{ ...to }, ['beneficiary', 'recipient']],
    [{ ...to, beneficiary: ben, recipient: '650000000', channel: 'cm.mtn' }, ['beneficiary', 'recipient']],
    [{ ...TO_PHONE, amount: 0 }, ['amount']],
    [{ ...TO_PHONE, amount: -5 }, ['amount']],
    [{ ...TO_PHONE, amount: '1000' }, ['amount']],
    [{ ...TO_PHONE, amount: 1_000.5 }, ['amount']],
    [{ ...TO_PHONE, amount: 1e300 }, ['amount']],
    [{ ...TO_PHONE, amount: 99 }, ['amount']],
    [{ ...TO_PHONE, amount: 500_001 }, ['amount']],
    [{ ...TO_PHONE, amount: 1_000, currency: 'XXX' }, ['currency']],
    [{ ...TO_PHONE, amount: 1_000, currency: 'XOF' }, ['currency']],
    [{ ...to, currency: 'XOF', beneficiary: ben, channel: 'cm.orange' }, ['channel', 'currency']],
    [{ ...to, recipient: '650000000' }, ['channel']],
    [{ ...to, recipient: '12', channel: 'cm.mtn' }, ['recipient']],
    [{ ...to, recipient: '1', channel: 'cm.bank' }, ['recipient']],
    [{ ...to, recipient: '650000000', channel: 'cm.nobody' }, ['channel']],
    [{ ...to, recipient: '650000000', channel: 'cm.card' }, ['channel']],
    [{ ...to, beneficiary: {} }, ['beneficiary.channel', 'beneficiary.name']],
    [{ ...to, beneficiary: { name: 'A' } }, ['beneficiary.channel']],
    [{ ...to, beneficiary: { name: 'A', channel: 'cm.mtn' } }, ['beneficiary.phone']],
    [
      { ...to, beneficiary: { name: 'A', channel: 'cm.bank', country: 'CI' } },
      ['beneficiary.account_number', 'beneficiary.country'],
    ],
    [{ ...to, beneficiary: { ...WALLET, email: 'no' } }, ['beneficiary.email']],
    [{ ...to, beneficiary: WALLET, channel: 'cm.orange' }, ['channel']],
    [{ ...to, beneficiary: [WALLET] }, ['beneficiary']],
    [
      { ...TO_PHONE, amount: 0.001, reference: 'r'.repeat(129), description: 'd'.repeat(501), metadata: [] },
      ['amount', 'description', 'metadata', 'reference'],
    ],
    [{ ...TO_PHONE, amount: 1_000.555, metadata: { x: 'x'.repeat(17_000) } }, ['amount', 'metadata']],
    [{ ...TO_PHONE, amount: 1_000, description: 'a\u0000' }, ['description']],
  ];
  for (const [body, fields] of cases) {
    const { status, body: answer } = await call('POST', '/transfers', body);
    assert.equal(status, 422, JSON.stringify(body).slice(0, 200));
    assert.deepEqual(Object.keys(answer.errors).sort(), fields, JSON.stringify(body).slice(0, 200));
  }
  for (const body of [
    { ...TO_PHONE, amount: 1_000, currency: 'XOF' },
    { ...to, recipient: '650000000', channel: 'cm.card' },
  ]) {
    assert.equal((await call('POST', '/transfers', body)).body.error_code, 'channel_not_supported');
  }
  assert.equal((await call('GET', '/transfers')).body.meta.total, 0);
  assert.equal((await bucketsOf(api.deps.stores.sandbox, merchant.team)).available, 10_000_000);
});

test('400 for malformed bodies', async () => {
  for (const raw of ['', '[]', '{', '{"amount":1', '{"__proto__":{"x":1}}']) {
    assert.equal((await api.call('POST', '/transfers', { key: merchant.sandbox.secret, raw })).status, 400, raw);
  }
});

test('422 for raw card data in any field', async () => {
  for (const more of [{ description: '4242 4242 4242 4242' }, { card: { number: '1', cvc: '2' } }]) {
    assert.equal(
      (await call('POST', '/transfers', { ...TO_PHONE, amount: 1_000, ...more })).body.error_code,
      'raw_card_data_not_accepted',
    );
  }
});

test('404 for beneficiaries that are unknown or belong to another team or environment', async () => {
  const ben = await beneficiary();
  const other = await api.newMerchant();
  for (const fields of [{ beneficiary: ben }, { recipient: ben }]) {
    const answer = await api.call('POST', '/transfers', {
      key: other.sandbox.secret,
      body: { amount: 1_000, currency: 'XAF', ...fields },
    });
    assert.deepEqual([answer.status, answer.body.message], [404, 'Beneficiary Not Found']);
  }
  for (const id of ['ben_00000000000000000000000000', 'ben_test_00000000000000000000000000', 'ben_', 'x']) {
    assert.equal((await call('POST', '/transfers', { amount: 1_000, currency: 'XAF', beneficiary: id })).status, 404, id);
  }
});

test('422 merchant_not_verified for an unverified live team; 502 without a provider; nothing stored, key unused', async () => {
  const send = (live: Merchant) =>
    api.call('POST', '/transfers', {
      key: live.live.secret,
      body: { ...TO_PHONE, amount: 1_000 },
      headers: { 'Idempotency-Key': 'live-1' },
    });
  const unverified = await send(merchant);
  assert.deepEqual([unverified.status, unverified.body.error_code], [422, 'merchant_not_verified']);
  assert.deepEqual(Object.keys(unverified.body.errors), ['amount']);
  const verified = await api.newMerchant({ verification_level: 1 });
  const { live } = api.deps.stores;
  await fund(api, verified.team, 10_000, live);
  for (let n = 0; n < 2; n++) assert.equal((await send(verified)).status, 502);
  for (const { team } of [merchant, verified]) {
    const rows = await live.db.all(sql`
      select 1 from transfers where team_id = ${team.id} union all select 1 from events where team_id = ${team.id}
      union all select 1 from idempotency_keys where team_id = ${team.id}`);
    assert.equal(rows.length, 0);
  }
  assert.equal((await bucketsOf(live, verified.team)).available, 10_000);
});

test('201 the same Idempotency-Key creates one transfer and replays the response; 422 with another body', async () => {
  await fund(api, merchant.team, 10_000);
  const headers = { 'Idempotency-Key': 'po-1' };
  const first = await call('POST', '/transfers', { ...TO_PHONE, amount: 1_000 }, headers);
  const again = await call('POST', '/transfers', { amount: 1_000, ...TO_PHONE }, headers);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.deepEqual(
    [first, again].map((answer) => answer.headers.get('idempotent-replayed')),
    [null, 'true'],
  );
  const other = await call('POST', '/transfers', { ...TO_PHONE, amount: 1_001 }, headers);
  assert.deepEqual([other.status, other.body.error_code], [422, 'idempotency_key_reused']);
  assert.equal((await bucketsOf(api.deps.stores.sandbox, merchant.team)).available, 8_990);
});

test('a rejected transfer leaves its key unused for the corrected request', async () => {
  await fund(api, merchant.team, 10_000);
  const headers = { 'Idempotency-Key': 'po-2' };
  assert.equal((await call('POST', '/transfers', { ...TO_PHONE, amount: 1 }, headers)).status, 422);
  assert.equal((await call('POST', '/transfers', { ...TO_PHONE, amount: 1_000 }, headers)).status, 201);
});

test('404 for ids that are unknown or belong to another team or environment', async () => {
  await fund(api, merchant.team, 10_000);
  const { id } = await sent({ ...TO_PHONE, amount: 1_000 });
  const other = await api.newMerchant();
  const asking = [
    ['po_test_00000000000000000000000000', merchant.sandbox.secret],
    [id, other.sandbox.secret],
    [id, merchant.live.secret],
    [id.toUpperCase(), merchant.sandbox.secret],
    ['%00', merchant.sandbox.secret],
  ] as const;
  for (const [path, key] of asking) {
    const answer = await api.call('GET', `/transfers/${path}`, { key });
    assert.deepEqual([answer.status, answer.body.message], [404, 'Transfer Not Found'], path);
  }
  for (const key of [other.sandbox.secret, merchant.live.secret]) {
    assert.equal((await api.call('GET', '/transfers', { key })).body.meta.total, 0);
  }
});

test('406 for a public key, 403 for a restricted key without the scope, 405 for unsupported methods', async () => {
  const body = { ...TO_PHONE, amount: 1_000 };
  for (const method of ['GET', 'POST']) {
    const answer = await api.call(method, '/transfers', { key: merchant.sandbox.public, ...(method === 'POST' ? { body } : {}) });
    assert.deepEqual([answer.status, answer.body.message], [406, 'Private Key Required']);
  }
  const reader = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['transfer.read'] });
  const writer = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['transfer.write'] });
  assert.equal((await api.call('GET', '/transfers', { key: reader.key })).status, 200);
  assert.equal((await api.call('POST', '/transfers', { key: reader.key, body })).status, 403);
  assert.equal((await api.call('GET', '/transfers', { key: writer.key })).status, 403);
  assert.equal((await api.call('POST', '/transfers', { key: writer.key, body })).status, 201);
  assert.equal((await call('DELETE', '/transfers/po_test_00000000000000000000000000')).status, 405);
});
