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

test('events of all teams are dropped with their month once it is older than EVENTS_KEEP; newer ones are kept', async () => {
  await purge();
  const other = await api.newMerchant();
  await pay(api.keys.sandbox.secret);
  await pay(other.sandbox.secret);
  clock.advance(60 * DAY_MS);
  await purge();
  await pay(api.keys.sandbox.secret);
  clock.advance(29 * DAY_MS);
  await purge();
  assert.deepEqual([await events(api.team.id), await events(other.team.id)], [2, 1], 'nothing is dropped within its retention');
  clock.advance(33 * DAY_MS);
  await purge();
  assert.deepEqual([await events(api.team.id), await events(other.team.id)], [1, 0]);
});

test('a month with a pending delivery is kept however old it is; finished deliveries are dropped', async () => {
  const { team, sandbox } = await api.newMerchant();
  const hook = await api.call('POST', '/webhooks', { key: sandbox.secret, body: { url: 'https://hooks.example.com/in' } });
  assert.equal(hook.status, 201);
  const { id } = hook.body.webhook;
  await pay(sandbox.secret);
  await store().run(sql`
    insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, duration_ms, created_at)
    select team_id, replace(event_id, 'evt_', 'whd_'), endpoint_id, event_id, 'payment.created', 1, false, 5, now()
    from deliveries where team_id = ${team.id}`);
  clock.advance(122 * DAY_MS);
  await purge();
  assert.equal(await events(team.id), 1);
  const attempts = await store().all(sql`select 1 from delivery_attempts where team_id = ${team.id} and endpoint_id = ${id}`);
  assert.equal(attempts.length, 0);
  await store().run(sql`delete from deliveries where team_id = ${team.id}`);
  await purge();
  assert.equal(await events(team.id), 0);
});

test('a stored response is dropped with its day, replayed for 24 hours only, and its idempotency key stays used', async () => {
  await purge();
  const body = { name: 'Awa', email: 'awa@payer.example' };
  const make = () => api.call('POST', '/customers', { body, headers: { 'idempotency-key': 'once' } });
  const first = await make();
  assert.equal(first.status, 201);
  await purge();
  const again = await make();
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(JSON.stringify(again.body), JSON.stringify(first.body));
  const answers = () => store().all(sql`select 1 from idempotency_answers where key = 'once'`);
  assert.equal((await answers()).length, 1);
  clock.advance(DAY_MS + 120_000);
  assert.equal((await make()).status, 422);
  clock.advance(DAY_MS);
  await purge();
  assert.equal((await answers()).length, 0);
  assert.equal((await make()).status, 422);
  const keys = await store().all(sql`select 1 from idempotency_keys where key = 'once'`);
  assert.equal(keys.length, 1);
});
