import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { until } from '../setup/api.ts';
import { Deliveries, type Endpoint, sleep } from '../setup/deliveries.ts';
import { verify } from '../setup/receiver.ts';

const hooks = new Deliveries();

/** Longer than a delivery may have waited in its process to be sent as it was claimed. */
const WAITED_MS = 500;

/**
 * An endpoint of which one delivery is under way and three are claimed and wait for it.
 * @param announce makes five events
 * @returns lets the endpoint answer, and waits until nothing is under way any more
 */
async function waiting(endpoint: Endpoint, announce = () => hooks.announce(5)): Promise<() => Promise<void>> {
  const held: ServerResponse[] = [];
  hooks.receiver.behave((response) => held.push(response));
  await announce();
  const tuning = { per_endpoint: 1, per_quick: 8, quick_ms: 600_000, lease_slack_ms: 1_200_000 };
  const worker = hooks.start({ tuning });
  await hooks.receiver.waitFor(1);
  held.shift()?.writeHead(200).end();
  await hooks.receiver.waitFor(2);
  const claimed = () =>
    hooks.store.db.all(sql`select 1 from deliveries where endpoint_id = ${endpoint.id} and claim is not null`);
  await until(claimed, (rows) => rows.length === 4);
  return async () => {
    await sleep(WAITED_MS);
    hooks.receiver.behave(200);
    for (const response of held) response.writeHead(200).end();
    await worker.stop();
  };
}

test('a rotated secret signs deliveries that were claimed before the rotation and not sent yet', async () => {
  const endpoint = await hooks.register();
  const goOn = await waiting(endpoint);
  const { secret } = (await hooks.call('POST', `/webhooks/${endpoint.id}/rotate-secret`)).webhook;
  await goOn();
  const [, , ...later] = hooks.receiver.received;
  assert.equal(later.length, 3);
  for (const one of later) assert.equal(verify(one, secret), null);
});

test('a changed URL gets deliveries that were claimed before the change and not sent yet', async () => {
  const endpoint = await hooks.register('/before');
  const goOn = await waiting(endpoint);
  await hooks.call('PATCH', `/webhooks/${endpoint.id}`, { url: `${hooks.receiver.url}/after` });
  await goOn();
  const paths = hooks.receiver.received.map(({ path }) => path);
  assert.deepEqual(paths, ['/before', '/before', '/after', '/after', '/after']);
});

for (const [what, stop] of [
  ['deleted', (id: string) => hooks.call('DELETE', `/webhooks/${id}`)],
  ['made inactive', (id: string) => hooks.call('PATCH', `/webhooks/${id}`, { active: false })],
] as const) {
  test(`an endpoint that was ${what} gets none of the deliveries that were claimed before and not sent yet`, async () => {
    const endpoint = await hooks.register();
    const goOn = await waiting(endpoint);
    await stop(endpoint.id);
    await goOn();
    assert.equal(hooks.receiver.received.length, 2, 'one was answered, one was under way');
    assert.equal(await hooks.pending(), 0);
  });
}

test('deliveries that were claimed before the erasure of their customer, and not sent yet, have nothing of the person', async () => {
  const email = 'awa.ngo@mail.example';
  const { id } = (await hooks.call('POST', '/customers', { name: 'Awa Ngo', email })).customer;
  const endpoint = await hooks.register();
  const goOn = await waiting(endpoint, async () => {
    for (let i = 0; i < 5; i++) await hooks.call('PATCH', `/customers/${id}`, { metadata: { visits: i } });
  });
  const bodies = () => hooks.receiver.received.map(({ body }) => body.toString());
  assert.ok(bodies().every((body) => body.includes(email)));
  await hooks.call('DELETE', `/customers/${id}`);
  await goOn();
  const [, , ...later] = hooks.receiver.received;
  assert.ok(later.length >= 3);
  for (const one of later) {
    assert.equal(verify(one, endpoint.secret), null);
    assert.ok(one.event.data.name.startsWith('Deleted User '));
  }
  assert.ok(
    !bodies()
      .slice(2)
      .some((body) => body.includes(email)),
  );
});
