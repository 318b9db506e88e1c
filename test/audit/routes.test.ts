import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type EntryRow, findEntries } from '../../src/tenants/audit/store.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { allRoutes, startWorkers } from '../../src/program/program.ts';
import { newPayment, Payer } from '../checkout/payer.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paymentIn } from '../setup/pay.ts';
import { type Act, ACTS, NO_ENTRY, PERSONAL, type Shop } from './acts.ts';

let api: Api;
let shop: Shop;
let key: { id: string; key: string };
let keys: Record<Environment, { id: string; key: string }>;
before(async () => {
  api = await startApi();
  const merchant = await api.newMerchant({ verification_level: 1 });
  key = await api.newKey(merchant.team, 'sandbox', 'secret');
  keys = { sandbox: key, live: await api.newKey(merchant.team, 'live', 'secret') };
  const done: Shop['done'] = async (method, path, body, environment = 'sandbox') => {
    const answer = await api.call(method, path, { key: merchant[environment].secret, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  shop = { api, merchant, done };
});
after(() => api.stop());

const entries = (wanted: Parameters<typeof findEntries>[1], environment: Environment = 'sandbox') =>
  findEntries(api.deps.stores[environment].db, wanted, 100);

/** What an entry says of who, what and from where. */
function told({ team_id, actor, actor_id, request_id, address, action, resource_id }: EntryRow) {
  return { team_id, actor, actor_id, request_id, address, action, resource_id };
}

async function perform(name: string, { prepare, resource, environment = 'sandbox' }: Act) {
  const [method, pattern] = name.split(' ') as [string, string];
  const { params = {}, body } = await prepare(shop);
  const path = pattern.replace(/:(\w+)/g, (_, param: string) => params[param] as string);
  const request_id = `audit-${name.replace(/[^\w]/g, '')}`;
  const answer = await api.call(method, path, { key: keys[environment].key, body, headers: { 'x-request-id': request_id } });
  assert.ok(answer.status < 300, `${name}: ${JSON.stringify(answer.body)}`);
  return { request_id, resource_id: resource ? resource(answer.body, params) : (params.id as string) };
}

test('every operation that changes data is in the table or needs no entry', () => {
  const writing = allRoutes(api.deps)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual([...Object.keys(ACTS), ...Object.keys(NO_ENTRY)].sort(), writing.sort());
});

describe('each action leaves one entry with team, key, request, address and resource', () => {
  for (const [name, act] of Object.entries(ACTS)) {
    test(name, async () => {
      const { request_id, resource_id } = await perform(name, act);
      const actor_id = keys[act.environment ?? 'sandbox'].id;
      const by = { team_id: shop.merchant.team.id, actor: 'key', actor_id, request_id, address: '127.0.0.1' };
      assert.deepEqual((await entries({ request_id }, act.environment)).map(told), [{ ...by, action: act.action, resource_id }]);
    });
  }
});

test('a payment stores the key and the request that created it, and writes no entry', async () => {
  const { body } = await api.call('POST', '/payments', {
    key: key.key,
    body: { amount: 100, currency: 'XAF', email: 'aminata@payer.example' },
    headers: { 'x-request-id': 'making' },
  });
  const row = await api.deps.stores.sandbox.db.maybe(sql`
    select key_id, request_id from payments where id = ${body.transaction.id}`);
  assert.deepEqual(row, { key_id: key.id, request_id: 'making' });
  assert.deepEqual(await entries({ request_id: 'making' }), []);
});

test('the address of a request with a public key is not stored: it belongs to the browser of a payer', async () => {
  const id = (await shop.done('POST', '/payments', { amount: 100, currency: 'XAF', phone: '+237650000000' })).transaction.id;
  const body = { channel: 'cm.mtn', data: { phone: '650000000' } };
  assert.equal((await api.call('POST', `/payments/${id}`, { key: shop.merchant.sandbox.public, body })).status, 202);
  const [entry] = await entries({ resource_id: id });
  assert.deepEqual([entry?.actor, entry?.address], ['key', null]);
});

test('a charge and a further step on the hosted page are recorded as by the payer, without personal data', async () => {
  const { id, url } = await newPayment(api, {}, shop.merchant.sandbox.secret);
  const browser = new Payer(url);
  await browser.get();
  const answer = await browser.submit({ channel: 'cm.card', number: '4000002500003155', expiry: '12/40', cvc: '123' });
  assert.ok(answer.status < 400, `${answer.status}`);
  await browser.get('/card');
  const step = await browser.submit({ authentication: 'approve' }, '/card');
  assert.ok(step.status < 400, `${step.status}`);
  const found = (await entries({ resource_id: id })).map(({ action, actor, actor_id, address }) => [
    action,
    actor,
    actor_id,
    address,
  ]);
  assert.deepEqual(found, [
    ['payment.continue', 'payer', null, null],
    ['payment.charge', 'payer', null, null],
  ]);
  assert.match((await entries({ resource_id: id }))[0]?.request_id as string, /^req_/);
});

test('a rejected request leaves no entry; a replayed one leaves no further entry', async () => {
  const customer = await shop.done('POST', '/customers', { email: 'replayed@payer.example' });
  const refused = [
    ['POST', '/refunds', { payment: 'trx_test_404', reason: 'duplicate' }],
    ['DELETE', '/payments/trx_test_404', undefined],
    ['POST', '/customers', { email: 'replayed@payer.example' }],
    ['PATCH', `/customers/${customer.customer.id}`, { email: null }],
  ] as const;
  for (const [method, path, body] of refused) {
    const { status } = await api.call(method, path, { key: key.key, body, headers: { 'x-request-id': 'refused' } });
    assert.ok(status >= 400, `${method} ${path}`);
  }
  assert.deepEqual(await entries({ request_id: 'refused' }), []);
  const headers = { 'x-request-id': 'twice', 'idempotency-key': 'twice' };
  for (let i = 0; i < 2; i++) {
    const body = { name: 'A', channel: 'cm.mtn', phone: '650000000' };
    assert.equal((await api.call('POST', '/beneficiaries', { key: key.key, headers, body })).status, 201);
  }
  assert.equal((await entries({ request_id: 'twice' })).length, 1);
});

describe('an action and its entry are one transaction', () => {
  const post = (email: string) =>
    api.call('POST', '/customers', { key: key.key, body: { email }, headers: { 'x-request-id': email.slice(0, 4) } });

  test('an action that fails at commit leaves no entry', async () => {
    await asOwner(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
      create constraint trigger late after insert on customers deferrable initially deferred for each row execute function refuse()`);
    const { status } = await post('late@payer.example');
    await asOwner('drop trigger late on customers; drop function refuse');
    assert.equal(status, 500);
    assert.deepEqual(await entries({ request_id: 'late' }), []);
  });

  test('an action without its entry is rolled back', async () => {
    await asOwner('alter table audit_entries rename to audit_entries_away');
    const { status } = await post('away@payer.example');
    await asOwner('alter table audit_entries_away rename to audit_entries');
    assert.equal(status, 500);
    assert.deepEqual((await shop.done('GET', '/customers?search=away@payer.example')).items, []);
  });
});

async function asOwner(text: string): Promise<void> {
  const owner = openPool({ url: api.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  await owner.run({ text, values: [] }).finally(() => owner.close());
}

test('a dispute is recorded as opened by its provider unless another actor is given', async () => {
  const { params } = await (ACTS['POST /disputes/:id/accept'] as Act).prepare(shop);
  const found = await entries({ resource_id: params?.id });
  assert.deepEqual(
    found.map(({ action, actor, actor_id }) => [action, actor, actor_id]),
    [['dispute.open', 'provider', null]],
  );
});

test('automatic actions of the service are recorded as by the worker', async () => {
  const { id } = (await shop.done('POST', '/payments', { amount: 1_200_000, currency: 'XAF', phone: '+237650000000' }))
    .transaction;
  const body = { channel: 'cm.mtn', data: { phone: '650000000' } };
  assert.equal((await api.call('POST', `/payments/${id}`, { key: key.key, body })).status, 202);
  await paymentIn(api, id, ['succeeded'], { key: key.key });
  assert.deepEqual(
    (await entries({ resource_id: id })).map(({ action, actor }) => [action, actor]),
    [
      ['payment.charge', 'worker'],
      ['payment.charge', 'worker'],
      ['payment.charge', 'key'],
    ],
  );
});

test('the audit trails of both stores are sealed by the workers of the service', async () => {
  const workers = startWorkers(api.deps);
  await Promise.all(workers.map((worker) => worker.stop()));
  const names = workers.map(({ name }) => name);
  for (const name of ['audit-seal:sandbox', 'audit-seal:live']) assert.ok(names.includes(name), name);
});

test('the audit trail contains no personal data', async () => {
  for (const { db } of [api.deps.stores.sandbox, api.deps.stores.live]) {
    const rows = await db.all<{ row: string }>(sql`select e::text as row from audit_entries e`);
    assert.ok(rows.length > 5);
    for (const { row } of rows) for (const personal of PERSONAL) assert.ok(!row.includes(personal), `${personal} in ${row}`);
  }
});
