import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../../src/kit/sql.ts';
import { sql } from '../../src/kit/sql.ts';
import { purgeSweeps } from '../../src/edge/purge/sweeps.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';

const DAY_MS = 86_400_000;

let api: Api;
const clock = new FakeClock();

before(async () => {
  api = await startApi({ clock, workers: false });
});
after(() => api.stop());

async function purge(): Promise<void> {
  for (const { round } of purgeSweeps(api.deps, api.deps.stores.sandbox)) while ((await round()) > 0);
}

const store = (): Db => api.deps.stores.sandbox.db;

const pay = (key: string, idempotency_key?: string) =>
  api.call('POST', '/payments', {
    key,
    body: { amount: 500, currency: 'XAF', phone: '+237650000000' },
    ...(idempotency_key ? { headers: { 'idempotency-key': idempotency_key } } : {}),
  });

async function events(team_id: bigint): Promise<number> {
  const [row] = await store().all<{ n: number }>(
    sql`select count(*)::integer as n from events where team_id = ${team_id} and type = 'payment.created'`,
  );
  return row?.n ?? 0;
}

test('events of all teams that are older than EVENTS_KEEP are deleted; newer ones are kept', async () => {
  const other = await api.newMerchant();
  await pay(api.keys.sandbox.secret);
  await pay(other.sandbox.secret);
  clock.advance(60 * DAY_MS);
  await pay(api.keys.sandbox.secret);
  await purge();
  assert.deepEqual([await events(api.team.id), await events(other.team.id)], [2, 1]);
  clock.advance(31 * DAY_MS);
  await purge();
  assert.deepEqual([await events(api.team.id), await events(other.team.id)], [1, 0]);
});

test('an event with a pending delivery is kept however old it is; finished deliveries are deleted', async () => {
  const { team, sandbox } = await api.newMerchant();
  const hook = await api.call('POST', '/webhooks', { key: sandbox.secret, body: { url: 'https://hooks.example.com/in' } });
  assert.equal(hook.status, 201);
  const { id } = hook.body.webhook;
  await pay(sandbox.secret);
  await store().run(sql`
    insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, duration_ms, created_at)
    select team_id, replace(event_id, 'evt_', 'whd_'), endpoint_id, event_id, 'payment.created', 1, false, 5, now()
    from deliveries where team_id = ${team.id}`);
  clock.advance(91 * DAY_MS);
  await purge();
  assert.equal(await events(team.id), 1);
  const attempts = await store().all(sql`select 1 from delivery_attempts where team_id = ${team.id} and endpoint_id = ${id}`);
  assert.equal(attempts.length, 0);
  await store().run(sql`delete from deliveries where team_id = ${team.id}`);
  await purge();
  assert.equal(await events(team.id), 0);
});

test('one purge deletes more than one batch', async () => {
  const { team, sandbox } = await api.newMerchant();
  await pay(sandbox.secret);
  await store().run(sql`
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    select e.team_id, left(e.id, length(e.id) - 4) || lpad(n::text, 4, '0'), e.type, e.resource_id, n + 1, 0, e.body, e.created_at
    from events e, generate_series(1, 1200) n where e.team_id = ${team.id} and e.type = 'payment.created'`);
  assert.equal(await events(team.id), 1201);
  clock.advance(91 * DAY_MS);
  await purge();
  assert.equal(await events(team.id), 0);
});

test('a stored response is deleted after 24 hours; its idempotency key stays used, even for the same request', async () => {
  const body = { name: 'Awa', email: 'awa@payer.example' };
  const make = () => api.call('POST', '/customers', { body, headers: { 'idempotency-key': 'once' } });
  assert.equal((await make()).status, 201);
  await purge();
  assert.equal((await make()).headers.get('idempotent-replayed'), 'true');
  clock.advance(DAY_MS + 120_000);
  await purge();
  const kept = await store().all<{ answer: Buffer | null }>(sql`select answer from idempotency_keys where key = 'once'`);
  assert.deepEqual(kept, [{ answer: null }]);
  assert.equal((await make()).status, 422);
});
