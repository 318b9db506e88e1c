import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, type Api, startApi } from '../setup/api.ts';
import { type Answered, type Contract, contractOf } from './contract.ts';

/** That the contract, which every `api.call` of the suite is held against, does object: one wrong answer for each promise. */
let api: Api;
let contract: Contract;
let good: Answer;
before(async () => {
  api = await startApi({ workers: false });
  contract = contractOf();
  const { body } = await api.call('POST', '/payments', { body: { amount: 100, currency: 'XAF', phone: '650000000' } });
  good = await api.call('GET', `/payments/${body.transaction.id}`);
});
after(() => api.stop());

const path = '/payments/trx_test_1';

function changed(body: object, headers: Record<string, string | null> = {}): Answered {
  const copy = new Headers(good.headers);
  for (const [name, value] of Object.entries(headers)) value === null ? copy.delete(name) : copy.set(name, value);
  return { status: 200, headers: copy, body: { ...good.body, ...body } };
}

test('a response that matches the document is accepted', () => contract.check('GET', path, changed({})));

const WRONG: Record<string, [answer: () => Answered, told: RegExp]> = {
  'a field nobody documented': [
    () => changed({ transaction: { ...good.body.transaction, provider_name: 'x' } }),
    /transaction must NOT have additional properties.*provider_name/s,
  ],
  'a field beside the envelope': [() => changed({ extra: 1 }), /additional properties.*extra/s],
  'a field that is missing': [
    () => changed({ transaction: { ...good.body.transaction, currency: undefined } }),
    /required.*currency/s,
  ],
  'another type': [() => changed({ transaction: { ...good.body.transaction, amount: '100' } }), /amount must be number/],
  'a status there is not': [
    () => changed({ transaction: { ...good.body.transaction, status: 'paid' } }),
    /status must be equal to one of/,
  ],
  'a moment that is none': [
    () => changed({ transaction: { ...good.body.transaction, created_at: '1 August' } }),
    /created_at must match format/,
  ],
  'a header that is missing': [() => changed({}, { 'X-Trace-Id': null }), /header X-Trace-Id is missing/],
  'a header of another form': [() => changed({}, { 'X-RateLimit-Limit': 'many' }), /X-RateLimit-Limit is many/],
  'a header that this answer never has': [
    () => changed({}, { 'Idempotent-Replayed': 'true' }),
    /Idempotent-Replayed is sent but not/,
  ],
  'an HTTP status that is not documented': [() => ({ ...changed({}), status: 409 }), /status 409 is not documented/],
};

for (const [what, [answer, told]] of Object.entries(WRONG)) {
  test(`rejected: ${what}`, () => assert.throws(() => contract.check('GET', path, answer()), told));
}

test('rejected: an error with a field that is not in the document', () => {
  const body = { code: 404, status: 'Not Found', message: 'Payment Not Found', table: 'payments' };
  assert.throws(() => contract.check('GET', path, { ...changed({}), status: 404, body }), /additional properties.*table/s);
});

test('a query does not change the operation; paths that are not in the document are ignored', () => {
  assert.throws(() => contract.check('GET', '/payments?page=1', changed({})), /\/payments answered 200/);
  contract.check('GET', '/health/live', { status: 418, headers: new Headers(), body: 'x' });
});

test('every call of a test is checked against the document', async () => {
  const { check } = contract;
  let seen = '';
  contract.check = (method, target) => {
    seen = `${method} ${target}`;
  };
  await api.call('GET', '/payments?per_page=1');
  contract.check = check;
  assert.equal(seen, 'GET /payments?per_page=1');
});

test('every delivered event matches its webhook in the document', async () => {
  await api.call('POST', '/beneficiaries', { body: { name: 'Awa', channel: 'cm.mtn', phone: '650000000' } });
  await api.call('POST', '/accounts', { body: { name: 'Awa', email: 'awa@shop.example' } });
  const { items } = (await api.call('GET', '/events')).body;
  assert.ok(items.length >= 3);
  for (const event of items) {
    const schema = contract.document.webhooks[event.event]?.post.requestBody?.content['application/json'].schema;
    assert.ok(schema, event.event);
    assert.deepEqual(contract.faultsOf(JSON.stringify(schema), schema, event), [], event.event);
  }
});
