import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { payOn } from '../../simulators/kit/pages.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** A shop in Senegal, end to end over the simulator: the payer pays on Wave's page, the webhook is signed. */
const clock = new FakeClock();
const api = await startApi({ clock, workers: 'at once', env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

const PHONE = '+221771500005';
let shop: LiveShop;
let wave: Simulator;
beforeEach(async () => {
  shop = await openLiveShop(api, ['wave', 'pawapay']);
  wave = shop.simulators.wave as Simulator;
});
afterEach(() => shop.stop());

const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: shop.key, ...(body ? { body } : {}) });
const payment = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
/** In no order: the clock stands still between them. */
const attempts = async (id: string) =>
  (await payment(id)).attempts.map(({ provider, status }: Record<string, string>) => `${provider} ${status}`).sort();

/** A payment that was charged, and the page the payer stands before. */
async function charged(amount = 5_000): Promise<{ id: string; url: string }> {
  // Wave dates its webhooks by the real time, and one from half a minute ahead of this clock is not taken.
  clock.advance(Math.max(0, Date.now() - clock.now()));
  const { body } = await call('POST', '/payments', { amount, currency: 'XOF', phone: PHONE, expires: { in: 60 } });
  const { id } = body.transaction;
  const { status, body: answer } = await call('POST', `/payments/${id}`, { channel: 'sn.wave', data: { phone: PHONE } });
  assert.equal(status, 202);
  // pawaPay announces its page later.
  return { id, url: answer.action?.url ?? '' };
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

async function paid(): Promise<string> {
  const { id, url } = await charged();
  await payOn(url, PHONE);
  await becomes(id, 'succeeded');
  return id;
}

test('202 with a page of Wave: after the payment, the signed webhook completes it without a status query', async () => {
  const id = await paid();
  assert.deepEqual(await attempts(id), ['wave succeeded']);
  assert.deepEqual(wave.book.moved(), [{ kind: 'collect', currency: 'XOF', amount_minor: 500_000n, count: 1 }]);
  // The balance of the wallet is read again and again.
  assert.equal(wave.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/checkout/')).length, 0);
});

test('a forged webhook changes nothing: the status is queried', async () => {
  wave.faults.announce('wrong_signature');
  const { id, url } = await charged();
  await payOn(url, PHONE);
  await wave.idle();
  assert.equal((await payment(id)).status, 'processing');
  await becomes(id, 'succeeded', 1_000);
  const { sent } = wave.callbacks;
  assert.ok(sent.length > 0);
  assert.ok(sent.every(({ status }) => status === 401));
});

test('a session whose response is lost is not used: the next provider collects, and the payer pays once', async () => {
  wave.faults.script({ fault: 'reset_created' });
  const { id } = await charged();
  await becomes(id, 'succeeded', 100);
  assert.deepEqual(await attempts(id), ['pawapay succeeded', 'wave unavailable']);
  assert.deepEqual(wave.book.entries(), []);
});

test('422 for a partial refund; 201 for a full refund', async () => {
  // Fees are not given back: another payment's money makes up for them.
  await paid();
  const id = await paid();
  const part = await call('POST', '/refunds', { payment: id, amount: 1_000, reason: 'requested_by_customer' });
  assert.equal(part.status, 422);
  assert.ok(part.body.errors.amount ?? part.body.errors.payment);
  const whole = await call('POST', '/refunds', { payment: id, reason: 'requested_by_customer' });
  assert.equal(whole.status, 201);
  await becomes(id, 'refunded', 100);
  assert.deepEqual(
    wave.book.moved().map(({ kind, amount_minor }) => [kind, amount_minor]),
    [
      ['collect', 1_000_000n],
      ['refund', 500_000n],
    ],
  );
});

test('a payout whose response is lost is found again, and was made once', async () => {
  await paid();
  wave.faults.script({ fault: 'reset_created' });
  const made = await call('POST', '/transfers', { recipient: PHONE, channel: 'sn.wave', currency: 'XOF', amount: 1_000 });
  assert.equal(made.status, 201);
  const { id } = made.body.transfer;
  await until(
    async () => {
      clock.advance(1_000);
      return (await call('GET', `/transfers/${id}`)).body.transfer;
    },
    ({ status }) => status === 'succeeded',
  );
  assert.deepEqual(
    wave.book.entries().map(({ kind, state }) => [kind, state]),
    [
      ['collect', 'succeeded'],
      ['payout', 'succeeded'],
    ],
  );
});

test('an empty wallet keeps a payout and a refund waiting: filled, it makes each once, although Wave repeats its answer to a used key', async () => {
  await shop.stop();
  shop = await openLiveShop(api, ['wave']);
  wave = shop.simulators.wave as Simulator;
  await paid();
  const id = await paid();
  wave.faults.script({ fault: 'float_exhausted', doing: 'create' });
  const transfer = { recipient: PHONE, channel: 'sn.wave', currency: 'XOF', amount: 1_000 };
  const made = await call('POST', '/transfers', transfer);
  const path = `/transfers/${made.body.transfer.id}`;
  const advanced = async (read: () => Promise<{ status: string }>, wanted: string) =>
    until(
      async () => {
        clock.advance(1_000);
        return read();
      },
      ({ status }) => status === wanted,
    );
  await advanced(async () => (await call('GET', path)).body.transfer, 'succeeded');
  wave.faults.script({ fault: 'float_exhausted', doing: 'create' });
  await call('POST', '/refunds', { payment: id, reason: 'requested_by_customer' });
  await advanced(() => payment(id), 'refunded');
  assert.deepEqual(wave.faults.unmet(), []);
  assert.deepEqual(
    wave.book.moved().map(({ kind, count }) => [kind, count]),
    [
      ['collect', 2],
      ['payout', 1],
      ['refund', 1],
    ],
  );
});

// The last: afterwards the clock is far from the real time, and signatures are too old.
test('the session is closed at Wave when the payment window ends: it can no longer be paid', async () => {
  const { id, url } = await charged();
  await becomes(id, 'expired', 60_000);
  assert.ok(wave.requests.some(({ path }) => path.endsWith('/expire')));
  await payOn(url, PHONE);
  assert.deepEqual(wave.book.entries(), []);
});
