import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, type Merchant, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { parsed, pirogue } from './command.ts';
import { merchantEnv } from './listening.ts';

let api: Api;
let merchant: Merchant;
let receiver: Receiver;
let payment: string;
before(async () => {
  api = await startApi();
  receiver = await startReceiver();
  merchant = await api.newMerchant();
  payment = await paid(api, { key: merchant.sandbox.secret });
});
after(async () => {
  await receiver.close();
  await api.stop();
});

const run = (...args: string[]) => pirogue(['events', ...args], merchantEnv(api, merchant.sandbox.secret));

test('events list shows events newest first, filtered by type and up to a limit', async () => {
  const [event, ...more] = parsed(await run('list', '--type', 'payment.succeeded', '--json'));
  assert.deepEqual([event.event, event.data.id, more], ['payment.succeeded', payment, []]);
  const { stdout } = await run('list', '--limit', '2');
  const [heading, newest, ...rest] = stdout.trimEnd().split('\n');
  assert.match(heading as string, /^ID +TYPE +RESOURCE +ENDPOINTS +CREATED$/);
  assert.match(newest as string, new RegExp(`^${event.id} +payment\\.succeeded +${payment} +0 +`));
  assert.equal(rest.length, 1);
});

test('events resend delivers an event again: to no endpoint, then to the subscribed one', async () => {
  const key = merchant.sandbox.secret;
  const [{ id }] = parsed(await run('list', '--type', 'payment.succeeded', '--json'));
  const nobody = await run('resend', id);
  assert.deepEqual([nobody.code, /^no active endpoint subscribes to payment\.succeeded/.test(nobody.stdout)], [0, true]);
  await api.call('POST', '/webhooks', { key, body: { url: receiver.url } });
  assert.deepEqual(parsed(await run('resend', id, '--json')), { event: id, type: 'payment.succeeded', deliveries: 1 });
  const [received] = await receiver.waitFor(1);
  assert.equal(received?.event.id, id);
  assert.match((await run('resend', id)).stdout, /is queued again for 1 endpoint\n/);
});

test('GET /events and /events/{id} return the same sequence as the deliveries', async () => {
  const key = merchant.sandbox.secret;
  const list = await api.call('GET', '/events?type=payment.succeeded', { key });
  assert.equal(list.headers.get('x-service-sequence'), '3');
  const all = await api.call('GET', '/events', { key });
  const numbers = all.headers.get('x-service-sequence')?.split(', ') ?? [];
  assert.equal(numbers.length, all.body.items.length);
  assert.equal(numbers[all.body.items.findIndex(({ event }: { event: string }) => event === 'payment.processing')], '2');
  const one = await api.call('GET', `/events/${list.body.items[0].id}`, { key });
  assert.equal(one.headers.get('x-service-sequence'), '3');
});

test('an unknown event or a key without permission exits with 1 and advice', async () => {
  const none = await run('resend', `evt_test_${'0'.repeat(26)}`);
  assert.deepEqual([none.code, none.stdout], [1, '']);
  assert.match(none.stderr, /returned 404: Resource Not Found\. Check the id/);
  const { key } = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['payment.read'] });
  const barred = await pirogue(['events', 'list'], merchantEnv(api, key));
  assert.match(barred.stderr, /returned 403: .* The key lacks the permission/);
});
