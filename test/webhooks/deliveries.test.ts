import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { Deliveries, deliveryIds, sleep } from '../setup/deliveries.ts';
import { type Received, verify } from '../setup/receiver.ts';

const hooks = new Deliveries();

test('a delivery contains the stored bytes, with the signature that the contract tells receivers to check', async () => {
  const endpoint = await hooks.register();
  hooks.start();
  await hooks.announce(1, { name: 'Aïssatou Ndoye 🛶', amount: 25000.5, nested: { 'in.transit': [1, null] } });
  const [one] = (await hooks.receiver.waitFor(1)) as [Received];
  assert.equal(verify(one, endpoint.secret), null);
  assert.notEqual(verify(one, `${endpoint.secret}x`), null, 'another secret does not verify');
  assert.notEqual(
    verify({ ...one, body: Buffer.concat([one.body, Buffer.from(' ')]) }, endpoint.secret),
    null,
    'other bytes do not verify',
  );
  const stored = await hooks.store.db.maybe<{ body: Buffer }>(sql`select body from events where id = ${one.event.id}`);
  assert.deepEqual(one.body, Buffer.from(unpack(stored?.body as Buffer)));
  assert.deepEqual((await hooks.call('GET', `/events/${one.event.id}`)).event, one.event);
  const { headers } = one;
  assert.deepEqual(
    [headers['content-type'], headers['x-service-event'], headers['x-service-sequence'], headers['user-agent']],
    ['application/json', 'payment.succeeded', '1', 'Pirogue/1'],
  );
  assert.match(headers['x-service-delivery-id'] as string, /^whd_test_/);
});

test('a created payment emits its event automatically', async () => {
  await hooks.register();
  hooks.start();
  const { transaction } = await hooks.call('POST', '/payments', { amount: 100, currency: 'XAF', email: 'payer@example.com' });
  // The payment and its customer are announced together, in no particular order.
  const received = await hooks.receiver.waitFor(2);
  const ids = new Map(received.map(({ event }) => [event.event, event.data.id]));
  assert.deepEqual([ids.get('payment.created'), ids.size], [transaction.id, 2]);
});

test('six attempts on the schedule: one event id, six delivery ids, then no more', async () => {
  const waits = [100, 200, 300, 400, 500];
  const endpoint = await hooks.register();
  hooks.receiver.behave(500);
  hooks.start({ config: { webhook_retry_schedule_ms: waits } });
  await hooks.announce();
  const all = await hooks.receiver.waitFor(6);
  assert.equal(new Set(deliveryIds(all)).size, 6);
  assert.equal(new Set(all.map(({ event }) => event.id)).size, 1);
  for (const one of all) assert.equal(verify(one, endpoint.secret), null);
  const gaps = all.slice(1).map((one, i) => one.at - (all[i] as Received).at);
  for (const [i, gap] of gaps.entries()) assert.ok(gap >= (waits[i] as number), `${gap} ms after a wait of ${waits[i]} ms`);
  const attempts = await hooks.recorded(endpoint, 6);
  assert.deepEqual(
    attempts.map(({ attempt }: { attempt: number }) => attempt),
    [6, 5, 4, 3, 2, 1],
  );
  assert.deepEqual(
    attempts.map(({ id }: { id: string }) => id),
    deliveryIds(all).reverse(),
  );
  const last = attempts[0];
  assert.deepEqual(
    [last.status, last.response_status, last.response_body, last.error, last.next_attempt_at, last.event, last.event_id],
    ['failed', 500, 'ok', null, null, 'payment.succeeded', all[0]?.event.id],
  );
  assert.ok(attempts[5].next_attempt_at > attempts[5].created_at);
  assert.equal(await hooks.pending(), 0);
  await sleep(700);
  assert.equal(hooks.receiver.received.length, 6);
});

test('a success ends the retries and clears failing_since', async () => {
  const endpoint = await hooks.register();
  hooks.receiver.behave((response) => response.writeHead(hooks.receiver.received.length < 3 ? 503 : 204).end());
  hooks.start({ config: { webhook_retry_schedule_ms: [50, 600_000, 50] } });
  await hooks.announce();
  await hooks.recorded(endpoint, 2);
  assert.notEqual((await hooks.call('GET', `/webhooks/${endpoint.id}`)).webhook.failing_since, null);
  await hooks.dueNow();
  const attempts = await hooks.recorded(endpoint, 3);
  assert.deepEqual(
    attempts.map(({ status }: { status: string }) => status),
    ['succeeded', 'failed', 'failed'],
  );
  assert.equal((await hooks.call('GET', `/webhooks/${endpoint.id}`)).webhook.failing_since, null);
  assert.equal(await hooks.pending(), 0);
});

for (const [status, outcome] of [
  [200, 'succeeded'],
  [202, 'succeeded'],
  [299, 'succeeded'],
  [304, 'failed'],
  [400, 'failed'],
  [410, 'failed'],
  [503, 'failed'],
] as const) {
  test(`a response of ${status} is recorded as ${outcome}`, async () => {
    const endpoint = await hooks.register();
    hooks.receiver.behave((response) => response.writeHead(status).end());
    hooks.start({ config: { webhook_retry_schedule_ms: [] } });
    await hooks.announce();
    const [attempt] = await hooks.recorded(endpoint, 1);
    assert.deepEqual([attempt.status, attempt.response_status], [outcome, status]);
    assert.equal(await hooks.pending(), 0);
  });
}

test('a redirect is a failure and is not followed', async () => {
  const endpoint = await hooks.register('/moved');
  hooks.receiver.behave((response) => response.writeHead(307, { location: `${hooks.receiver.url}/elsewhere` }).end(), '/moved');
  hooks.start({ config: { webhook_retry_schedule_ms: [] } });
  await hooks.announce();
  const [attempt] = await hooks.recorded(endpoint, 1);
  assert.deepEqual([attempt.status, attempt.response_status], ['failed', 307]);
  assert.match(attempt.error, /^redirect/);
  assert.deepEqual(
    hooks.receiver.received.map(({ path }) => path),
    ['/moved'],
  );
});

test('a response after the timeout is a failure', async () => {
  const endpoint = await hooks.register();
  hooks.receiver.behave(() => {});
  hooks.start({ config: { webhook_timeout_ms: 200, webhook_retry_schedule_ms: [] } });
  await hooks.announce();
  const [attempt] = await hooks.recorded(endpoint, 1);
  assert.deepEqual([attempt.status, attempt.response_status], ['failed', null]);
  assert.match(attempt.error, /^timeout/);
  assert.ok(attempt.duration_ms >= 195, `${attempt.duration_ms} ms`);
});

test('at most 4 kB of a response are stored, without characters that PostgreSQL cannot store', async () => {
  const endpoint = await hooks.register();
  hooks.receiver.behave((response) => {
    response.writeHead(200).write(`\0${'é'.repeat(5_000)}`);
    const chunk = Buffer.alloc(1 << 20);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  hooks.start();
  await hooks.announce();
  const [attempt] = await hooks.recorded(endpoint, 1);
  assert.equal(attempt.status, 'succeeded');
  assert.match(attempt.response_body, /^é+\uFFFD?$/);
  assert.ok(attempt.response_body.length > 2_000 && Buffer.byteLength(attempt.response_body) <= 4_098);
});
