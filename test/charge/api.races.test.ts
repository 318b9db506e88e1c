import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { applyOne } from '../../src/core/payments/applier.ts';
import { startWorkers } from '../../src/program/program.ts';
import { type Answer, startApi, until } from '../setup/api.ts';

const api = await startApi();
after(() => api.stop());

const { db } = api.deps.stores.sandbox;

async function pending(): Promise<string> {
  return (await api.call('POST', '/payments', { body: { amount: 1000, currency: 'XAF', phone: '1' } })).body.transaction.id;
}

const charge = (id: string, phone = '650000000', headers = {}): Promise<Answer> =>
  api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone } }, headers });

async function ended(id: string): Promise<Answer['body']> {
  const { body } = await until(
    () => api.call('GET', `/payments/${id}`),
    (answer) => !['pending', 'processing'].includes(answer.body.transaction.status),
  );
  return body.transaction;
}

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

async function bookedFor(id: string): Promise<number> {
  return (await db.all(sql`select 1 from journals where subject_id = ${id}`)).length;
}

test('50 charges of one payment at once: one 202, the others 400, one attempt, booked once', async () => {
  const id = await pending();
  const answers = await Promise.all(Array.from({ length: 50 }, () => charge(id)));
  assert.deepEqual([count(answers, 202), count(answers, 400)], [1, 49]);
  const { status, attempts } = await ended(id);
  assert.deepEqual([status, attempts.length, await bookedFor(id)], ['succeeded', 1, 1]);
});

test('50 charges that are declined at once: one 402, the others 400, one attempt', async () => {
  const id = await pending();
  const answers = await Promise.all(Array.from({ length: 50 }, () => charge(id, '650000001')));
  assert.deepEqual([count(answers, 402), count(answers, 400)], [1, 49]);
  assert.equal((await ended(id)).attempts.length, 1);
});

test('40 charges with 4 keys at once: one key wins, and all requests with that key get its response', async () => {
  const id = await pending();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => charge(id, '650000000', { 'idempotency-key': `k${i % 4}` })),
  );
  assert.deepEqual([count(answers, 202), count(answers, 400)], [10, 30]);
  const { status, attempts } = await ended(id);
  assert.deepEqual([status, attempts.length, await bookedFor(id)], ['succeeded', 1, 1]);
});

test('a database constraint rejects a second open attempt', async () => {
  const id = await pending();
  const insert = (attempt: string) =>
    db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, provider_key, created_at)
    values (${api.team.id}, ${attempt}, ${id}, 'sandbox', 'cm.mtn', 'open', 1, 'XAF', 'k', now())`);
  await insert(`a_${id}`);
  await assert.rejects(insert(`b_${id}`), /attempts_one_open/);
});

test('cancel against charge, 30 times: exactly one of them wins', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      const id = await pending();
      const cancel = () => api.call('DELETE', `/payments/${id}`);
      const [a, b] = await Promise.all(i % 2 ? [cancel(), charge(id)] : [charge(id), cancel()]);
      const { status, attempts } = await ended(id);
      const [cancelled, charged] = i % 2 ? [a, b] : [b, a];
      if (status === 'cancelled') assert.deepEqual([cancelled.status, charged.status, attempts.length], [200, 400, 0]);
      else assert.deepEqual([status, cancelled.status, charged.status, attempts.length], ['succeeded', 400, 202, 1]);
      assert.equal(await bookedFor(id), status === 'succeeded' ? 1 : 0);
      const events = await db.all<{ sequence: number }>(
        sql`select sequence from events where resource_id = ${id} order by sequence`,
      );
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        status === 'cancelled' ? [1, 2] : [1, 2, 3],
      );
      return status;
    }),
  );
  assert.ok(outcomes.length === 30);
});

test('charge against expiry, 30 times around the deadline: an accepted charge ends succeeded, any other payment expired', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, pending));
  const moment = Date.now() + 250;
  await db.run(sql`update payments set expires_at = ${new Date(moment)} where id = any(${ids})`);
  await Promise.all(
    ids.map(async (id, i) => {
      await new Promise((resolve) => setTimeout(resolve, i * 15));
      const { status: answered } = await charge(id);
      assert.ok(answered === 202 || answered === 400, String(answered));
      const { status, attempts } = await ended(id);
      assert.deepEqual([status, attempts.length], answered === 202 ? ['succeeded', 1] : ['expired', 0]);
      assert.equal(await bookedFor(id), answered === 202 ? 1 : 0);
    }),
  );
});

test('an expiry that was decided just before a charge changes nothing when the charge gets the lock first', async () => {
  const id = await pending();
  await db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, payer, provider_key, created_at,
      next_poll_at)
    values (${api.team.id}, ${`att_of_${id}`}, ${id}, 'sandbox', 'cm.mtn', 'created', 100000, 'XAF', '+237650000000', 'k', now(),
      now() + interval '1 hour')`);
  const change = { team_id: api.team.id, payment_id: id, occurrences: [{ kind: 'window_elapsed' as const }] };
  const applied = await applyOne(api.deps, api.deps.stores.sandbox, change);
  assert.deepEqual([applied.payment.status, applied.changed], ['pending', false]);
});

test('cancel against expiry, 20 times: one change, one event', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, pending));
  await db.run(sql`update payments set expires_at = ${new Date(Date.now() + 100)} where id = any(${ids})`);
  await new Promise((resolve) => setTimeout(resolve, 90));
  await Promise.all(
    ids.map(async (id) => {
      const cancelled = await api.call('DELETE', `/payments/${id}`);
      const { status } = await ended(id);
      assert.equal(status, cancelled.status === 200 ? 'cancelled' : 'expired');
      assert.equal((await db.all(sql`select 1 from events where resource_id = ${id}`)).length, 2);
    }),
  );
});

test('two workers at once: every payment ends once', async (t) => {
  const more = startWorkers(api.deps);
  t.after(() => Promise.all(more.map((worker) => worker.stop())));
  const ids = await Promise.all(Array.from({ length: 30 }, pending));
  await Promise.all(ids.map((id) => charge(id)));
  for (const id of ids) assert.deepEqual([(await ended(id)).status, await bookedFor(id)], ['succeeded', 1]);
});
