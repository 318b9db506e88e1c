import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Answer, FakeClock, startApi } from '../setup/api.ts';

const ORDER = {
  amount: 25000,
  currency: 'XAF',
  phone: '+237650000000',
  metadata: { a: 1, b: { c: [1, 2], d: null } },
};
const HOUR_MS = 3_600_000;

for (const batching of ['on', 'off']) {
  const clock = new FakeClock();
  const api = await startApi({ workers: false, clock, env: { CREATE_BATCHING: batching } });
  after(() => api.stop());
  const { db } = api.deps.stores.sandbox;
  const title = (text: string) => `${text} (batching ${batching})`;

  const create = (key: string, changes: object = {}, options: object = {}): Promise<Answer> =>
    api.call('POST', '/payments', {
      body: { ...ORDER, ...changes },
      headers: { 'idempotency-key': key },
      ...options,
    });

  const payments = async () => Number((await db.all<{ n: bigint }>(sql`select count(*) as n from payments`))[0]?.n);

  test(title('201 again: the same status and body, marked as replayed, and no second payment'), async () => {
    const first = await create('again');
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null]);
    const before = await payments();
    for (let i = 0; i < 3; i++) {
      const second = await create('again');
      assert.deepEqual([second.status, second.body], [201, first.body]);
      assert.equal(second.headers.get('idempotent-replayed'), 'true');
    }
    assert.equal(await payments(), before);
  });

  test(title('201 the replay is what was answered, also after the payment has moved on'), async () => {
    const first = await create('moved');
    await api.call('DELETE', `/payments/${first.body.transaction.id}`);
    assert.deepEqual((await create('moved')).body, first.body);
  });

  const SAME: [what: string, raw: string][] = [
    [
      'other order of fields',
      '{"phone":"+237650000000","metadata":{"b":{"d":null,"c":[1,2]},"a":1},"currency":"XAF","amount":25000}',
    ],
    ['white space', `\n ${JSON.stringify(ORDER, null, 4)} \t`],
    ['another writing of the same number', JSON.stringify(ORDER).replace('25000', '2.5e4')],
    ['another writing of the same text', JSON.stringify(ORDER).replace('XAF', '\\u0058AF')],
  ];

  test(title('201 the same payload in another writing is a replay'), async () => {
    const first = await create('canonical');
    for (const [what, raw] of SAME) {
      const { status, body } = await create('canonical', {}, { raw });
      assert.deepEqual([status, body], [201, first.body], what);
    }
  });

  const OTHER: [what: string, changes: object][] = [
    ['amount', { amount: 25000.01 }],
    ['one field more', { reference: 'x' }],
    ['an ignored field', { whatever: 1 }],
    ['a field deep in metadata', { metadata: { a: 1, b: { c: [2, 1], d: null } } }],
    ['null left out', { metadata: { a: 1, b: { c: [1, 2] } } }],
    ['one field less', { metadata: undefined }],
  ];

  test(title('422 idempotency_key_reused for any other payload, naming idempotency_key'), async () => {
    await create('other');
    for (const [what, changes] of OTHER) {
      const { status, body } = await create('other', changes);
      assert.deepEqual(
        [status, body.error_code, Object.keys(body.errors)],
        [422, 'idempotency_key_reused', ['idempotency_key']],
        what,
      );
    }
  });

  test(title('422 after 24 hours the key is spent, for the same payload too, and makes no second payment'), async () => {
    const first = await create('old');
    clock.advance(24 * HOUR_MS - 1_000);
    assert.deepEqual((await create('old')).body, first.body);
    clock.advance(2_000);
    const before = await payments();
    for (const changes of [{}, { amount: 1 }]) {
      const { status, body } = await create('old', changes);
      assert.deepEqual([status, Object.keys(body.errors)], [422, ['idempotency_key']]);
    }
    clock.advance(365 * 24 * HOUR_MS);
    assert.equal((await create('old')).status, 422);
    assert.equal(await payments(), before);
  });

  test(title('only a success consumes a key: after 4xx it makes a payment'), async () => {
    assert.equal((await create('retry', { amount: 0 })).status, 422);
    assert.equal((await create('retry', { customer_id: 'cus_test_x' })).status, 404);
    assert.equal((await create('retry', {}, { raw: '{' })).status, 400);
    const first = await create('retry');
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null]);
    assert.deepEqual((await create('retry')).body, first.body);
  });

  test(title('201 one key means different payments for two teams and for two environments'), async () => {
    const [a, b] = [await api.newMerchant({ verification_level: 1 }), await api.newMerchant()];
    const answers = await Promise.all(
      [a.sandbox.secret, a.live.secret, b.sandbox.secret].map((key) => create('shared', {}, { key })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    );
    assert.equal(new Set(answers.map(({ body }) => body.transaction.id)).size, 3);
    const { key } = await api.newKey(a.team, 'sandbox', 'restricted', { scopes: ['payment.write'] });
    assert.deepEqual((await create('shared', {}, { key })).body, answers[0]?.body, 'the team’s other private keys replay');
  });

  test(title('the same key on create and on charge does not meet'), async () => {
    const { id } = (await create('both')).body.transaction;
    const charged = await api.call('POST', `/payments/${id}`, {
      body: { channel: 'cm.mtn', data: { phone: '650000000' } },
      headers: { 'idempotency-key': 'both' },
    });
    assert.equal(charged.status, 202);
  });

  const KEYS: [what: string, key: string, status: number][] = [
    ['1 character', 'k', 201],
    ['255 characters', 'k'.repeat(255), 201],
    ['every visible character', '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~', 201],
    ['a UUID', '550e8400-e29b-41d4-a716-446655440000', 201],
    ['empty', '', 422],
    ['256 characters', 'k'.repeat(256), 422],
    ['a space inside', 'a b', 422],
    ['a tab', 'a\tb', 422],
    ['beyond ASCII', 'clé', 422],
    ['a card number', '4242424242424242', 422],
    ['a card number in groups', '4242-4242-4242-4242', 422],
  ];

  for (const [what, key, status] of KEYS) {
    test(title(`${status} Idempotency-Key of ${what}`), async () => {
      const answer = await create(key);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      if (status === 422) {
        assert.deepEqual(
          [answer.body.error_code, Object.keys(answer.body.errors)],
          ['idempotency_key_invalid', ['idempotency_key']],
        );
      }
    });
  }

  test(title('201 without a key every request makes a payment'), async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.call('POST', '/payments', { body: ORDER })));
    assert.equal(new Set(answers.map(({ body }) => body.transaction.id)).size, 5);
  });
}
