import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { Counter } from './counter.ts';

/** Complaints about money nobody could tell the fate of (docs/complaints.md). */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

let till: Counter;
beforeEach(async () => {
  till = await Counter.open(api, clock, ['pawapay', 'mtn-momo']);
});
afterEach(() => till.stop());

test('complaint 2: a second payment is allowed while the first is unknown, and both succeed: the second is refused', async () => {
  const pawapay = till.simulator('pawapay');
  pawapay.faults.announce('none');
  pawapay.faults.script({ fault: 'reset_created' });
  const id = await till.order();
  assert.equal((await till.charge(id)).status, 202);
  const again = await till.charge(id, { phone: '670100001' });
  assert.deepEqual([again.status, again.body.message], [400, 'The payment is processing and can not be charged.']);
  assert.equal((await till.call('DELETE', `/payments/${id}`)).status, 400, 'nor is it the merchant’s to cancel');
  await till.becomes(`/payments/${id}`, 'succeeded');
  assert.deepEqual([pawapay.book.entries().length, till.simulator('mtn-momo').book.entries().length], [1, 0]);
});

test('complaint 3: a timer turns unknown into failed: after three days without an answer it is processing, then succeeded', async () => {
  const pawapay = till.simulator('pawapay');
  pawapay.faults.announce('none');
  pawapay.faults.script({ fault: 'reset_created' });
  const id = await till.order();
  await till.charge(id);
  await pawapay.closePort();
  const ends = clock.now() + 3 * 24 * 3_600_000;
  const asked = async () => {
    clock.advance(3_600_000);
    return (await attemptOf(id)).polls;
  };
  await until(asked, (times) => times >= 10 && clock.now() >= ends, 60_000);
  const { status, reason } = await till.payment(id);
  assert.deepEqual([status, reason], ['processing', null]);
  await pawapay.openPort();
  await till.becomes(`/payments/${id}`, 'succeeded', 300_000);
  assert.deepEqual(await till.events(id), ['payment.created', 'payment.processing', 'payment.succeeded']);
});

async function attemptOf(payment_id: string): Promise<{ polls: number; message: string | null }> {
  const row = await api.deps.stores.live.db.maybe<{ polls: number; message: string | null }>(
    sql`select polls, message from attempts where payment_id = ${payment_id}`,
  );
  return row ?? assert.fail('it has one attempt');
}

test('complaint 4: raw HTML of a 502 is shown as the error: none of it leaves the adapter, and "processing" ends by evidence', async () => {
  till.simulator('pawapay').faults.script({ fault: 'page_uncreated' });
  const id = await till.order();
  const { status, body } = await till.charge(id);
  assert.deepEqual([status, body.transaction.status], [202, 'processing'], 'an error page does not say that nothing was created');
  const meanwhile = await attemptOf(id);
  const ended = await till.becomes(`/payments/${id}`, 'failed', 10_000);
  assert.equal(ended.reason, 'channel_unavailable');
  for (const told of [body, meanwhile, ended, await attemptOf(id)]) assert.doesNotMatch(JSON.stringify(told), /[<>]|Bad Gateway/);
});

test('complaint 4: a refund is shown as under way though nothing was sent: it says why it waits, and goes out by itself', async () => {
  const pawapay = till.simulator('pawapay');
  const payment = await till.sell();
  await pawapay.closePort();
  const made = await till.call('POST', '/refunds', { payment, amount: 500, reason: 'requested_by_customer' });
  assert.deepEqual([made.status, made.body.refund.status], [201, 'pending']);
  const path = `/refunds/${made.body.refund.id}`;
  const waiting = await till.eventually(path, ({ message }) => message !== null, 1_000);
  assert.equal(waiting.completed_at, null);
  assert.equal((await till.payment(payment)).amount_refunded, 0);
  await pawapay.openPort();
  await till.becomes(path, 'succeeded', 10_000);
  assert.equal(pawapay.book.moved().find(({ kind }) => kind === 'refund')?.count, 1);
  assert.equal((await till.payment(payment)).amount_refunded, 500);
});

test('complaint 18: janitor and retries do not compose: a piece that was lost is found missing, sent again, and the payment completes', async () => {
  const pawapay = till.simulator('pawapay');
  pawapay.faults.script({ fault: 'none' });
  pawapay.faults.script({ fault: 'reset_uncreated' });
  const id = await till.order(600_000);
  assert.equal((await till.charge(id)).status, 202);
  const paid = await till.becomes(`/payments/${id}`, 'succeeded', 10_000);
  assert.deepEqual(pawapay.faults.unmet(), []);
  assert.deepEqual(pawapay.book.moved(), [{ kind: 'collect', currency: 'XAF', amount_minor: 60_000_000n, count: 2 }]);
  const statuses = paid.attempts.map(({ status }: { status: string }) => status).sort();
  assert.deepEqual(statuses, ['expired', 'succeeded', 'succeeded'], 'what failed can be seen, too');
});
