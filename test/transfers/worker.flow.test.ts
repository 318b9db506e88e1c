import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Receiver, startReceiver, verify } from '../setup/receiver.ts';
import { bucketsOf, fund, TO_PHONE } from './support.ts';

let api: Api;
let receiver: Receiver;
before(async () => {
  [api, receiver] = await Promise.all([startApi(), startReceiver()]);
});
after(async () => {
  await api.stop();
  await receiver.close();
});

test('a transfer completes in the background, and the merchant is notified', async () => {
  await fund(api, api.team, 5_000);
  const { webhook } = (await api.call('POST', '/webhooks', { body: { url: `${receiver.url}/hooks`, events: ['transfer.*'] } }))
    .body;
  const { id } = (await api.call('POST', '/transfers', { body: { ...TO_PHONE, amount: 1_000 } })).body.transfer;
  const read = async () => (await api.call('GET', `/transfers/${id}`)).body.transfer;
  const done = await until(read, (transfer) => transfer.status === 'succeeded');
  const received = await receiver.waitFor(2);
  assert.deepEqual(received.map(({ event }) => event.event).sort(), ['transfer.created', 'transfer.succeeded']);
  assert.deepEqual(received.find(({ event }) => event.event === 'transfer.succeeded')?.event.data, done);
  for (const delivery of received) assert.equal(verify(delivery, webhook.secret), null);
  const { available, reserved, in_transit } = await bucketsOf(api.deps.stores.sandbox, api.team);
  assert.deepEqual([available, reserved, in_transit], [3_990, 0, 0]);
});
