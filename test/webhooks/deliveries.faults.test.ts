import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { createSender, type Send } from '../../src/kit/fetch.ts';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, until } from '../setup/api.ts';
import { Deliveries, sleep } from '../setup/deliveries.ts';
import type { Received } from '../setup/receiver.ts';

const hooks = new Deliveries();

test('a delivery of a crashed worker is claimed again when its lease ends, not before', async () => {
  const endpoint = await hooks.register();
  const before = Date.now();
  await hooks.startAndDie({ webhook_timeout_ms: 300 }, 700);
  const [row] = await hooks.store.db.all<{ ends_at: number }>(sql`
    select (('x' || left(replace(claim::text, '-', ''), 12))::bit(48)::bigint)::float8 as ends_at from deliveries`);
  assert.ok(row && row.ends_at >= before + 1_000);
  hooks.start();
  const [one] = (await hooks.receiver.waitFor(1)) as [Received];
  assert.ok(one.at >= row.ends_at, `${row.ends_at - one.at} ms before`);
  const [attempt] = await hooks.recorded(endpoint, 1);
  assert.deepEqual([attempt.attempt, attempt.status], [1, 'succeeded']);
  assert.equal(await hooks.pending(), 0);
});

test('a lease lasts 20 seconds: twice the longest attempt', async () => {
  await hooks.register();
  const before = Date.now();
  await hooks.startAndDie({}, 10_000);
  const after = Date.now();
  // How much of it is left by now depends on how busy this machine is; it began between these two moments.
  const [row] = await hooks.store.db.all<{ ends_at: number }>(sql`
    select (('x' || left(replace(claim::text, '-', ''), 12))::bit(48)::bigint)::float8 as ends_at from deliveries`);
  // The database rounds to a millisecond.
  const [earliest, latest] = [before + 20_000, after + 20_001];
  assert.ok(row && row.ends_at >= earliest && row.ends_at <= latest, `${row?.ends_at} between ${earliest} and ${latest}`);
});

for (const status of [200, 500])
  test(`a result ${status} reported by a worker after its lease ended changes nothing`, async () => {
    const endpoint = await hooks.register();
    const late = Promise.withResolvers<Awaited<ReturnType<Send>>>();
    const claimed = Promise.withResolvers<void>();
    const slow: Send = () => {
      claimed.resolve();
      return late.promise;
    };
    hooks.start({
      config: { webhook_timeout_ms: 100, webhook_retry_schedule_ms: [600_000] },
      // It leaves the delivery to the other one.
      tuning: { send: slow, lease_slack_ms: 1_000, per_endpoint: 1 },
    });
    await hooks.announce();
    await claimed.promise;
    hooks.receiver.behave(500);
    hooks.start({ config: { webhook_retry_schedule_ms: [600_000] } });
    await hooks.recorded(endpoint, 1);
    late.resolve({ kind: 'answered', status, headers: {}, body: '', truncated: false, duration_ms: 1 });
    await sleep(200);
    const attempts = await hooks.attemptsOf(endpoint);
    assert.deepEqual(
      attempts.map(({ status }: { status: string }) => status),
      ['failed'],
    );
    assert.equal(await hooks.pending(), 1, 'the retry is still to come');
  });

/** Answers that the test gives, one after another. */
function scripted() {
  const asked: ((status: number) => void)[] = [];
  let sent = 0;
  const send: Send = () => {
    sent++;
    return new Promise((resolve) => {
      asked.push((status) => resolve({ kind: 'answered', status, headers: {}, body: '', truncated: false, duration_ms: 1 }));
    });
  };
  return {
    send,
    sent: () => sent,
    answer: async (count: number) => {
      for (let given = 0; given < count; given++) {
        const give = await until(
          async () => asked.shift(),
          (one) => one !== undefined,
        );
        give?.(200);
      }
    },
  };
}

const claimed = () => hooks.store.db.all(sql`select 1 from deliveries where claim is not null`);

test('a quick endpoint gets many deliveries with each claim, over no more connections', async () => {
  const endpoint = await hooks.register();
  await hooks.announce(40);
  const { send, sent, answer } = scripted();
  hooks.start({ tuning: { send, per_endpoint: 2, per_quick: 8 } });
  await until(claimed, (rows) => rows.length === 2);
  await answer(2);
  await until(claimed, (rows) => rows.length === 8);
  await sleep(100);
  assert.equal(sent(), 4, 'two were answered, two are in progress');
  await answer(38);
  await hooks.recorded(endpoint, 40);
  assert.equal(sent(), 40);
});

test('what waits too long for an endpoint that was quick is not sent until its lease has ended, and then once', async (t) => {
  const endpoint = await hooks.register();
  await hooks.announce(10);
  const { send, sent, answer } = scripted();
  // So long that neither half of it passes by itself.
  const lease_slack_ms = 1_200_000;
  const real = performance.now.bind(performance);
  let passed_ms = 0;
  t.mock.method(performance, 'now', () => real() + passed_ms);
  hooks.start({ tuning: { send, per_endpoint: 2, per_quick: 8, lease_slack_ms } });
  await answer(2);
  await until(claimed, (rows) => rows.length === 8);
  passed_ms = lease_slack_ms / 2 + 100;
  await answer(2);
  await hooks.recorded(endpoint, 4);
  assert.equal(sent(), 4, 'the lease of the others may end before they are answered');
  await sleep(1_000);
  assert.equal(sent(), 4, 'it has not ended yet');
  await hooks.store.db.run(sql`update deliveries set claim = '00000000-0000-0000-0000-000000000000'`);
  await answer(6);
  await hooks.recorded(endpoint, 10);
  assert.equal(sent(), 10);
  assert.equal(await hooks.pending(), 0);
});

test('a dead endpoint uses only its own few sockets and does not delay others', async () => {
  let opened = 0;
  let ended = 0;
  hooks.receiver.behave((response) => {
    opened++;
    response.on('close', () => ended++);
  }, '/dead');
  await hooks.register('/dead');
  for (let i = 0; i < 9; i++) await hooks.register(`/healthy-${i}`);
  await hooks.announce(60);
  hooks.start({ config: { webhook_timeout_ms: 600_000 }, tuning: { lease_slack_ms: 600_000 } });
  const healthy = await until(
    async () => hooks.receiver.received.filter(({ path }) => path !== '/dead').length,
    (count) => count === 9 * 60,
    120_000,
  );
  assert.equal(healthy, 540);
  assert.equal(
    await until(
      async () => opened,
      (count) => count >= 16,
    ),
    16,
  );
  assert.equal(ended, 0, 'nobody has waited for a timeout of the dead one');
});

test('all failing endpoints together use at most half of the slots', async () => {
  const timeout_ms = 1_000;
  let open = 0;
  const dead = [];
  for (let i = 0; i < 6; i++) {
    dead.push(await hooks.register(`/dead-${i}`));
    hooks.receiver.behave((response) => {
      open++;
      response.on('close', () => open--);
    }, `/dead-${i}`);
  }
  await hooks.announce(12);
  // All six look healthy at first and fill every slot for one timeout.
  hooks.start({
    config: { webhook_timeout_ms: timeout_ms, webhook_retry_schedule_ms: [1, 1, 1, 1] },
    tuning: { total: 12, per_endpoint: 2 },
  });
  for (const endpoint of dead) await hooks.recorded(endpoint, 1);
  await sleep(timeout_ms + 100);
  const most: number[] = [];
  for (let i = 0; i < 20; i++) {
    most.push(open);
    await sleep(50);
  }
  // Sockets of the last round may still be closing.
  assert.ok(Math.max(...most) <= 8, `${most}`);
  await hooks.register('/healthy');
  await hooks.announce(20);
  // On a busy machine the healthy one may be too late now and then, and get a delivery again.
  await until(
    async () => new Set(hooks.receiver.received.filter(({ path }) => path === '/healthy').map(({ event }) => event.id)).size,
    (count) => count === 20,
  );
});

test('an endpoint that answers nothing has its retries made though new events keep its other slot busy', async () => {
  hooks.receiver.behave(() => {});
  await hooks.register();
  await hooks.announce(1_000);
  hooks.start({ config: { webhook_timeout_ms: 50, webhook_retry_schedule_ms: [100, 100, 100, 100, 100] } });
  const thirdTries = () => hooks.store.db.all(sql`select 1 from deliveries where tries >= 3`);
  await until(thirdTries, (rows) => rows.length > 0);
  const untried = await hooks.store.db.all(sql`select 1 from deliveries where tries = 0`);
  assert.ok(untried.length > 0, 'first tries still wait');
});

test('a host name that resolves to an internal address is never called, whatever it resolved to at registration', async () => {
  const { webhook } = await hooks.call('POST', '/webhooks', {
    url: `https://rebind.example:${new URL(hooks.receiver.url).port}/`,
  });
  let lookups = 0;
  const sender = createSender(async () => (lookups++ === 0 ? ['10.0.0.7'] : ['127.0.0.1']));
  hooks.start({ config: { webhook_retry_schedule_ms: [50] }, tuning: { send: sender.send } });
  await hooks.announce();
  const attempts = await hooks.recorded(webhook, 2);
  for (const attempt of attempts) assert.match(attempt.error, /^blocked/);
  assert.equal(hooks.receiver.received.length, 0);
});

test('live never calls loopback addresses, not even in development', async () => {
  const { live } = hooks.api.deps.stores;
  const { webhook } = (
    await hooks.api.call('POST', '/webhooks', { key: hooks.merchant.live.secret, body: { url: 'https://shop.example/' } })
  ).body;
  await live.db.run(sql`update webhook_endpoints set url = ${hooks.receiver.url} where id = ${webhook.id}`);
  hooks.start({ store: live });
  await hooks.announce(1, {}, live);
  const { items } = await until(
    async () => (await hooks.api.call('GET', `/webhooks/${webhook.id}/deliveries`, { key: hooks.merchant.live.secret })).body,
    (body) => body.items.length === 1,
  );
  assert.match(items[0].error, /^blocked/);
  assert.equal(hooks.receiver.received.length, 0);
});

test('a temporary loss of the database stops nothing: deliveries continue and outcomes are kept', async () => {
  const endpoint = await hooks.register();
  const { environment, db } = hooks.store;
  let away = false;
  let refused = 0;
  const flaky: typeof db = {
    ...db,
    all: (statement) => {
      if (!away) return db.all(statement);
      refused++;
      return Promise.reject(new Error('the database is away'));
    },
  };
  hooks.start({ store: { environment, db: flaky } });
  hooks.receiver.behave((response) => {
    away = true;
    response.end('ok');
  });
  await hooks.announce();
  await hooks.receiver.waitFor(1);
  await until(
    async () => refused,
    (count) => count >= 2,
  );
  hooks.receiver.behave(200);
  away = false;
  const [attempt] = await hooks.recorded(endpoint, 1);
  assert.equal(attempt.status, 'succeeded');
  await hooks.announce();
  await hooks.receiver.waitFor(2);
});

const withCode = (code: string) => Object.assign(new Error(code), { code });
for (const [what, error, isCompleted] of [
  ['the database is not available', new DatabaseUnavailable(new Error('no connection')), true],
  ['the server ended a statement at its deadline', withCode('57014'), true],
  ['a lock was not available in time', withCode('55P03'), true],
  ['the program has a defect', new TypeError('undefined is not a function'), false],
] as const)
  test(`a round that failed because ${what} is ${isCompleted ? '' : 'not '}completed`, async () => {
    const clock = new FakeClock();
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    const { environment, db } = hooks.store;
    const all: typeof db.all = () => {
      clock.advance(600_000);
      resolve();
      return Promise.reject(error);
    };
    const worker = hooks.start({ clock, store: { environment, db: { ...db, all } } });
    await failed;
    await sleep(50);
    assert.equal(clock.now() - worker.lastRound(), isCompleted ? 0 : 600_000);
  });

test('a delivery that fails inside the program waits in the queue without a try, and is not claimed again and again', async () => {
  const { db } = hooks.store;
  const endpoint = await hooks.register();
  const sealed = await db.maybe<{ secret_sealed: string }>(sql`
    select secret_sealed from webhook_endpoints where id = ${endpoint.id}`);
  await db.run(sql`update webhook_endpoints set secret_sealed = 'unreadable' where id = ${endpoint.id}`);
  await hooks.announce(40);
  const reported = mock.method(hooks.api.deps.log, 'error', () => {});
  const causes: string[] = [];
  const putBack = (cause: string) => causes.push(cause);
  // A lease that ended before the outcomes of a claim are stored would have the rest of them tried again.
  const worker = hooks.start({ tuning: { lease_slack_ms: 1_200_000, putBack } });
  const backInQueue = () =>
    db.all<{ tries: number }>(sql`
      select tries from deliveries where claim is null and due_at > pirogue_now() + interval '9 minutes'`);
  // Without a claim: no lease keeps them from being claimed, only the time at which they are due.
  await until(backInQueue, (rows) => rows.length === 40);
  await sleep(1_000);
  await worker.stop();
  reported.mock.restore();
  assert.equal(reported.mock.callCount(), 40, 'each was tried once');
  assert.deepEqual(causes, Array(40).fill('program'));
  assert.ok((await backInQueue()).every(({ tries }) => tries === 0));
  assert.deepEqual(await hooks.attemptsOf(endpoint), []);
  await db.run(sql`update webhook_endpoints set secret_sealed = ${sealed?.secret_sealed} where id = ${endpoint.id}`);
  await db.run(sql`update deliveries set due_at = pirogue_now()`);
  hooks.start();
  const attempts = await hooks.recorded(endpoint, 40);
  assert.ok(
    attempts.every(({ attempt, status }: { attempt: number; status: string }) => attempt === 1 && status === 'succeeded'),
  );
});

test('an event whose body cannot be read holds up no other delivery, and is tried again', async () => {
  const errors: string[] = [];
  const { log } = hooks.api.deps;
  const endpoint = await hooks.register();
  await hooks.announce(3);
  // As a body packed with the dictionary of a newer version looks to this one.
  await hooks.store.db.run(sql`
    update events set body = convert_to('9' || chr(10) || 'newer', 'UTF8')
    where id = (select event_id from deliveries order by id limit 1)`);
  const reported = mock.method(log, 'error', (_: object, message: string) => errors.push(message));
  const kept = (
    await hooks.store.db.all<{ body: Buffer; event_id: string }>(sql`
    select event_id, body from events join deliveries on event_id = events.id order by deliveries.id desc limit 1`)
  )[0];
  hooks.start({ tuning: { fault_retry_ms: 300 } });
  await hooks.receiver.waitFor(2);
  await hooks.recorded(endpoint, 2);
  assert.equal(await hooks.pending(), 1, 'the unreadable one waits');
  assert.ok(errors.includes('a webhook delivery could not be made'), errors.join());
  reported.mock.restore();
  await hooks.store.db.run(sql`update events set body = ${kept?.body} where id in (select event_id from deliveries)`);
  await hooks.receiver.waitFor(3);
});

test('stop waits for deliveries in progress and records them', async () => {
  const endpoint = await hooks.register();
  hooks.receiver.behave((response) => setTimeout(() => response.end('ok'), 300));
  const worker = hooks.start();
  await hooks.announce();
  await hooks.receiver.waitFor(1);
  await worker.stop();
  const [attempt] = await hooks.attemptsOf(endpoint);
  assert.deepEqual([attempt.status, await hooks.pending()], ['succeeded', 0]);
});

test('two workers share the deliveries and send nothing twice', async () => {
  await hooks.register();
  await hooks.register('/second');
  await hooks.announce(100);
  hooks.start();
  hooks.start();
  await hooks.receiver.waitFor(200);
  await until(
    () => hooks.pending(),
    (count) => count === 0,
  );
  assert.equal(hooks.receiver.received.length, 200);
  assert.equal(new Set(hooks.receiver.received.map(({ path, event }) => `${path} ${event.id}`)).size, 200);
});

test('an endpoint with many queued deliveries does not delay the others', async () => {
  await hooks.register('/busy');
  await hooks.announce(500);
  await hooks.register('/quiet');
  await hooks.announce(1);
  hooks.start({ tuning: { total: 4, per_endpoint: 2 } });
  const before = () => hooks.receiver.received.findIndex(({ path }) => path === '/quiet');
  await until(
    async () => before(),
    (count) => count >= 0,
  );
  assert.ok(before() < 100, `${before()}`);
});
