import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { type Received, startReceiver } from '../setup/receiver.ts';
import { LiveMerchant } from './live-merchant.ts';

/** Complaints about webhooks and callbacks that are lost, early or late (docs/complaints.md). */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s', WEBHOOK_RETRY_SCHEDULE: '100ms' } });
after(() => api.stop());

let merchant: LiveMerchant;
beforeEach(async () => {
  merchant = await LiveMerchant.open(api, clock, ['pawapay', 'mtn-momo']);
});
afterEach(() => merchant.stop());

test('complaint 8: the webhook came and no payment was created: it is stored before the provider is called', async () => {
  const pawapay = merchant.simulator('pawapay');
  // It makes the adapter fetch the keys. The clock stands still: a minute ahead of the real time, signed callbacks are too old.
  const first = await merchant.createPayment();
  assert.equal((await merchant.charge(first)).status, 202);
  await merchant.waitForCallback(`/payments/${first}`, 'succeeded');
  await until(
    async () => pawapay.requests.some(({ path }) => path === '/v2/public-key/http'),
    (fetched) => fetched,
  );
  // The provider's answer is lost, so that nothing of ours but the key we chose leads to the payment.
  pawapay.faults.script({ fault: 'reset_created' });
  const id = await merchant.createPayment();
  assert.equal((await merchant.charge(id)).status, 202);
  await merchant.waitForCallback(`/payments/${id}`, 'succeeded');
  const asked = pawapay.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/v2/deposits/'));
  const { key } = pawapay.book.entries().at(-1) ?? assert.fail();
  assert.ok(!asked.some(({ path }) => path.endsWith(key)), 'by the webhook alone');
});

test('complaint 6: an abandoned redirect blocks the invoice forever: the same order can be paid again at once', async () => {
  const pawapay = merchant.simulator('pawapay');
  pawapay.faults.script({ fault: 'stuck' });
  const wave = { channel: 'ci.wave', phone: '+2250701020304' };
  const order = () => merchant.createPayment(1_000, { currency: 'XOF', reference: 'invoice-7', phone: wave.phone });
  const abandoned = await order();
  const { status, body } = await merchant.charge(abandoned, wave);
  assert.deepEqual([status, body.action.kind ?? body.action.type], [202, 'redirect']);
  const anew = await order();
  assert.equal((await merchant.charge(anew, wave)).status, 202);
  await merchant.waitForStatus(`/payments/${anew}`, 'succeeded');
  assert.equal((await merchant.payment(abandoned)).status, 'processing');
});

test('complaint 9: callbacks of operators do not arrive and polls lag: the payment still becomes final', async () => {
  const mtn = merchant.simulator('mtn-momo');
  await merchant.simulator('pawapay').closePort();
  mtn.faults.announce('none');
  mtn.faults.script({ fault: 'lagging' });
  mtn.faults.script({ fault: 'stuck' });
  const lagging = await merchant.createPayment();
  assert.equal((await merchant.charge(lagging)).status, 202);
  await merchant.waitForStatus(`/payments/${lagging}`, 'succeeded');
  // The prompt never shows: nobody says that it was paid, and nobody says that it was not.
  const unseen = await merchant.createPayment();
  await merchant.charge(unseen);
  const asked = async () => {
    clock.advance(600_000);
    return mtn.requests.filter(({ method, path }) => method === 'GET' && path.includes('/requesttopay/')).length;
  };
  const before = await asked();
  await until(asked, (times) => times >= before + 3);
  assert.equal((await merchant.payment(unseen)).status, 'processing');
  assert.equal(mtn.callbacks.sent.length, 0);
  mtn.recover();
  await merchant.waitForStatus(`/payments/${unseen}`, 'succeeded', 10_000);
});

test('complaint 10: one missed webhook blocks a payout for a year: it is polled, and nothing stays reserved', async () => {
  await merchant.createSucceeded(10_000);
  const pawapay = merchant.simulator('pawapay');
  pawapay.faults.announce('none');
  pawapay.faults.script({ fault: 'reset_created' });
  const recipient = { recipient: '+237670200000', channel: 'cm.mtn' };
  const { body } = await merchant.call('POST', '/transfers', { amount: 1_000, currency: 'XAF', ...recipient });
  await merchant.waitForStatus(`/transfers/${body.transfer.id}`, 'succeeded');
  assert.deepEqual([await merchant.balance('in.transit'), await merchant.balance('reserved')], [0n, 0n]);
  const payouts = pawapay.book.entries().filter(({ kind }) => kind === 'payout');
  assert.deepEqual(
    payouts.map(({ moved }) => moved),
    [true],
  );
});

test('complaint 7: webhooks are lost or contain a later state: each endpoint gets each event, retried, unchanged', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { secret: key } = (await api.newMerchant()).sandbox;
  for (const path of ['/sound', '/ailing']) {
    const { status } = await api.call('POST', '/webhooks', { key, body: { url: receiver.url + path, events: ['payment.*'] } });
    assert.equal(status, 201);
  }
  const seen = new Set<string>();
  receiver.behave((response, { event }) => {
    response.writeHead(seen.has(event.id) ? 200 : 500).end();
    seen.add(event.id);
  }, '/ailing');
  const { id } = (await api.call('POST', '/payments', { key, body: { amount: 1_000, currency: 'XAF', phone: '1' } })).body
    .transaction;
  await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.mtn', data: { phone: '670100000' } } });
  const advance = setInterval(() => clock.advance(100), 20);
  t.after(() => clearInterval(advance));
  await receiver.waitFor(9);
  const told = (path: string) =>
    receiver.received
      .filter((one) => one.path === path)
      .sort((a, b) => sequence(a) - sequence(b))
      .map((one) => [sequence(one), one.event.event, one.event.data.status]);
  const story = [
    [1, 'payment.created', 'pending'],
    [2, 'payment.processing', 'processing'],
    [3, 'payment.succeeded', 'succeeded'],
  ];
  assert.deepEqual(told('/sound'), story);
  assert.deepEqual(
    told('/ailing'),
    story.flatMap((one) => [one, one]),
  );
  assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 3, 'a repetition is known by its id');
});

function sequence({ headers }: Received): number {
  return Number(headers['x-service-sequence']);
}
