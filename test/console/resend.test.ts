import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lowestIdAt } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { formToken, type Person, signedIn } from './people.ts';

const HOUR_MS = 3_600_000;

let api: Api;
let receiver: Receiver;
let developer: Person;
let base: string;
before(async () => {
  receiver = await startReceiver();
  api = await startApi({ workers: false });
  developer = await signedIn(api, 'developer');
  base = `/console/${api.team.id}/sandbox/developers/endpoints`;
});
after(async () => {
  await api.stop();
  await receiver.close();
});

const minute = (at: number) => new Date(at).toISOString().slice(0, 16);
const LAST_HOUR = () => ({ type: '', from: minute(Date.now() - HOUR_MS), to: minute(Date.now() + 60_000) });
const db = () => api.deps.stores.sandbox.db;

async function endpoint(events: string[]): Promise<string> {
  const { body } = await api.call('POST', '/webhooks', { body: { url: `${receiver.url}/hooks`, events } });
  return body.webhook.id;
}

/** Submits the form of an endpoint's page. */
async function resend(id: string, values: Record<string, string>, person = developer) {
  const token = formToken((await person.get(`${base}/${id}`)).text);
  return { token, shown: await person.post(`${base}/${id}/resend`, { ...token, ...values }) };
}

const waitingFor = async (id: string) =>
  (await db().all<{ event_id: string }>(sql`select event_id from deliveries where endpoint_id = ${id} order by due_at`)).map(
    ({ event_id }) => event_id,
  );

/** Makes customers, whose events no endpoint has received. @returns the ids of the events, oldest first */
async function customers(count: number): Promise<string[]> {
  for (let i = 0; i < count; i++) {
    const { status } = await api.call('POST', '/customers', {
      body: { name: 'Awa', email: `c${Date.now()}-${i}@payer.example` },
    });
    assert.equal(status, 201);
  }
  const rows = await db().all<{ id: string }>(sql`
    select id from events where team_id = ${api.team.id} and type = 'customer.created' order by created_at desc limit ${count}`);
  return rows.map(({ id }) => id).reverse();
}

test('events of a range are queued again in their order, once for each form, and replace what waits', async () => {
  const ids = await customers(4);
  const id = await endpoint(['customer.*']);
  const { token, shown } = await resend(id, LAST_HOUR());
  assert.equal(shown.to, `${base}/${id}?done=resend`);
  assert.deepEqual(await waitingFor(id), ids);
  const values = { ...token, ...LAST_HOUR() };
  await db().run(sql`delete from deliveries where endpoint_id = ${id}`);
  await developer.post(`${base}/${id}/resend`, values);
  assert.deepEqual(await waitingFor(id), []);
  await resend(id, { ...LAST_HOUR(), type: 'customer.created' });
  await resend(id, LAST_HOUR());
  assert.deepEqual(await waitingFor(id), ids);
  const entries = await db().all<{ actor_id: string }>(
    sql`select actor_id from audit_entries where action = 'event.resend' and resource_id = ${id}`,
  );
  assert.equal(entries.length, 3);
  assert.ok(entries.every(({ actor_id }) => actor_id.startsWith(developer.id)));
});

test('a time or type without events sends nothing, and says so', async () => {
  const id = await endpoint(['customer.*']);
  const earlier = { from: minute(Date.now() - 5 * HOUR_MS), to: minute(Date.now() - 4 * HOUR_MS), type: '' };
  const { shown } = await resend(id, earlier);
  assert.equal(shown.to, `${base}/${id}?done=nothing`);
  assert.match((await developer.get(shown.to ?? '')).text, /nothing was sent/);
  assert.deepEqual(await waitingFor(id), []);
});

test('what cannot be sent is reported beside its field, and nothing is queued', async () => {
  const id = await endpoint(['customer.*']);
  const wrong: readonly [values: Record<string, string>, field: string][] = [
    [{ ...LAST_HOUR(), type: 'payment.succeeded' }, 'type'],
    [{ ...LAST_HOUR(), type: 'webhook.test' }, 'type'],
    [{ ...LAST_HOUR(), type: "'; drop table" }, 'type'],
    [{ ...LAST_HOUR(), from: 'yesterday' }, 'from'],
    [{ ...LAST_HOUR(), from: '2026-02-30T10:00' }, 'from'],
    [{ ...LAST_HOUR(), to: '2099-02-30T10:00' }, 'to'],
    [{ ...LAST_HOUR(), to: '2099-01-01T24:01' }, 'to'],
    [{ ...LAST_HOUR(), to: minute(Date.now() - 2 * HOUR_MS) }, 'to'],
    [{}, 'to'],
  ];
  for (const [values, field] of wrong) {
    const { shown } = await resend(id, values);
    assert.equal(shown.status, 422, JSON.stringify(values));
    assert.match(shown.text, new RegExp(`id="f-${field}-error"`), JSON.stringify(values));
  }
  assert.deepEqual(await waitingFor(id), []);
});

test('more than 10,000 events are rejected whole, and 10,000 are queued by one order', async () => {
  const { team, sandbox } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const at = Date.now() - HOUR_MS;
  const fill = (from: number, to: number) =>
    db().run(sql`
      insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
      select ${team.id}, overlay(${lowestIdAt('evt', 'sandbox', at)} placing lpad(n::text, 16, '0') from 20), 'refund.created', 'rfd_' || n, 1, 0,
        '{}', ${new Date(at)} from generate_series(${from}::integer, ${to}::integer) n`);
  await fill(1, 10_000);
  const made = await api.call('POST', '/webhooks', { key: sandbox.secret, body: { url: `${receiver.url}/many`, events: ['*'] } });
  const id = made.body.webhook.id as string;
  const page = `/console/${team.id}/sandbox/developers/endpoints/${id}`;
  const send = async () => {
    const values = { type: '', from: minute(at - 60_000), to: minute(at + 120_000) };
    return owner.post(`${page}/resend`, { ...formToken((await owner.get(page)).text), ...values });
  };
  // The second order replaces all that wait.
  for (const order of [1, 2]) assert.equal((await send()).to, `${page}?done=resend`, String(order));
  assert.equal((await waitingFor(id)).length, 10_000);
  await fill(10_001, 10_001);
  await db().run(sql`delete from deliveries where endpoint_id = ${id}`);
  const rejected = await send();
  assert.equal(rejected.status, 422);
  assert.match(rejected.text, /more than 10000 events/);
  assert.deepEqual(await waitingFor(id), []);
});

test('an inactive endpoint, a full backlog, another team and a role without the permission get nothing', async () => {
  await customers(1);
  const id = await endpoint(['customer.*']);
  const { token } = await resend(id, LAST_HOUR());
  assert.ok(Object.keys(token).length > 0);
  await db().run(sql`delete from deliveries where endpoint_id = ${id}`);
  await db().run(sql`update webhook_endpoints set backlog_full_since = pirogue_now() where id = ${id}`);
  assert.equal((await resend(id, LAST_HOUR())).shown.status, 409);
  await db().run(sql`update webhook_endpoints set backlog_full_since = null where id = ${id}`);
  const fresh = formToken((await developer.get(`${base}/${id}`)).text);
  await api.call('PATCH', `/webhooks/${id}`, { body: { active: false } });
  assert.equal((await developer.post(`${base}/${id}/resend`, { ...fresh, ...LAST_HOUR() })).status, 409);
  await api.call('PATCH', `/webhooks/${id}`, { body: { active: true } });
  const other = await api.newMerchant();
  const stranger = await signedIn(api, 'owner', other.team);
  const elsewhere = `/console/${other.team.id}/sandbox/developers/endpoints`;
  const theirs = formToken((await stranger.get(`${elsewhere}/new`)).text);
  assert.equal((await stranger.post(`${elsewhere}/${id}/resend`, { ...theirs, ...LAST_HOUR() })).status, 404);
  const reader = await signedIn(api, 'read_only');
  assert.doesNotMatch((await reader.get(`${base}/${id}`)).text, /resend/);
  assert.deepEqual(await waitingFor(id), []);
});

test('the workers deliver what is sent again, with the same event ids', async () => {
  const working = await startApi();
  try {
    const owner = await signedIn(working, 'owner');
    await working.call('POST', '/customers', { body: { name: 'Awa', email: 'again@payer.example' } });
    const { body } = await working.call('POST', '/webhooks', {
      body: { url: `${receiver.url}/again`, events: ['customer.created'] },
    });
    const page = `/console/${working.team.id}/sandbox/developers/endpoints/${body.webhook.id}`;
    await owner.submit(page, `${page}/resend`, LAST_HOUR());
    const [event] = (await working.call('GET', '/events?type=customer.created')).body.items;
    const items = await until(
      async () => (await working.call('GET', `/webhooks/${body.webhook.id}/deliveries`)).body.items,
      (found) => found.length > 0,
    );
    assert.deepEqual(
      items.map(({ event_id, status }: { event_id: string; status: string }) => [event_id, status]),
      [[event.id, 'succeeded']],
    );
  } finally {
    await working.stop();
  }
});

test('the page shows how many were sent: to be reloaded, or by itself with script, until the last was', async () => {
  const id = await endpoint(['customer.*']);
  const path = `${base}/${id}`;
  assert.doesNotMatch((await developer.get(path)).text, /Events sent again/);
  const ids = await customers(5);
  const first = (await db().maybe<{ at: string }>(sql`select created_at::text as at from events where id = ${ids[0] ?? ''}`))?.at;
  await resend(id, { type: '', from: `${new Date(`${first}`).toISOString().slice(0, 23)}`, to: minute(Date.now() + 60_000) });
  const progress = async () => (await developer.get(path)).text.match(/role="status">.*?<span>([^<]*)<\/span>/)?.[1];
  assert.equal(await progress(), '0 of 5 sent.');
  assert.match((await developer.get(path)).text, /id="progress" data-live/);
  const [a, b, c, d, e] = ids as [string, string, string, string, string];
  const end = (event: string) => db().run(sql`delete from deliveries where endpoint_id = ${id} and event_id = ${event}`);
  await end(a);
  await end(b);
  assert.equal(await progress(), '2 of 5 sent.');
  // The third failed and waits for its second try, within the same seconds; the fifth overtook the fourth.
  await db().run(sql`update deliveries set tries = 1 where endpoint_id = ${id} and event_id = ${c}`);
  await end(e);
  assert.equal(await progress(), '3 of 5 sent.');
  // An event of that moment, which the range does not have.
  await db().run(sql`
    insert into deliveries (team_id, endpoint_id, event_id, due_at)
    select team_id, endpoint_id, ${c}, due_at - interval '300 microseconds' from deliveries where endpoint_id = ${id} and event_id = ${d}`);
  assert.equal(await progress(), '3 of 5 sent.');
  await db().run(sql`delete from deliveries where endpoint_id = ${id} and tries = 0`);
  assert.match((await progress()) ?? '', /^5 of 5 sent\. All were sent\. The responses are below\.$/);
  assert.doesNotMatch((await developer.get(path)).text, /data-live/);
  const other = await api.newMerchant();
  const stranger = await signedIn(api, 'owner', other.team);
  assert.equal((await stranger.get(path.replace(String(api.team.id), String(other.team.id)))).status, 404);
  await db().run(sql`update webhook_endpoints set resend_started_at = pirogue_now() - interval '1 day' where id = ${id}`);
  assert.doesNotMatch((await developer.get(path)).text, /Events sent again/);
  // Deliveries that the clock has moved no longer tell.
  await resend(id, LAST_HOUR());
  assert.match((await progress()) ?? '', /^0 of/);
  const sandbox = `/console/${api.team.id}/sandbox/developers/sandbox`;
  await developer.submit(sandbox, `${sandbox}/clock`, { span: '10m' });
  assert.doesNotMatch((await developer.get(path)).text, /Events sent again/);
});
