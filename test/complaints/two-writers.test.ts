import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { Problem } from '../../src/kit/errors.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { LiveMerchant } from './live-merchant.ts';

/** Complaints about two that write one payment at a time (docs/complaints.md). */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s', CREDIT_CAP_LIVE: '100000' } });
after(() => api.stop());

let merchant: LiveMerchant;
// What is to be heard by signed callbacks comes first: time that a test lets go on makes signatures old.
beforeEach(async () => {
  merchant = await LiveMerchant.open(api, clock, ['pawapay']);
});
afterEach(() => merchant.stop());

const refund = (payment: string, amount: number) =>
  merchant.call('POST', '/refunds', { payment, amount, reason: 'requested_by_customer' });

test('complaint 5: browser and webhook race: a webhook that arrives first, ten times, is posted once', async () => {
  const pawapay = merchant.simulator('pawapay');
  await merchant.createSucceeded();
  pawapay.faults.announce('early');
  const id = await merchant.createPayment();
  const answers = await Promise.all([merchant.charge(id), merchant.charge(id)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 400]);
  await merchant.waitForCallback(`/payments/${id}`, 'succeeded');
  const { key = '' } = pawapay.book.entries().at(-1) ?? {};
  const again = () =>
    fetch(`${pawapay.url}/v2/deposits/resend-callback/${key}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${pawapay.credentials.api_token}` },
    });
  await Promise.all(Array.from({ length: 10 }, again));
  await pawapay.idle();
  assert.equal(pawapay.callbacks.sent.filter((sent) => sent.key === key && sent.status === 200).length, 11);
  assert.deepEqual(await merchant.journalKinds(id), ['payment.succeeded']);
  assert.deepEqual(await merchant.events(id), ['payment.created', 'payment.processing', 'payment.succeeded']);
  assert.deepEqual((await merchant.call('GET', `/payments/${id}/refunds`)).body.items, []);
  assert.deepEqual(
    pawapay.book.entries().map(({ kind }) => kind),
    ['collect', 'collect'],
  );
});

test('complaint 20: "the same payment twice": one key creates one payment, a repeated callback counts once', async () => {
  const pawapay = merchant.simulator('pawapay');
  await merchant.createSucceeded();
  const make = () =>
    merchant.call('POST', '/payments', { amount: 700, currency: 'XAF', phone: '1' }, { 'idempotency-key': 'order-7' });
  const [first, second] = [await make(), await make()];
  const { id } = first.body.transaction;
  assert.deepEqual([second.status, second.body.transaction.id], [201, id]);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  pawapay.faults.announce('repeated');
  await merchant.charge(id);
  await merchant.waitForCallback(`/payments/${id}`, 'succeeded');
  await pawapay.idle();
  const { key } = pawapay.book.entries().at(-1) ?? assert.fail();
  assert.equal(pawapay.callbacks.sent.filter((sent) => sent.key === key && sent.status === 200).length, 3);
  assert.deepEqual(await merchant.journalKinds(id), ['payment.succeeded']);
  assert.deepEqual(await merchant.events(id), ['payment.created', 'payment.processing', 'payment.succeeded']);
});

test('complaint 1: concurrent refunds exceed the capture (two of 600 on 1000): one succeeds', async () => {
  const payment = await merchant.createSucceeded(1_000);
  const answers = await Promise.all([refund(payment, 600), refund(payment, 600)]);
  const [made, refused] = answers.toSorted((a, b) => a.status - b.status);
  assert.deepEqual([made?.status, refused?.status], [201, 422]);
  assert.deepEqual(Object.keys(refused?.body.errors), ['amount']);
  await merchant.waitForStatus(`/refunds/${made?.body.refund.id}`, 'succeeded');
  assert.equal((await merchant.payment(payment)).amount_refunded, 600);
  const { book } = merchant.simulator('pawapay');
  assert.equal(book.entries().filter(({ kind }) => kind === 'refund').length, 1);
});

test('complaint 11: a client that retries with a new key is charged two or three times: one of four clicks charges', async () => {
  const pawapay = merchant.simulator('pawapay');
  const id = await merchant.createPayment();
  const click = (n: number) => merchant.charge(id, { headers: { 'idempotency-key': `click-${n}` } });
  const answers = await Promise.all([click(1), click(2), click(3)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 400, 400]);
  await merchant.waitForStatus(`/payments/${id}`, 'succeeded');
  assert.equal((await click(4)).status, 400);
  assert.equal(pawapay.book.entries().length, 1);
});

test('complaint 12: a refund and a chargeback return the same money twice: never more than was paid', async () => {
  const payment = await merchant.createSucceeded(1_000);
  const made = await refund(payment, 600);
  await merchant.waitForStatus(`/refunds/${made.body.refund.id}`, 'succeeded');
  const store = api.deps.stores.live;
  const opening = { team_id: merchant.shop.merchant.team.id, payment_id: payment, reason: 'fraudulent' };
  const whole = openDispute(api.deps, store, { ...opening, amount_minor: 100_000n });
  await assert.rejects(whole, (error) => error instanceof Problem && error.status === 422);
  const dispute = await openDispute(api.deps, store, opening);
  assert.equal(dispute.amount_minor, 40_000n);
  const refused = async (when: string) => {
    const { status, body } = await refund(payment, 100);
    assert.deepEqual([status, body.error_code], [400, 'payment_not_refundable'], when);
  };
  await refused('while it is disputed');
  await changeDispute(api.deps, store, dispute, 'provider_decided_lost');
  await refused('after it was lost');
  // 1,000 less the fee of 20 came in, 600 and 400 went out: the fee is what the platform advanced.
  assert.deepEqual(
    [await merchant.balance('available'), await merchant.balance('disputed'), await merchant.balance('credit')],
    [0n, 0n, -2_000n],
  );
});
