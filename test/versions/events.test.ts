// Own process: the version that it adds stays for as long as the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packWhole, unpack } from '../../src/kit/packing.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { sql } from '../../src/kit/sql.ts';
import { Deliveries, type Endpoint } from '../setup/deliveries.ts';
import { verify } from '../setup/receiver.ts';
import { addSecondVersion, NEW, OLD } from './second.ts';

addSecondVersion();
const hooks = new Deliveries();
const PAYMENT = { id: 'trx_test_x', amount: 5, status: 'succeeded' };
const OLDER = { id: 'trx_test_x', total: 5, status: 'paid' };

const pinned = async (path: string, version: string): Promise<Endpoint> => {
  const endpoint = await hooks.register(path);
  await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { api_version: version });
  return endpoint;
};
const bodies = () =>
  hooks.store.db.all<{ event_id: string; body: string }>(sql`
  select event_id, body from event_bodies where team_id = ${hooks.merchant.team.id}`);
const recorded = async () =>
  JSON.parse(
    unpack(
      (await hooks.store.db.all<{ body: Buffer }>(sql`select body from events where team_id = ${hooks.merchant.team.id}`))[0]
        ?.body as Buffer,
    ),
  );
const receivedAt = (path: string) => hooks.receiver.received.filter((one) => one.path === path);

test('each endpoint gets an event in its pinned version, signed as sent; the older body is stored once', async () => {
  const [one, two, three] = [await pinned('/old', OLD), await pinned('/old-too', OLD), await pinned('/new', NEW)];
  hooks.start();
  await hooks.announce(1, PAYMENT);
  await hooks.receiver.waitFor(3);
  const [old] = receivedAt('/old');
  const [oldToo] = receivedAt('/old-too');
  const [newer] = receivedAt('/new');
  assert.ok(old && oldToo && newer);
  assert.deepEqual([old.event.api_version, old.event.data], [OLD, OLDER]);
  assert.deepEqual([newer.event.api_version, newer.event.data], [NEW, PAYMENT]);
  const { api_version: _, data: __, ...same } = old.event;
  assert.deepEqual({ ...same, api_version: NEW, data: PAYMENT }, newer.event);
  assert.ok(old.body.equals(oldToo.body));
  for (const [received, { secret }] of [
    [old, one],
    [oldToo, two],
    [newer, three],
  ] as const) {
    assert.equal(verify(received, secret), null);
  }
  assert.deepEqual(await bodies(), [{ event_id: old.event.id, body: old.body.toString() }]);
});

test('a retry and a redelivery send the stored bytes', async () => {
  const endpoint = await pinned('/old', OLD);
  const owner = openPool({ url: hooks.api.databases.sandbox, size: 1, log: hooks.api.deps.log });
  hooks.receiver.behave(500);
  hooks.start({ config: { webhook_retry_schedule_ms: [600_000] } });
  await hooks.announce(1, PAYMENT);
  await hooks.recorded(endpoint, 1);
  const [first] = receivedAt('/old');
  const kept = first?.body.toString().replace('"paid"', '"kept"') ?? '';
  await owner.run(sql`update event_bodies set body = ${kept} where event_id = ${first?.event.id}`);
  await owner.close();
  hooks.receiver.behave(200);
  await hooks.dueNow();
  await hooks.receiver.waitFor(2);
  await hooks.recorded(endpoint, 2);
  const resend = await fetch(`${hooks.api.url}/events/${first?.event.id}/resend`, {
    method: 'POST',
    headers: { authorization: hooks.merchant.sandbox.secret },
  });
  assert.equal(resend.status, 200);
  await hooks.receiver.waitFor(3);
  for (const received of receivedAt('/old').slice(1)) {
    assert.equal(received.body.toString(), kept);
    assert.equal(verify(received, endpoint.secret), null);
  }
});

test('with every endpoint at the newest version no body is stored, and the bytes are those of the event', async () => {
  await pinned('/new', NEW);
  hooks.start();
  await hooks.announce(1, PAYMENT);
  await hooks.receiver.waitFor(1);
  assert.deepEqual(receivedAt('/new')[0]?.event, await recorded());
  assert.deepEqual(await bodies(), []);
});

test('an event recorded by an earlier release is sent unchanged to every pinned version', async () => {
  await pinned('/new', NEW);
  await pinned('/old', OLD);
  await hooks.announce(1, OLDER);
  const earlier = packWhole(JSON.stringify({ ...(await recorded()), api_version: OLD }));
  await hooks.store.db.run(sql`update events set body = ${earlier} where team_id = ${hooks.merchant.team.id}`);
  hooks.start();
  await hooks.receiver.waitFor(2);
  for (const { event } of hooks.receiver.received) assert.deepEqual([event.api_version, event.data], [OLD, OLDER]);
  assert.deepEqual(await bodies(), []);
});

test('a new endpoint is pinned to the version of its team', async () => {
  const read = async (version: string) => {
    const merchant = await hooks.api.newMerchant({ api_version: version });
    const answer = await fetch(`${hooks.api.url}/webhooks`, {
      method: 'POST',
      headers: { authorization: merchant.sandbox.secret },
      body: JSON.stringify({ url: 'https://shop.example/hook' }),
    });
    return ((await answer.json()) as { webhook: { api_version: string } }).webhook.api_version;
  };
  assert.deepEqual([await read(OLD), await read(NEW)], [OLD, NEW]);
});

test('an endpoint is pinned at creation and changed by PATCH; PUT without a version resets it to that of the team', async () => {
  const endpoint = await hooks.register('/pinned', { api_version: OLD });
  const pin = async (method: string, body: object): Promise<string> =>
    (await hooks.call(method, `/webhooks/${endpoint.id}`, body)).webhook.api_version;
  const { webhook } = await hooks.call('GET', `/webhooks/${endpoint.id}`);
  assert.equal(webhook.api_version, OLD);
  assert.equal(await pin('PATCH', { api_version: NEW }), NEW);
  assert.equal(await pin('PATCH', { description: 'pinned' }), NEW, 'what is not named stays');
  assert.equal(await pin('PUT', { url: webhook.url, api_version: OLD }), OLD);
  assert.equal(await pin('PUT', { url: webhook.url }), hooks.merchant.team.api_version);
});

test('200 events are returned in the version of the request', async () => {
  await hooks.announce(1, PAYMENT);
  const { id } = await recorded();
  const show = async (path: string, version: string) => {
    const headers = { authorization: hooks.merchant.sandbox.secret, 'x-service-version': version };
    const body = (await (await fetch(`${hooks.api.url}${path}`, { headers })).json()) as { event?: object; items?: object[] };
    return (body.event ?? body.items?.[0]) as { api_version: string; data: object };
  };
  for (const path of ['/events', `/events/${id}`]) {
    for (const [version, data] of [
      [OLD, OLDER],
      [NEW, PAYMENT],
    ] as const) {
      const event = await show(path, version);
      assert.deepEqual([event.api_version, event.data], [version, data], path);
    }
  }
});
