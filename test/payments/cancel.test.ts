import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { PAYMENT_STATUSES } from '../../src/core/payments/states.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 25000, currency: 'XAF', phone: '+237650000000' };
const { db } = api.deps.stores.sandbox;

async function pending(): Promise<string> {
  return (await api.call('POST', '/payments', { body: ORDER })).body.transaction.id;
}

test('200 a pending payment is cancelled and returned as GET returns it', async () => {
  const id = await pending();
  const { status, body } = await api.call('DELETE', `/payments/${id}`);
  assert.deepEqual([status, body.code, body.status, body.message], [200, 200, 'OK', 'Payment cancelled']);
  const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
  assert.deepEqual(body.transaction, transaction);
  assert.equal(transaction.status, 'cancelled');
  assert.ok(transaction.completed_at);
  assert.equal(transaction.updated_at, transaction.completed_at);
});

test('200 the body of a DELETE is ignored', async () => {
  assert.equal((await api.call('DELETE', `/payments/${await pending()}`, { body: { why: 'changed my mind' } })).status, 200);
});

for (const state of PAYMENT_STATUSES.filter((status) => status !== 'pending')) {
  test(`400 payment_not_cancellable when ${state}, and nothing changes`, async () => {
    const id = await pending();
    await db.run(sql`update payments set status = ${state} where id = ${id}`);
    const before = (await api.call('GET', `/payments/${id}`)).body;
    const { status, body } = await api.call('DELETE', `/payments/${id}`);
    assert.deepEqual([status, body.code, body.status, body.error_code], [400, 400, 'Bad Request', 'payment_not_cancellable']);
    if (state === 'succeeded') assert.match(body.message, /refund/);
    assert.deepEqual((await api.call('GET', `/payments/${id}`)).body, before);
  });
}

test('400 for the second cancellation: the payment is already cancelled', async () => {
  const id = await pending();
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('DELETE', `/payments/${id}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)]);
  const events = await db.all<{ type: string }>(sql`select type from events where resource_id = ${id} order by sequence`);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['payment.created', 'payment.cancelled'],
  );
});

test('400 while a charge is being submitted, because money may move', async () => {
  const id = await pending();
  await db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, provider_key, created_at)
    values (${api.team.id}, ${`att_of_${id}`}, ${id}, 'sandbox', 'cm.mtn', 'created', 2500000, 'XAF', 'k', now())`);
  const { status, body } = await api.call('DELETE', `/payments/${id}`);
  assert.deepEqual([status, body.error_code], [400, 'payment_not_cancellable']);
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'pending');
});

test('a cancelled payment cannot be charged', async () => {
  const id = await pending();
  await api.call('DELETE', `/payments/${id}`);
  const { status } = await api.call('POST', `/payments/${id}`, {
    body: { channel: 'cm.mtn', data: { phone: '650000000' } },
  });
  assert.equal(status, 400);
});
