import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '../../src/kit/errors.ts';
import type { JsonObject } from '../../src/kit/json.ts';
import { Versions } from '../../src/tenants/versions/versions.ts';

/** 2 renames `amount` to `total` and calls `paid` `succeeded`; 3 renames `total` to `sum` and wraps the phone. */
const versions = new Versions('1', [
  {
    version: '2',
    requests: {
      'POST /payments': {
        body: ({ amount, ...rest }) => ({ ...rest, ...(amount === undefined ? {} : { total: amount }) }),
        fields: { total: 'amount' },
      },
      'GET /payments': { query: ({ status, ...rest }) => ({ ...rest, status: status === 'paid' ? 'succeeded' : status }) },
    },
    resources: {
      transaction: ({ total, status, ...rest }) => ({
        ...rest,
        amount: total ?? null,
        status: status === 'succeeded' ? 'paid' : (status ?? null),
      }),
    },
  },
  {
    version: '3',
    requests: {
      'POST /payments': {
        body: ({ total, phone, ...rest }) => ({ ...rest, sum: total ?? null, payer: { phone: phone ?? null } }),
        fields: { sum: 'total', 'payer.phone': 'phone' },
      },
    },
    resources: { transaction: ({ sum, ...rest }) => ({ ...rest, total: sum ?? null }) },
    answers: { 'POST /payments': ({ link, ...rest }) => ({ ...rest, url: link ?? null }) },
  },
]);
const NEWEST: JsonObject = { id: 'trx_1', sum: 5, status: 'succeeded' };
const AT_2 = { id: 'trx_1', total: 5, status: 'succeeded' };
const AT_1 = { id: 'trx_1', amount: 5, status: 'paid' };

test('versions are listed from the first to the newest', () => {
  assert.deepEqual([versions.all, versions.newest], [['1', '2', '3'], '3']);
  assert.deepEqual(
    ['1', '3', '4', '', 'toString'].map((version) => versions.has(version)),
    [true, true, false, false, false],
  );
});

test('a version can be added only after the newest', () => {
  assert.throws(() => new Versions('2', [{ version: '1' }]), /not newer/);
  assert.throws(() => new Versions('2', [{ version: '2' }]), /not newer/);
});

const BODIES: [version: string, body: JsonObject][] = [
  ['1', { amount: 5, phone: '1' }],
  ['2', { total: 5, phone: '1' }],
  ['3', { sum: 5, payer: { phone: '1' } }],
];

for (const [version, body] of BODIES) {
  test(`a body of version ${version} is upgraded through every step, and the original is not changed`, () => {
    const before = structuredClone(body);
    const { body: upgraded } = versions.upgrade(version, 'POST /payments', { body, query: {} });
    assert.deepEqual([upgraded, body], [{ sum: 5, payer: { phone: '1' } }, before]);
  });
}

test('a query is upgraded too; other operations and values that are not objects are not changed', () => {
  assert.deepEqual(versions.upgrade('1', 'GET /payments', { body: undefined, query: { status: 'paid' } }), {
    body: undefined,
    query: { status: 'succeeded' },
  });
  for (const body of [undefined, null, 'text', [1]]) {
    assert.deepEqual(versions.upgrade('1', 'POST /payments', { body, query: {} }), { body, query: {} });
  }
  assert.deepEqual(versions.upgrade('1', 'POST /refunds', { body: { amount: 5 }, query: {} }).body, { amount: 5 });
});

test('a response is downgraded step by step, including its lists; other keys are not changed', () => {
  const answer = (transaction: JsonObject) => ({ code: 200, message: 'ok', transaction });
  for (const [version, shown] of [
    ['3', NEWEST],
    ['2', AT_2],
    ['1', AT_1],
  ] as const) {
    assert.deepEqual(versions.downgrade('3', version, 'GET /payments/:id', answer(NEWEST)), answer(shown));
    const list = versions.downgrade('3', version, 'GET /payments', { items: [NEWEST, NEWEST], meta: { total: 2 } });
    assert.deepEqual(list, { items: [shown, shown], meta: { total: 2 } });
  }
  assert.deepEqual(versions.downgrade('3', '1', 'GET /refunds', { items: [NEWEST] }), { items: [NEWEST] });
  assert.deepEqual(versions.downgrade('2', '1', 'GET /payments/:id', answer(AT_2)), answer(AT_1), 'one kept by an older release');
  assert.deepEqual(versions.downgrade('2', '3', 'GET /payments/:id', answer(AT_2)), answer(AT_2), 'is never translated up');
});

test('the parts of a response outside a resource are downgraded by operation', () => {
  const answer = { link: 'x', transaction: NEWEST };
  assert.deepEqual(versions.downgrade('3', '1', 'POST /payments', answer), { url: 'x', transaction: AT_1 });
  assert.deepEqual(versions.downgrade('3', '1', 'GET /payments/:id', answer), { link: 'x', transaction: AT_1 });
});

test('errors name the fields in the version of the caller', () => {
  const errors = { sum: ['a'], 'payer.phone': ['b'], 'payer.phone.x': ['c'], email: ['d'], summary: ['e'] };
  assert.deepEqual(versions.errorsFor('1', 'POST /payments', errors), {
    amount: ['a'],
    phone: ['b'],
    'phone.x': ['c'],
    email: ['d'],
    summary: ['e'],
  });
  assert.deepEqual(versions.errorsFor('3', 'POST /payments', errors), errors);
  const problem = versions.problemFor('1', 'POST /payments', invalid({ sum: ['a'] }, 'ceiling_exceeded')) as ReturnType<
    typeof invalid
  >;
  assert.deepEqual([problem.status, problem.details], [422, { errors: { amount: ['a'] }, error_code: 'ceiling_exceeded' }]);
  const other = new Error('x');
  assert.equal(versions.problemFor('1', 'POST /payments', other), other);
});

test('an event is downgraded with its data, has its version, and is never upgraded', () => {
  const event = { id: 'evt_1', event: 'payment.succeeded', api_version: '3', data: NEWEST };
  assert.deepEqual(versions.eventFor('1', event), { ...event, api_version: '1', data: AT_1 });
  assert.equal(versions.eventFor('3', event), event);
  const older = { ...event, api_version: '2', data: AT_2 };
  assert.equal(versions.eventFor('3', older), older);
  assert.deepEqual(versions.eventFor('1', older), { ...event, api_version: '1', data: AT_1 });
  const refund = { ...event, event: 'refund.succeeded' };
  assert.deepEqual(versions.eventFor('1', refund), { ...refund, api_version: '1' });
  const list = versions.downgrade('3', '1', 'GET /events', { items: [event, older] });
  assert.deepEqual(list, {
    items: [
      { ...event, api_version: '1', data: AT_1 },
      { ...event, api_version: '1', data: AT_1 },
    ],
  });
});
