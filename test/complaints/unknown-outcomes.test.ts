import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { LiveMerchant } from './live-merchant.ts';

/** Complaints about money nobody could tell the fate of (docs/complaints.md). */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

let merchant: LiveMerchant;
beforeEach(async () => {
  merchant = await LiveMerchant.open(api, clock, ['pawapay', 'mtn-momo']);
});
afterEach(() => merchant.stop());

test('complaint 2: a second payment is allowed while the first is unknown: it is rejected', async () => {
  const pawapay = merchant.simulator('pawapay');
  pawapay.faults.announce('none');
  pawapay.faults.script({ fault: 'reset_created' });
  const id = await merchant.createPayment();
  assert.equal((await merchant.charge(id)).status, 202);
  const again = await merchant.charge(id, { phone: '670100001' });
  assert.deepEqual([again.status, again.body.message], [400, 'The payment is processing and cannot be charged.']);
  assert.equal((await merchant.call('DELETE', `/payments/${id}`)).status, 400, 'nor is it the merchant’s to cancel');
  await merchant.waitForStatus(`/payments/${id}`, 'succeeded');
  assert.deepEqual([pawapay.book.entries().length, merchant.simulator('mtn-momo').book.entries().length], [1, 0]);
});

test('complaint 3: a timer turns unknown into failed: after three days it is still processing, then succeeded', async () => {
  const pawapay = merchant.simulator('pawapay');
  pawapay.faults.announce('none');
  pawapay.faults.script({ fault: 'reset_created' });
  const id = await merchant.createPayment();
  await merchant.charge(id);
  await pawapay.closePort();
  const ends = clock.now() + 3 * 24 * 3_600_000;
  const asked = async () => {
    clock.advance(3_600_000);
    return (await attemptOf(id)).polls;
  };
  await until(asked, (times) => times >= 10 && clock.now() >= ends, 120_000);
  const { status, reason } = await merchant.payment(id);
  assert.deepEqual([status, reason], ['processing', null]);
  await pawapay.openPort();
  await merchant.waitForStatus(`/payments/${id}`, 'succeeded', 300_000);
  assert.deepEqual(await merchant.events(id), ['payment.created', 'payment.processing', 'payment.succeeded']);
});

async function attemptOf(payment_id: string): Promise<{ polls: number; message: string | null }> {
  const row = await api.deps.stores.live.db.maybe<{ polls: number; message: string | null }>(
    sql`select polls, message from attempts where payment_id = ${payment_id}`,
  );
  return row ?? assert.fail('it has one attempt');
}

test('complaint 4: the HTML of a 502 is returned as the error: none of it leaves the adapter, evidence decides', async () => {
  merchant.simulator('pawapay').faults.script({ fault: 'page_uncreated' });
  const id = await merchant.createPayment();
  const { status, body } = await merchant.charge(id);
  assert.deepEqual([status, body.transaction.status], [202, 'processing'], 'an error page does not say that nothing was created');
  const meanwhile = await attemptOf(id);
  const ended = await merchant.waitForStatus(`/payments/${id}`, 'failed', 10_000);
  assert.equal(ended.reason, 'channel_unavailable');
  for (const told of [body, meanwhile, ended, await attemptOf(id)]) assert.doesNotMatch(JSON.stringify(told), /[<>]|Bad Gateway/);
});

test('complaint 4: a refund that was never sent is pending: it shows why it waits, and is sent automatically', async () => {
  const pawapay = merchant.simulator('pawapay');
  const payment = await merchant.createSucceeded();
  await pawapay.closePort();
  const made = await merchant.call('POST', '/refunds', { payment, amount: 500, reason: 'requested_by_customer' });
  assert.deepEqual([made.status, made.body.refund.status], [201, 'pending']);
  const path = `/refunds/${made.body.refund.id}`;
  const waiting = await merchant.waitUntil(path, ({ message }) => message !== null, 1_000);
  assert.equal(waiting.completed_at, null);
  assert.equal((await merchant.payment(payment)).amount_refunded, 0);
  await pawapay.openPort();
  await merchant.waitForStatus(path, 'succeeded', 10_000);
  assert.equal(pawapay.book.moved().find(({ kind }) => kind === 'refund')?.count, 1);
  assert.equal((await merchant.payment(payment)).amount_refunded, 500);
});

test('complaint 18: background repair and retries interfere: a lost tranche is sent again and completes', async () => {
  const pawapay = merchant.simulator('pawapay');
  pawapay.faults.script({ fault: 'none' });
  pawapay.faults.script({ fault: 'reset_uncreated' });
  const id = await merchant.createPayment(600_000);
  assert.equal((await merchant.charge(id)).status, 202);
  const paid = await merchant.waitForStatus(`/payments/${id}`, 'succeeded', 10_000);
  assert.deepEqual(pawapay.faults.unmet(), []);
  assert.deepEqual(pawapay.book.moved(), [{ kind: 'collect', currency: 'XAF', amount_minor: 60_000_000n, count: 2 }]);
  const statuses = paid.attempts.map(({ status }: { status: string }) => status).sort();
  assert.deepEqual(statuses, ['expired', 'succeeded', 'succeeded'], 'what failed can be seen, too');
});
