import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { applyRefund } from '../../src/core/refunds/apply.ts';
import { advanceRefund } from '../../src/core/refunds/send.ts';
import { returnDrawn } from '../../src/money/settlement/draw.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { until } from '../setup/api.ts';
import { LOST, PENDING, REFUSED, RefundShop, SUCCEEDED } from './support.ts';

/** Refunds of payments in tranches: one part for each tranche, sent one after the other, the latest first. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

const COLLECTED = { clearing: -1_500_000, pending: 1_470_000, fee_income: 30_000 };
const context = () => ({ environment: 'live' as const, at: shop.clock.now(), listeners: shop.api.deps.listeners });

/** Every part was refused, nothing else was sent, and all of the money is where it was. */
async function nothingMoved(payment: string, sent: number[]): Promise<void> {
  assert.deepEqual(shop.provider.sent, sent);
  assert.deepEqual(await shop.books(), COLLECTED);
  assert.deepEqual(await shop.waiting(), { '': 1_470_000 });
  assert.equal((await shop.payment(payment)).amount_refunded, 0);
}

test('a part rejected in the response ends the refund: no other part is ever sent, and the money is returned once', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'failed');
  await shop.work(5);
  assert.deepEqual(await shop.statuses(id), ['failed', 'waiting', 'waiting']);
  await nothingMoved(payment, [0]);
});

test('after a rejected part, when the others would be rejected too, the full payment becomes available', async () => {
  const payment = await shop.paid(1_500_000);
  for (const part of [0, 1, 2]) shop.provider.submits.set(part, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'failed');
  await shop.work(5);
  await nothingMoved(payment, [0]);
  shop.clock.advance(25 * 3_600_000);
  await retentionSweep(shop.api.deps, shop.store).round();
  assert.deepEqual(await shop.books(), { clearing: -1_500_000, available: 1_470_000, fee_income: 30_000 });
});

test('a part rejected by a later poll ends the refund in the same way', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [LOST]);
  shop.provider.reads.set(0, [LOST, LOST, PENDING, REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'processing');
  assert.deepEqual((await shop.books()).refund_clearing, 1_400_000, 'undecided money is neither here nor there');
  await shop.work(10);
  assert.deepEqual(await shop.statuses(id), ['failed', 'waiting', 'waiting']);
  await nothingMoved(payment, [0]);
});

test('a part rejected after another succeeded: that one stays refunded, the rest is returned once', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(1, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'failed');
  await shop.work(5);
  assert.deepEqual(
    [shop.provider.sent, await shop.statuses(id)],
    [
      [0, 1],
      ['succeeded', 'failed', 'waiting'],
    ],
  );
  assert.deepEqual(await shop.books(), { clearing: -1_000_000, pending: 970_000, fee_income: 30_000 });
  assert.equal((await shop.payment(payment)).amount_refunded, 500_000);
  const [reached] = (await shop.row(id)).legs;
  const { legs } = await shop.become((await shop.refund(payment, 900_000)).id, 'succeeded');
  assert.equal(legs.length, 2);
  assert.ok(
    legs.every(({ attempt_id }) => attempt_id !== reached?.attempt_id),
    'nothing is refunded from a tranche twice',
  );
});

test('several workers with stale reads at once: one sends, and the rejection counts once', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [PENDING]);
  shop.provider.reads.set(0, Array(8).fill(REFUSED));
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'processing');
  const stale = await shop.row(id);
  const others = { ...stale, legs: stale.legs.map((leg, part) => (part === 0 ? { ...leg, status: 'failed' as const } : leg)) };
  await Promise.all([1, 2, 3, 4].map(() => advanceRefund(shop.api.deps, shop.store, stale)));
  await Promise.all([1, 2, 3, 4].map(() => advanceRefund(shop.api.deps, shop.store, others)));
  assert.deepEqual(await shop.statuses(id), ['failed', 'waiting', 'waiting']);
  await nothingMoved(payment, [0]);
});

test('several workers that find a part waiting at once: one sends it', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [{ kind: 'unavailable', message: 'busy' }, PENDING, PENDING, PENDING, PENDING]);
  const { id } = await shop.refund(payment, 400_000);
  await shop.said(id, 'busy');
  const known = await shop.row(id);
  const workers = await shop.owner.transaction(async (tx) => {
    // They have all read the refund, and wait for it, before the first may go on.
    await tx.run(sql`select 1 from refunds where id = ${id} for update`);
    const begun = [1, 2, 3, 4].map(() => advanceRefund(shop.api.deps, shop.store, known));
    await until(
      () => shop.owner.all(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (waiting) => waiting.length === 4,
    );
    return begun;
  });
  await Promise.all(workers);
  assert.deepEqual(shop.provider.sent, [0, 0], 'once without success, and once again');
});

test('an answer "succeeded" that comes after the part was called failed is booked: the payer has the money, the merchant does not', async () => {
  const payment = await shop.paid(1_500_000);
  const late = Promise.withResolvers<typeof SUCCEEDED>();
  shop.provider.submits.set(0, [late.promise]);
  shop.provider.reads.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'processing');
  await shop.work();
  await nothingMoved(payment, [0]);
  late.resolve(SUCCEEDED);
  await shop.become(id, 'failed');
  await shop.parts(id, ['succeeded', 'waiting', 'waiting']);
  const booked = { clearing: -1_000_000, pending: 970_000, fee_income: 30_000 };
  assert.deepEqual([await shop.statuses(id), await shop.books()], [['succeeded', 'waiting', 'waiting'], booked]);
  assert.deepEqual([(await shop.payment(payment)).amount_refunded, shop.provider.sent], [500_000, [0]]);
  const row = await shop.row(id);
  await shop.store.db.transaction((tx) => applyRefund(tx, context(), row, 0, SUCCEEDED));
  assert.deepEqual(await shop.books(), booked, 'and once only');
  const { body } = await shop.api.call('POST', '/refunds', { key: shop.key, body: { payment, reason: 'duplicate' } });
  assert.equal(body.refund.amount, 1_000_000, 'only what the payer has not got can be refunded');
});

test('the database rejects an item above its share, an end with a part at the provider, and a part sent after the end', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [PENDING]);
  const { id } = await shop.refund(payment, 1_400_000);
  const row = await shop.become(id, 'processing');
  const legs = (...statuses: string[]) =>
    JSON.stringify(row.legs.map((leg, part) => ({ ...leg, amount_minor: String(leg.amount_minor), status: statuses[part] })));
  const rejected = (change: ReturnType<typeof sql>, constraint: string) =>
    assert.rejects(shop.owner.run(change), (error: { constraint?: string }) => error.constraint === constraint);
  await rejected(
    sql`update settlement_items set amount_minor = share_minor + 1 where payment_id = ${payment}`,
    'settlement_items_within_share',
  );
  await rejected(sql`update refunds set status = 'failed' where id = ${id}`, 'refunds_ends_decided');
  await shop.owner.run(
    sql`update refunds set status = 'failed', legs = ${legs('failed', 'waiting', 'waiting')} where id = ${id}`,
  );
  await rejected(sql`update refunds set legs = ${legs('failed', 'sent', 'waiting')} where id = ${id}`, 'refunds_ends_decided');
  await rejected(sql`update refunds set status = 'processing' where id = ${id}`, 'refunds_ends_once');
});

test('drawn money is returned once for each refund: a second return changes neither items nor balances', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [PENDING]);
  const { id, draws, currency, team_id } = await shop.refund(payment, 1_400_000);
  const into = {
    team_id,
    kind: 'refund.returned',
    source_id: id,
    currency,
    payment_id: payment,
    from: 'refund_clearing',
  } as const;
  for (const _ of [1, 2]) {
    await shop.store.db.transaction((tx) => returnDrawn(tx, into, draws ?? [], 140_000_000n));
    assert.deepEqual([await shop.books(), await shop.waiting()], [COLLECTED, { '': 1_470_000 }]);
  }
});

test('two refunds of a payment in tranches take from each tranche no more than it collected', async () => {
  const payment = await shop.paid(1_500_000);
  await shop.become((await shop.refund(payment, 200_000)).id, 'succeeded');
  const { id } = await shop.refund(payment, 1_000_000);
  await shop.become(id, 'succeeded');
  const { legs } = await shop.row(id);
  assert.deepEqual(
    legs.map(({ amount_minor }) => Number(amount_minor / 100n)),
    [300_000, 500_000, 200_000],
  );
  assert.deepEqual(await shop.books(), { clearing: -300_000, pending: 270_000, fee_income: 30_000 }, 'every part is posted');
});
