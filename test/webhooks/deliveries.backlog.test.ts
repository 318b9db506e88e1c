import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import { stopFullQueues } from '../../src/money/webhooks/backlog-store.ts';
import { backlogSweep } from '../../src/money/webhooks/sweeps.ts';
import { until } from '../setup/api.ts';
import { Deliveries, type Endpoint } from '../setup/deliveries.ts';

const hooks = new Deliveries();
const LIMITS = { max: 20, resume_below: 5 };

const sweep = () => backlogSweep(hooks.api.deps, hooks.store, LIMITS).round();

async function waitingFor({ id }: Endpoint): Promise<number> {
  return (await hooks.store.db.all(sql`select 1 from deliveries where endpoint_id = ${id}`)).length;
}

const fullSince = async ({ id }: Endpoint) => (await hooks.call('GET', `/webhooks/${id}`)).webhook.backlog_full_since;

async function newMails(): Promise<OutgoingMail[]> {
  const sent: OutgoingMail[] = [];
  await mailSweep(hooks.api.deps, hooks.store, {
    send: async (mail) => ({ kind: 'sent' as const, _: sent.push(mail) }),
  }).round();
  return sent.filter(({ to }) => to === hooks.merchant.team.email);
}

test('the backlog of an endpoint is bounded, a mail says so, and other endpoints get everything', async () => {
  const full = await hooks.register('/full?token=secret-of-the-shop');
  await hooks.announce(LIMITS.max - 1);
  await sweep();
  await hooks.announce(1);
  assert.equal(await waitingFor(full), LIMITS.max, 'one below the limit stops nothing');
  assert.equal(await fullSince(full), null);
  await sweep();
  assert.match(String(await fullSince(full)), /^\d{4}-\d\d-\d\dT.*Z$/);
  const other = await hooks.register('/other');
  await hooks.announce(7);
  assert.deepEqual([await waitingFor(full), await waitingFor(other)], [LIMITS.max, 7]);
  const [mail, ...more] = await newMails();
  assert.deepEqual(more, []);
  for (const part of [full.id, new URL(full.url).host, 'sandbox', 'Bonjour', 'Hello', '/resend', String(LIMITS.max)]) {
    assert.ok(mail?.text.includes(part), part);
  }
  assert.ok(!mail?.text.includes('secret-of-the-shop'));
  await sweep();
  assert.deepEqual(await newMails(), [], 'one mail, however long it lasts');
});

test('an event that was not queued records its number of endpoints, stays readable and can be sent again manually', async () => {
  const endpoint = await hooks.register();
  await hooks.announce(LIMITS.max);
  await sweep();
  await hooks.announce(1, { id: 'trx_test_missed' });
  const { items } = await hooks.call('GET', '/events?per_page=1');
  assert.equal(items[0].pending_webhooks, 0);
  assert.equal(await waitingFor(endpoint), LIMITS.max);
  assert.equal((await hooks.call('POST', `/events/${items[0].id}/resend`)).deliveries, 1);
  assert.equal(await waitingFor(endpoint), LIMITS.max + 1);
});

test('events are queued again once the backlog is processed, and a mail reports the gap', async () => {
  const endpoint = await hooks.register();
  await hooks.announce(LIMITS.max);
  await sweep();
  await newMails();
  await hooks.announce(3);
  await sweep();
  assert.equal(await waitingFor(endpoint), LIMITS.max, 'not while it is still long');
  const since = Date.parse(String(await fullSince(endpoint)));
  hooks.start();
  await until(
    () => hooks.pending(),
    (count) => count === 0,
  );
  const resumed_at = Date.now();
  await sweep();
  assert.equal(await fullSince(endpoint), null);
  const [mail] = await newMails();
  const [from = 0, to = 0] = (mail?.text.match(/\d{4}-\d\d-\d\d \d\d:\d\d/g) ?? []).map((time) => Date.parse(`${time}Z`));
  assert.ok(from <= since - 60_000, 'an event may have been created before the moment, and committed after it');
  assert.ok(to >= resumed_at + 60_000, 'an event may be recorded while the statement that resumes runs');
  assert.ok(from > since - 180_000 && to < Date.now() + 180_000, `${from} to ${to}`);
  await hooks.announce(1);
  await hooks.receiver.waitFor(LIMITS.max + 1);
  assert.equal(hooks.receiver.received.length, LIMITS.max + 1);
});

test('events are queued at once for a reactivated endpoint, however long its backlog was', async () => {
  const endpoint = await hooks.register();
  await hooks.announce(LIMITS.max);
  await sweep();
  const changed = [
    await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { description: 'full' }),
    await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { active: false }),
    await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { active: true }),
  ];
  assert.deepEqual(
    changed.map(({ webhook }) => webhook.backlog_full_since === null),
    [false, true, true],
  );
  await hooks.announce(2);
  assert.equal(await waitingFor(endpoint), 2);
});

test('each round covers some endpoints and the next round continues after them', async () => {
  const endpoints: Endpoint[] = [];
  for (let i = 0; i < 3; i++) endpoints.push(await hooks.register(`/${i}`));
  await hooks.announce(LIMITS.max);
  const seen: string[] = [];
  let after: string | null = '';
  while (after !== null) {
    const { stopped, last }: { stopped: { id: string }[]; last: string | null } = await stopFullQueues(
      hooks.store.db,
      { after, endpoints: 2 },
      LIMITS.max,
    );
    seen.push(...stopped.map(({ id }) => id));
    after = last;
  }
  assert.deepEqual(seen.sort(), endpoints.map(({ id }) => id).sort());
});
