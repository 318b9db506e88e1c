import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { coverLater } from '../../src/core/refunds/service.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { until } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { LOST, PENDING, RefundShop } from './support.ts';

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

test('a waiting refund holds its part of the payment against another refund; a chargeback, which nobody can decline, ends it', async () => {
  const payment = await shop.paid(100_000);
  const { id } = await shop.refund(payment, 100_000);
  const body = { payment, amount: 1, reason: 'duplicate' };
  const answer = await shop.api.call('POST', '/refunds', { key: shop.key, body });
  assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['amount']]);
  const dispute = { team_id: shop.merchant.team.id, payment_id: payment, reason: 'fraudulent' };
  const { amount_minor } = await openDispute(shop.api.deps, shop.store, dispute);
  assert.equal(amount_minor, 10_000_000n);
  const ended = await shop.row(id);
  assert.deepEqual([ended.status, ended.failure_reason, ended.message], ['failed', 'unknown', 'The payment was charged back.']);
  await shop.paid(500_000);
  await release();
  await shop.work(3);
  assert.deepEqual([(await shop.row(id)).status, shop.provider.sent], ['failed', []], 'it is not sent when there is money');
});

test('a chargeback ends a refund that no provider takes, and its money returns; it is not sent any more', async () => {
  const payment = await shop.paid(100_000);
  await shop.paid(10_000);
  await release();
  shop.provider.submits.set(0, [{ kind: 'unavailable', message: 'maintenance' }]);
  shop.provider.reads.set(0, Array(9).fill({ kind: 'not_found' }));
  const { id } = await shop.refund(payment, 100_000);
  await shop.said(id, 'maintenance');
  const dispute = { team_id: shop.merchant.team.id, payment_id: payment, reason: 'fraudulent' };
  assert.equal((await openDispute(shop.api.deps, shop.store, dispute)).amount_minor, 10_000_000n);
  const { status, message } = await shop.row(id);
  assert.deepEqual([status, message], ['failed', 'The payment was charged back.']);
  const after = { clearing: -110_000, available: 7_800, disputed: 100_000, fee_income: 2_200 };
  assert.deepEqual(await shop.books(), after);
  await shop.work(5);
  assert.deepEqual([await shop.statuses(id), shop.provider.sent, await shop.books()], [['failed'], [0], after]);
});

test('a chargeback ends what a refund in parts has not sent yet; the part that was returned stays, and one that is with its provider too', async () => {
  const [waiting, underWay] = [await shop.paid(900_000), await shop.paid(900_000)];
  await shop.paid(500_000);
  shop.provider.submits.set(1, [{ kind: 'unavailable', message: 'maintenance' }, PENDING]);
  await release();
  const charge = async (payment_id: string, reached: (id: string) => Promise<void>) => {
    const { id } = await shop.refund(payment_id, 800_000);
    await reached(id);
    const dispute = { team_id: shop.merchant.team.id, payment_id, reason: 'fraudulent' };
    const { amount_minor } = await openDispute(shop.api.deps, shop.store, dispute);
    return [Number(amount_minor) / 100, (await shop.row(id)).status];
  };
  assert.deepEqual(await charge(waiting, (id) => shop.said(id, 'maintenance')), [450_000, 'failed']);
  assert.deepEqual(await charge(underWay, (id) => shop.parts(id, ['succeeded', 'sent'])), [100_000, 'processing']);
});

test('a chargeback of a part leaves a waiting refund of another part', async () => {
  const payment = await shop.paid(100_000);
  await release();
  const { id } = await shop.refund(payment, 99_000);
  const dispute = { team_id: shop.merchant.team.id, payment_id: payment, reason: 'fraudulent', amount_minor: 100_000n };
  await openDispute(shop.api.deps, shop.store, dispute);
  assert.equal((await shop.row(id)).status, 'pending');
});

test('a dispute takes no fraction of a franc, which no payout could move', async () => {
  const payment = await shop.paid(10_000);
  const dispute = { team_id: shop.merchant.team.id, payment_id: payment, reason: 'fraudulent', amount_minor: 1_050n };
  await assert.rejects(openDispute(shop.api.deps, shop.store, dispute), /must be a whole number of XAF/);
});

test('a refund that waits for money can be ended by hand: nothing was taken, nothing returns, and another may be made', async () => {
  const payment = await shop.paid(100_000);
  await release();
  const before = await shop.books();
  const { id } = await shop.refund(payment, 100_000);
  await shop.endByHand(id);
  assert.deepEqual([(await shop.row(id)).status, await shop.books()], ['failed', before]);
  assert.equal((await shop.refund(payment, 1_000)).amount_minor, 100_000n);
});

test('a refund that no provider takes can be ended by hand: the money returns, and it is not sent any more', async () => {
  const payment = await shop.paid(100_000);
  await shop.paid(10_000);
  await release();
  const before = await shop.books();
  shop.provider.submits.set(0, Array(3).fill({ kind: 'unavailable', message: 'the key may not refund' }));
  shop.provider.reads.set(0, Array(9).fill({ kind: 'not_found' }));
  const { id } = await shop.refund(payment, 50_000);
  await shop.said(id, 'the key may not refund');
  await shop.endByHand(id);
  const ended = await shop.row(id);
  assert.deepEqual([ended.status, ended.failure_reason, await shop.books()], ['failed', 'unknown', before]);
  const sent = shop.provider.sent.length;
  await shop.work(5);
  assert.deepEqual([(await shop.row(id)).status, shop.provider.sent.length, await shop.books()], ['failed', sent, before]);
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

test('a provider that refunds a payment as a whole: what another refund returned is no late success of the one ended by hand', async () => {
  const payment = await shop.paid(10_000);
  await shop.paid(100_000);
  await release();
  shop.provider.extent = 'full';
  shop.provider.submits.set(0, [LOST]);
  const { id } = await shop.refund(payment, 10_000);
  await shop.parts(id, ['sent']);
  await shop.endByHand(id);
  const second = await shop.refund(payment, 10_000);
  await shop.become(second.id, 'succeeded');
  const after_one = await shop.books();
  await shop.work(3);
  assert.deepEqual([(await shop.row(id)).status, await shop.statuses(id), await shop.books()], ['failed', ['failed'], after_one]);
});

test('two workers that cover a refund at the same moment draw its amount once', async () => {
  const payment = await shop.paid(100_000);
  await release();
  const { id } = await shop.refund(payment, 100_000);
  await shop.paid(300_000);
  await release();
  const known = await shop.row(id);
  const cover = (tx: Tx) => coverLater(tx, shop.api.deps.config, shop.store, known);
  let second: Promise<unknown> = Promise.resolve();
  await shop.store.db.transaction(async (tx) => {
    assert.ok((await cover(tx))?.draws, 'there is enough money');
    second = shop.store.db.transaction(cover);
    await untilLocked(shop.api.databases.live);
  });
  await second;
  const [drawn] = await shop.owner.all<{ minor: bigint }>(sql`
    select sum(drawn_minor)::bigint as minor from settlement_items where payment_id = ${payment}`);
  assert.equal(drawn?.minor, 10_000_000n);
  await shop.work(2);
  await shop.become(id, 'succeeded');
  assert.deepEqual(await shop.books(), { clearing: -300_000, available: 292_000, fee_income: 8_000 });
});

const LATER = [{ kind: 'not_found' }, { kind: 'unfunded', message: 'the float is empty' }] as const;
for (const later of LATER)
  test(`a refund whose provider contradicts our books, and later says ${later.kind}, is sent once, keeps what was said, and waits for a person`, async () => {
    const payment = await shop.paid(100_000);
    await release();
    shop.provider.submits.set(0, [{ kind: 'unknown', message: 'refunded already', needs_person: true }]);
    shop.provider.reads.set(0, [LOST, ...Array(20).fill(later)]);
    const { id } = await shop.refund(payment, 50_000);
    await until(
      () => shop.row(id),
      ({ message }) => message === 'refunded already',
    );
    for (let round = 0; round < 5; round++) {
      shop.clock.advance(20 * 60_000);
      await shop.work(1);
    }
    const { status, message } = await shop.row(id);
    assert.deepEqual([status, message, shop.provider.sent], ['processing', 'refunded already', [0]]);
    // As a node of an earlier release would have stored it.
    await shop.owner.run(
      sql`update refunds set legs = jsonb_set(legs::jsonb, '{0,status}', '"waiting"')::json, next_poll_at = now() where id = ${id}`,
    );
    for (let round = 0; round < 3; round++) {
      shop.clock.advance(20 * 60_000);
      await shop.work(1);
    }
    assert.deepEqual(shop.provider.sent, [0]);
    await shop.endByHand(id);
    assert.equal((await shop.row(id)).status, 'failed');
  });
