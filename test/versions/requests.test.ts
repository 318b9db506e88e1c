// Own process: the version that it adds stays for as long as the process.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { route } from '../../src/tenants/api/route.ts';
import { buildServer } from '../../src/edge/http/server.ts';
import { envelopeSchema } from '../../src/kit/envelope.ts';
import { sql } from '../../src/kit/sql.ts';
import { versions } from '../../src/tenants/versions/registry.ts';
import { startApi, until } from '../setup/api.ts';
import { plainFetch } from '../setup/watched-fetch.ts';
import { addSecondVersion, NEW, OLD } from './second.ts';

addSecondVersion();
const api = await startApi();
after(() => api.stop());
const merchant = await api.newMerchant({ api_version: OLD });
const { db } = api.deps.stores.sandbox;

/** Not by api.call, which holds answers against the document of the newest version. */
async function call(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  key = merchant.sandbox.secret,
) {
  const response = await plainFetch(`${api.url}${path}`, {
    method,
    headers: { authorization: key, 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}
const at = (version: string) => ({ 'x-service-version': version });
const create = (body: object = {}, headers = {}) =>
  call('POST', '/payments', { total: 25_000, currency: 'XAF', phone: '650000000', ...body }, headers);
const paid = async () => {
  const { id } = (await create()).body.transaction;
  assert.equal((await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } })).status, 202);
  await until(
    () => call('GET', `/payments/${id}`),
    ({ body }) => body.transaction.status === 'paid',
  );
  return id as string;
};

test('201 a request in the older version gets a response in that version', async () => {
  const { status, headers, body } = await create();
  assert.deepEqual([status, headers.get('x-service-version')], [201, OLD]);
  const { id, created_at, ...rest } = body.transaction;
  assert.deepEqual(rest, {
    reference: null,
    total: 25_000,
    currency: 'XAF',
    status: 'pending',
    description: null,
    sandbox: true,
  });
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
});

test('422 names the fields of the older version', async () => {
  const { status, body } = await create({ total: 0, email: 'x' });
  assert.deepEqual([status, Object.keys(body.errors).sort()], [422, ['email', 'total']]);
  const missing = await call('POST', '/payments', { currency: 'XAF', phone: '1' });
  assert.deepEqual([missing.body.errors, missing.body.message], [{ total: ['is required'] }, 'total: is required']);
  const newest = await call('POST', '/payments', { currency: 'XAF', phone: '1' }, at(NEW));
  assert.deepEqual(newest.body.errors, { amount: ['is required'] });
});

test('422 raw card data is detected in the request as sent, under its original field name', async () => {
  const { status, body } = await create({ total: 4242424242424242 });
  assert.deepEqual([status, body.error_code, Object.keys(body.errors)], [422, 'raw_card_data_not_accepted', ['total']]);
});

test('200 one payment and lists in both versions; the header takes precedence over the pinned version', async () => {
  const id = await paid();
  const shown = async (version: string) => {
    const one = (await call('GET', `/payments/${id}`, undefined, at(version))).body.transaction;
    const [item] = (await call('GET', `/payments?search=${id}`, undefined, at(version))).body.items;
    return [one, item].map(({ total, amount, status }) => ({ total, amount, status }));
  };
  const [older, newer] = [
    { total: 25_000, amount: undefined, status: 'paid' },
    { total: undefined, amount: 25_000, status: 'succeeded' },
  ];
  assert.deepEqual(
    [await shown(OLD), await shown(NEW)],
    [
      [older, older],
      [newer, newer],
    ],
  );
  assert.equal((await call('GET', `/payments/${id}`)).body.transaction.total, 25_000, 'the pin of the team');
});

test('200 a filter in the older version', async () => {
  const id = await paid();
  const { items } = (await call('GET', '/payments?status=paid')).body;
  assert.ok(items.some((item: { id: string }) => item.id === id));
  const { body } = await call('GET', '/payments?status=paid', undefined, at(NEW));
  assert.deepEqual([body.code, Object.keys(body.errors)], [422, ['status']]);
});

test('400 for a version that does not exist', async () => {
  const { status, body } = await call('GET', '/payments', undefined, at('2026-08-02'));
  assert.deepEqual([status, body.error_code], [400, 'unsupported_api_version']);
  assert.ok(body.message.includes(OLD) && body.message.includes(NEW));
});

test('a new team is pinned to the newest version', async () => {
  const { team } = await api.newMerchant();
  assert.equal(team.api_version, NEW);
});

test('a replayed creation is in the version of the current request', async () => {
  const key = { 'idempotency-key': 'replay-create' };
  const first = await create({}, key);
  const again = await create({}, key);
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed'), again.body], [201, 'true', first.body]);
});

test('a replayed response is in the version of the current request', async () => {
  const body = { name: 'Awa', channel: 'cm.mtn', phone: '+237650000000' };
  const make = (version: string) => call('POST', '/beneficiaries', body, { 'idempotency-key': 'replay-ben', ...at(version) });
  const first = await make(OLD);
  assert.deepEqual(
    [first.status, first.body.beneficiary.msisdn, 'phone' in first.body.beneficiary],
    [201, '+237650000000', false],
  );
  const [older, newer] = [await make(OLD), await make(NEW)];
  for (const { headers } of [older, newer]) assert.equal(headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(older.body, first.body);
  assert.deepEqual([newer.body.beneficiary.phone, 'msisdn' in newer.body.beneficiary], ['+237650000000', false]);
});

test('a response stored by an earlier release is replayed as stored', async () => {
  const body = { name: 'Kofi', channel: 'cm.mtn', phone: '+237650000001' };
  const make = (version: string) => call('POST', '/beneficiaries', body, { 'idempotency-key': 'replay-kept', ...at(version) });
  const { beneficiary } = (await make(OLD)).body;
  await db.run(sql`delete from idempotency_answers where key = 'replay-kept'`);
  await db.run(sql`
    update idempotency_keys set answer = ${JSON.stringify({ code: 201, message: 'kept', body: { beneficiary }, version: OLD })}
    where key = 'replay-kept'`);
  for (const version of [OLD, NEW]) assert.deepEqual((await make(version)).body.beneficiary, beneficiary);
});

test('a replayed charge is in the version of the current request', async () => {
  const { id } = (await create()).body.transaction;
  const charge = (version: string) =>
    call(
      'POST',
      `/payments/${id}`,
      { channel: 'cm.mtn', data: { phone: '650000000' } },
      { 'idempotency-key': 'replay-charge', ...at(version) },
    );
  const first = await charge(OLD);
  assert.deepEqual([first.status, first.body.transaction.total], [202, 25_000]);
  assert.deepEqual((await charge(OLD)).body, first.body);
  const newer = await charge(NEW);
  assert.deepEqual([newer.headers.get('idempotent-replayed'), newer.body.transaction.amount], ['true', 25_000]);
});

test('a public key gets only its visible fields in an older version too', async () => {
  const id = await paid();
  const { transaction } = (await call('GET', `/payments/${id}`, undefined, {}, merchant.sandbox.public)).body;
  assert.deepEqual([transaction.total, 'fee' in transaction], [25_000, false]);
});

test('the response filter applies to every version: a field outside the schema is not returned', async () => {
  const leaky = route({
    method: 'GET',
    path: '/payments/:id',
    summary: 'A payment with something inside that is nobody’s business',
    access: 'private',
    scope: 'payment.read',
    replies: { 200: envelopeSchema({ transaction: Type.Object({ amount: Type.Number(), status: Type.String() }) }) },
    handle: async () => ({
      code: 200,
      message: 'ok',
      body: { transaction: { amount: 5, status: 'succeeded', inside: 'x' }, inside: 'x' },
    }),
  });
  const app = buildServer(api.deps, [leaky], []);
  for (const [version, transaction] of [
    [OLD, { total: 5, status: 'paid' }],
    [NEW, { amount: 5, status: 'succeeded' }],
  ] as const) {
    const headers = { authorization: merchant.sandbox.secret, ...at(version) };
    const answer = await app.inject({ method: 'GET', url: '/payments/x', headers });
    assert.deepEqual(answer.json(), { code: 200, status: 'OK', message: 'ok', transaction });
  }
  await app.close();
});

test('after an upgrade a retry is still the same request and replays the stored response', async () => {
  const body = { name: 'Ama', channel: 'cm.mtn', phone: '+237650000002' };
  const make = (version: string) => call('POST', '/beneficiaries', body, { 'idempotency-key': 'replay-release', ...at(version) });
  const { id } = (await create()).body.transaction;
  const charge = () =>
    call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } }, { 'idempotency-key': 'charge-release' });
  const [made, charged] = [await make(OLD), await charge()];
  versions.add({
    version: '2100-01-01',
    requests: {
      'POST /beneficiaries': { body: (sent) => ({ ...sent, description: 'of an older client' }) },
      'POST /payments/:id': { body: (sent) => ({ ...sent, client_ip: '127.0.0.1' }) },
    },
    resources: { beneficiary: () => ({ shown: 'twice' }), transaction: () => ({ shown: 'twice' }) },
  });
  for (const [again, first] of [
    [await make(OLD), made],
    [await charge(), charged],
  ] as const) {
    assert.deepEqual([again.headers.get('idempotent-replayed'), again.body], ['true', first.body]);
  }
  assert.equal((await make(NEW)).body.beneficiary.phone, '+237650000002');
});
