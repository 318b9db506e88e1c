import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Send } from '../../src/kit/fetch.ts';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, until } from '../setup/api.ts';
import { Deliveries, deliveryIds, sleep } from '../setup/deliveries.ts';
import { type Received, verify } from '../setup/receiver.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const hooks = new Deliveries();

test('a rotated secret signs deliveries that were queued before the rotation', async () => {
  const endpoint = await hooks.register();
  hooks.receiver.behave(500);
  hooks.start({ config: { webhook_retry_schedule_ms: [600_000] } });
  await hooks.announce();
  const [first] = (await hooks.receiver.waitFor(1)) as [Received];
  await hooks.recorded(endpoint, 1);
  const { secret } = (await hooks.call('POST', `/webhooks/${endpoint.id}/rotate-secret`)).webhook;
  await hooks.dueNow();
  const [, second] = (await hooks.receiver.waitFor(2)) as [Received, Received];
  assert.equal(verify(first, endpoint.secret), null);
  assert.equal(verify(second, secret), null);
  assert.notEqual(verify(second, endpoint.secret), null);
});

for (const [what, stop] of [
  ['made inactive', (id: string) => hooks.call('PATCH', `/webhooks/${id}`, { active: false })],
  ['deleted', (id: string) => hooks.call('DELETE', `/webhooks/${id}`)],
] as const) {
  test(`an endpoint that was ${what} gets no more deliveries, not even a queued retry`, async () => {
    const endpoint = await hooks.register();
    hooks.receiver.behave(500);
    hooks.start({ config: { webhook_retry_schedule_ms: [600_000] } });
    await hooks.announce();
    await hooks.receiver.waitFor(1);
    await hooks.recorded(endpoint, 1);
    await stop(endpoint.id);
    assert.equal(await hooks.pending(), 0);
    await hooks.announce();
    await hooks.dueNow();
    await sleep(1_000);
    assert.equal(hooks.receiver.received.length, 1);
  });
}

test('a delivery queued while its endpoint is deactivated is dropped without being sent', async () => {
  const endpoint = await hooks.register();
  await hooks.store.db.run(sql`update webhook_endpoints set active = false where id = ${endpoint.id}`);
  await hooks.store.db.run(sql`
    insert into deliveries (team_id, endpoint_id, event_id) values (${hooks.merchant.team.id}, ${endpoint.id}, 'evt_test_x'), (1, 'wh_test_gone', 'evt_test_x')`);
  hooks.start();
  await until(
    () => hooks.pending(),
    (count) => count === 0,
  );
  assert.equal(hooks.receiver.received.length, 0);
  assert.deepEqual(await hooks.attemptsOf(endpoint), []);
});

test('resend: the same event id and body under a new delivery id, to every matching active endpoint', async () => {
  await hooks.register('/one', { events: ['payment.*'] });
  await hooks.register('/two');
  await hooks.register('/refunds', { events: ['refund.*'] });
  const off = await hooks.register('/off');
  await hooks.call('PATCH', `/webhooks/${off.id}`, { active: false });
  hooks.start();
  await hooks.announce();
  const [first] = (await hooks.receiver.waitFor(2)) as [Received];
  const body = await hooks.call('POST', `/events/${first.event.id}/resend`);
  assert.equal(body.deliveries, 2);
  const all = await hooks.receiver.waitFor(4);
  assert.deepEqual(all.map(({ path }) => path).sort(), ['/one', '/one', '/two', '/two']);
  assert.equal(new Set(all.map((one) => one.body.toString())).size, 1);
  assert.equal(new Set(deliveryIds(all)).size, 4);
});

test('resend replaces a pending retry', async () => {
  await hooks.register();
  hooks.receiver.behave(500);
  hooks.start({ config: { webhook_retry_schedule_ms: [60_000] } });
  await hooks.announce();
  const [first] = (await hooks.receiver.waitFor(1)) as [Received];
  await until(
    () => hooks.store.db.all(sql`select 1 from deliveries where tries = 1`),
    (rows) => rows.length === 1,
  );
  hooks.receiver.behave(200);
  await hooks.call('POST', `/events/${first.event.id}/resend`);
  await hooks.receiver.waitFor(2);
  await until(
    () => hooks.pending(),
    (count) => count === 0,
  );
});

test('resend leaves a delivery that waits for an endpoint which no longer matches', async () => {
  const moved = await hooks.register();
  await hooks.announce();
  const [event] = await hooks.store.db.all<{ id: string }>(sql`select event_id as id from deliveries`);
  await hooks.call('PATCH', `/webhooks/${moved.id}`, { events: ['refund.*'] });
  await hooks.register('/new');
  assert.equal((await hooks.call('POST', `/events/${event?.id}/resend`)).deliveries, 1);
  const waiting = await hooks.store.db.all<{ endpoint_id: string }>(sql`select endpoint_id from deliveries`);
  assert.equal(waiting.length, 2);
  assert.ok(waiting.some(({ endpoint_id }) => endpoint_id === moved.id));
});

/**
 * Starts a worker with one delivery under way.
 * @returns lets its receiver return a 200, and waits until nothing is pending any more
 */
async function underWay(): Promise<() => Promise<void>> {
  const answer = Promise.withResolvers<Awaited<ReturnType<Send>>>();
  const begun = Promise.withResolvers<void>();
  const send: Send = () => {
    begun.resolve();
    return answer.promise;
  };
  hooks.start({ tuning: { send, per_endpoint: 1 } });
  await hooks.announce();
  await begun.promise;
  return async () => {
    answer.resolve({ kind: 'answered', status: 200, headers: {}, body: '', truncated: false, duration_ms: 1 });
    await until(
      () => hooks.pending(),
      (count) => count === 0,
    );
  };
}

test('a delivery that is under way while its endpoint is made inactive is left to finish, and its attempt is recorded', async () => {
  const endpoint = await hooks.register();
  const finish = await underWay();
  await hooks.announce();
  await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { active: false });
  const pending = await hooks.pending();
  await finish();
  const attempts = await hooks.attemptsOf(endpoint);
  assert.deepEqual(
    attempts.map(({ attempt, status }: { attempt: number; status: string }) => [attempt, status]),
    [[1, 'succeeded']],
  );
  assert.equal(pending, 1, 'the one that waited was dropped');
});

test('resend leaves a delivery that is under way to finish, and its attempt is recorded', async () => {
  const endpoint = await hooks.register();
  const finish = await underWay();
  const [event] = await hooks.store.db.all<{ id: string }>(sql`select event_id as id from deliveries`);
  assert.equal((await hooks.call('POST', `/events/${event?.id}/resend`)).deliveries, 1);
  await finish();
  const attempts = await hooks.attemptsOf(endpoint);
  assert.deepEqual(
    attempts.map(({ attempt, status }: { attempt: number; status: string }) => [attempt, status]),
    [
      [1, 'succeeded'],
      [1, 'succeeded'],
    ],
  );
});

test('test: a test event is sent to this endpoint only, whatever its subscriptions', async () => {
  const endpoint = await hooks.register('/tested', { events: ['refund.*'] });
  await hooks.register('/other');
  hooks.start();
  const { event } = await hooks.call('POST', `/webhooks/${endpoint.id}/test`);
  await hooks.call('POST', `/webhooks/${endpoint.id}/test`);
  const [one, two] = (await hooks.receiver.waitFor(2)) as [Received, Received];
  assert.deepEqual([one.path, two.path], ['/tested', '/tested']);
  assert.equal(verify(one, endpoint.secret), null);
  assert.deepEqual([one.event.event, one.event.data.id, one.event.pending_webhooks], ['webhook.test', endpoint.id, 1]);
  assert.deepEqual([one, two].map(({ headers }) => headers['x-service-sequence']).sort(), ['1', '2']);
  assert.deepEqual((await hooks.call('GET', `/events/${event.id}`)).event, event);
  assert.equal((await hooks.call('POST', `/events/${event.id}/resend`)).deliveries, 1);
  assert.equal((await hooks.receiver.waitFor(3))[2]?.path, '/tested');
  assert.equal((await hooks.call('GET', '/events?type=webhook.test')).meta.total, 2);
  await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { active: false });
  assert.equal(
    (await hooks.api.call('POST', `/webhooks/${endpoint.id}/test`, { key: hooks.merchant.sandbox.secret })).status,
    400,
  );
});

test('after five days without one success the next failure deactivates an endpoint, also a first try', async () => {
  const clock = new FakeClock();
  const endpoint = await hooks.register();
  hooks.receiver.behave(500);
  const state = async () => (await hooks.call('GET', `/webhooks/${endpoint.id}`)).webhook;
  hooks.start({ config: { webhook_retry_schedule_ms: [50] }, clock });
  await hooks.announce();
  await hooks.recorded(endpoint, 2);
  clock.advance(5 * DAY_MS - 3 * HOUR_MS);
  await hooks.announce();
  await hooks.recorded(endpoint, 4);
  clock.advance(3 * HOUR_MS - 60_000);
  await hooks.announce();
  await hooks.recorded(endpoint, 6);
  assert.equal((await state()).active, true, 'not a minute too early');
  clock.advance(120_000);
  await hooks.announce();
  await hooks.recorded(endpoint, 7);
  const webhook = await until(state, ({ active }) => !active);
  assert.equal(webhook.disabled_reason, 'No delivery succeeded for 5 days.');
  assert.notEqual(webhook.failing_since, null);
  await hooks.announce();
  await sleep(200);
  assert.equal(hooks.receiver.received.length, 7);
  const again = (await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { active: true })).webhook;
  assert.deepEqual([again.active, again.failing_since, again.disabled_reason], [true, null, null]);
  hooks.receiver.behave(200);
  await hooks.announce();
  await hooks.receiver.waitFor(8);
});

test('what waits for an endpoint is dropped when we deactivate it, as when its owner does', async () => {
  const clock = new FakeClock();
  const endpoint = await hooks.register();
  const other = await hooks.register('/other');
  hooks.receiver.behave(500);
  hooks.start({ config: { webhook_retry_schedule_ms: [3_600_000] }, clock });
  await hooks.announce(40);
  await hooks.recorded(endpoint, 40);
  await hooks.recorded(other, 40);
  clock.advance(5 * DAY_MS - 3 * HOUR_MS);
  await hooks.call('POST', `/webhooks/${endpoint.id}/test`);
  await hooks.recorded(endpoint, 41);
  clock.advance(3 * HOUR_MS + 60_000);
  const state = async (id: string) => (await hooks.call('GET', `/webhooks/${id}`)).webhook;
  await hooks.call('POST', `/webhooks/${endpoint.id}/test`);
  await until(
    () => state(endpoint.id),
    ({ active }) => !active,
  );
  await until(
    () => hooks.pending(),
    (count) => count <= 40,
  );
  const left = await hooks.store.db.all(sql`select distinct endpoint_id from deliveries`);
  assert.deepEqual(left, [{ endpoint_id: other.id }]);
  assert.equal((await state(other.id)).active, true);
});

test('WEBHOOK_DISABLE_AFTER_DAYS sets after how many days, which the reason and the mail name', async () => {
  const clock = new FakeClock();
  const endpoint = await hooks.register();
  hooks.receiver.behave(500);
  const state = async () => (await hooks.call('GET', `/webhooks/${endpoint.id}`)).webhook;
  hooks.start({ config: { webhook_retry_schedule_ms: [], webhook_disable_after_days: 3 }, clock });
  await hooks.announce();
  await hooks.recorded(endpoint, 1);
  clock.advance(3 * DAY_MS - 60_000);
  await hooks.announce();
  await hooks.recorded(endpoint, 2);
  assert.equal((await state()).active, true, 'not a minute too early');
  clock.advance(120_000);
  await hooks.announce();
  const webhook = await until(state, ({ active }) => !active);
  assert.equal(webhook.disabled_reason, 'No delivery succeeded for 3 days.');
  const mails = await hooks.store.db.all<{ days: number }>(
    sql`select (facts->>'days')::integer as days from mails where facts->>'webhook' = ${endpoint.id}`,
  );
  assert.deepEqual(mails, [{ days: 3 }]);
});

test('one success in five days keeps an endpoint active', async () => {
  const clock = new FakeClock();
  const endpoint = await hooks.register();
  hooks.start({ config: { webhook_retry_schedule_ms: [] }, clock });
  hooks.receiver.behave(500);
  await hooks.announce();
  await hooks.recorded(endpoint, 1);
  clock.advance(3 * DAY_MS);
  hooks.receiver.behave(200);
  await hooks.announce();
  await hooks.recorded(endpoint, 2);
  clock.advance(3 * DAY_MS);
  hooks.receiver.behave(500);
  await hooks.announce();
  await hooks.recorded(endpoint, 3);
  assert.equal((await hooks.call('GET', `/webhooks/${endpoint.id}`)).webhook.active, true);
});

test('an endpoint that seldom gets an event is not deactivated by a failure days after an outage, unless the last retry fails too', async () => {
  const clock = new FakeClock();
  const endpoint = await hooks.register();
  const state = async () => (await hooks.call('GET', `/webhooks/${endpoint.id}`)).webhook;
  hooks.receiver.behave(500);
  hooks.start({ config: { webhook_retry_schedule_ms: [50, 600_000] }, clock });
  await hooks.announce();
  await hooks.recorded(endpoint, 2);
  clock.advance(6 * DAY_MS);
  await hooks.announce(2);
  await hooks.recorded(endpoint, 6);
  await sleep(100);
  assert.equal((await state()).active, true, 'the retries are left');
  await hooks.store.db.run(sql`update deliveries set due_at = pirogue_now()`);
  hooks.api.deps.wake.ring('sandbox');
  await until(state, ({ active }) => !active);
});
