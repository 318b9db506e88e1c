import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chargeOnce } from '../../src/core/charge/once.ts';
import { Problem } from '../../src/kit/errors.ts';
import { requestHash } from '../../src/tenants/api/idempotency.ts';

test('a repetition whose first request does not finish is answered 500 with Retry-After, after at most 30 seconds', async (t) => {
  const sent = { params: {}, sync: null, body: {}, caller: { kind: 'secret' } };
  const row = { request_hash: requestHash(sent as never), created_at: new Date(), resource_id: 'att_1', answer: null };
  const db = { maybe: async () => row, all: async () => [row] };
  const caller = { kind: 'secret', team: { id: 1n }, store: { db } };
  const call = { ...sent, at: Date.now(), idempotency_key: 'k', caller };
  let now = performance.now();
  // Each look at the clock is ten seconds later.
  t.mock.method(performance, 'now', () => (now += 10_000));
  const charged = chargeOnce(
    null as never,
    call as never,
    row,
    async () => assert.fail('charged twice'),
    async () => 'under_way',
  );
  await assert.rejects(charged, (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.status, error.details.headers], [500, { 'Retry-After': '5' }]);
    return true;
  });
});
