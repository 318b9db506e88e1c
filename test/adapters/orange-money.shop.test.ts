import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { payOn } from '../../simulators/kit/pages.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** A shop in Cameroon with both contracts of Orange, end to end over the simulators: by page first, by prompt otherwise. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

const PHONE = '+237691500005';
let shop: LiveShop;
let [web, prompt]: [Simulator, Simulator] = [] as never;
beforeEach(async () => {
  shop = await openLiveShop(api, ['orange-money', 'orange-money-cm']);
  [web, prompt] = [shop.simulators['orange-money'] as Simulator, shop.simulators['orange-money-cm'] as Simulator];
});
afterEach(() => shop.stop());

const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: shop.key, ...(body ? { body } : {}) });
const payment = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
/** In no order: the clock stands still between them. */
const attempts = async (id: string) =>
  (await payment(id)).attempts.map(({ provider, status }: Record<string, string>) => `${provider} ${status}`).sort();

async function charged() {
  const { body } = await call('POST', '/payments', { amount: 5_000, currency: 'XAF', phone: PHONE });
  const { id } = body.transaction;
  const answer = await call('POST', `/payments/${id}`, { channel: 'cm.orange', data: { phone: PHONE } });
  assert.equal(answer.status, 202);
  return { id, action: answer.body.action };
}

async function becomes(id: string, status: string, step_ms = 0) {
  return until(
    async () => {
      clock.advance(step_ms);
      return payment(id);
    },
    (transaction) => transaction.status === status,
  );
}

test('202 with a page of Orange: after the payment, the notification triggers a status query', async () => {
  const { id, action } = await charged();
  assert.equal(action.kind, 'redirect');
  assert.equal((await payment(id)).status, 'processing');
  await payOn(action.url, PHONE);
  await becomes(id, 'succeeded');
  assert.deepEqual(web.book.moved(), [{ kind: 'collect', currency: 'XAF', amount_minor: 500_000n, count: 1 }]);
  assert.ok(web.requests.some(({ path }) => path.endsWith('/transactionstatus')));
});

test('a notification is not trusted: a false success is corrected by a status query', async () => {
  web.faults.announce('wrong_signature');
  const { id, action } = await charged();
  await payOn(action.url, '+237691000002');
  await becomes(id, 'failed', 100);
  assert.deepEqual(web.book.moved(), []);
});

test('without a notification, polling finds the result', async () => {
  web.faults.announce('none');
  const { id, action } = await charged();
  await payOn(action.url, PHONE);
  await becomes(id, 'succeeded', 1_000);
});

test('a page whose response is lost is not used: the prompt collects, and the payer pays once', async () => {
  web.faults.script({ fault: 'reset_created' });
  const { id, action } = await charged();
  assert.equal(action.kind, 'confirm');
  await becomes(id, 'succeeded', 100);
  assert.deepEqual(await attempts(id), ['orange-money unavailable', 'orange-money-cm succeeded'].sort());
  assert.deepEqual([web.book.moved().length, prompt.book.moved().length], [0, 1]);
});

test('a request to pay whose response is lost is not resubmitted, there or elsewhere: its token finds the result', async () => {
  await web.closePort();
  prompt.faults.script({ fault: 'reset_created' });
  prompt.faults.announce('none');
  const { id, action } = await charged();
  assert.equal(action, null);
  await becomes(id, 'succeeded', 1_000);
  assert.deepEqual(await attempts(id), ['orange-money unavailable', 'orange-money-cm succeeded'].sort());
  assert.equal(prompt.book.entries().length, 1);
});

test('422 no contract supports refunds: the merchant is referred to payouts', async () => {
  const { id, action } = await charged();
  await payOn(action.url, PHONE);
  await becomes(id, 'succeeded');
  const { status, body } = await call('POST', '/refunds', { payment: id, reason: 'requested_by_customer' });
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['payment']]);
});
