import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { sql } from '../../src/kit/sql.ts';
import { RefundShop } from './support.ts';

/** Refunds that cannot be sent yet, or not at all. The platform advances nothing here. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

async function release(): Promise<void> {
  shop.clock.advance(25 * 3_600_000);
  await retentionSweep(shop.api.deps, shop.store).round();
}

test('a refund that the balance does not cover takes and sends nothing; once it is covered, it is sent', async () => {
  const payment = await shop.paid(100_000);
  await release();
  const before = await shop.books();
  const { id, draws, message } = await shop.refund(payment, 100_000);
  assert.deepEqual([draws, message], [null, 'It waits for money: the balance does not cover it yet.']);
  await shop.work(3);
  assert.deepEqual([(await shop.row(id)).status, shop.provider.sent, await shop.books()], ['pending', [], before]);

  await shop.paid(10_000);
  await shop.work(2);
  assert.deepEqual([(await shop.row(id)).status, shop.provider.sent], ['pending', []], 'retained money covers nothing');
  await release();
  await shop.work(2);
  const refund = await shop.become(id, 'succeeded');
  assert.deepEqual([refund.message, shop.provider.sent], [null, [0]]);
  assert.deepEqual(await shop.books(), { clearing: -10_000, available: 7_800, fee_income: 2_200 });
});

test('a waiting refund holds its part of the payment: neither another refund nor a dispute takes it', async () => {
  const payment = await shop.paid(100_000);
  await shop.refund(payment, 100_000);
  const body = { payment, amount: 1, reason: 'duplicate' };
  const answer = await shop.api.call('POST', '/refunds', { key: shop.key, body });
  assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['amount']]);
  const dispute = { team_id: shop.merchant.team.id, payment_id: payment, reason: 'fraudulent' };
  await assert.rejects(openDispute(shop.api.deps, shop.store, dispute), /is being refunded/);
});

test('422 where the refund goes to a number that is no longer kept', async () => {
  const payment = await shop.paid(100_000);
  await shop.owner.run(sql`update attempts set payer = null where payment_id = ${payment}`);
  const body = { payment, amount: 1_000, reason: 'duplicate' };
  shop.provider.payerNeeded = true;
  const answer = await shop.api.call('POST', '/refunds', { key: shop.key, body });
  assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['payment']]);
  shop.provider.payerNeeded = false;
  assert.equal((await shop.api.call('POST', '/refunds', { key: shop.key, body })).status, 201);
});
