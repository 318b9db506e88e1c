import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { pollRefund } from '../../src/core/refunds/service.ts';
import { sql } from '../../src/kit/sql.ts';
import type { RefundOutcome } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { LOST, PENDING, REFUSED, RefundShop, SUCCEEDED } from './support.ts';

/** A merchant's refund that has failed, and that its provider calls back about: it is read until its provider decides. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

const callBack = (id: string) => pollRefund(shop.store, shop.clock.now(), shop.merchant.team.id, id);

/** A refund that its provider has refused, and that it calls back about. Its answers from then on. */
async function calledBack(...answers: RefundOutcome[]): Promise<{ payment: string; id: string }> {
  const payment = await shop.paid(100_000);
  shop.provider.submits.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 50_000);
  await shop.become(id, 'failed');
  await callBack(id);
  shop.provider.reads.set(0, answers);
  return { payment, id };
}

for (const answer of [PENDING, LOST, { kind: 'unavailable', message: 'maintenance' } as const])
  test(`a failed refund that its provider calls ${answer.kind} is read again, and done late`, async () => {
    const { id } = await calledBack(answer, SUCCEEDED);
    await shop.work(2, 600_000);
    assert.deepEqual([(await shop.row(id)).status, await shop.statuses(id)], ['failed', ['succeeded']]);
  });

test('a failed refund about which its provider decides nothing is read for about a day, and no more', async () => {
  const { id } = await calledBack(LOST, LOST, LOST);
  await shop.work(1, 600_000);
  assert.notEqual((await shop.row(id)).next_poll_at, null);
  await shop.owner.run(sql`update refunds set polls = 300 where id = ${id}`);
  await shop.work(3, 600_000);
  assert.deepEqual([(await shop.row(id)).next_poll_at, await shop.statuses(id)], [null, ['failed']]);
});

test('money that a statement has put into suspense for a failed refund is not drawn from the merchant too, after a callback', async () => {
  const { payment, id } = await calledBack();
  const before = await shop.books();
  await shop.owner.run(sql`
    insert into journals (team_id, kind, source_id, subject_id)
    values (${shop.merchant.team.id}, 'reconciliation.late', ${`${id}:0`}, ${payment})`);
  await shop.work(2);
  assert.deepEqual([await shop.statuses(id), await shop.books()], [['failed'], before]);
});

/**
 * Two refunds of one payment at a provider that refunds it as a whole: the first was ended by hand and is called back about, the second waits for
 * money. The provider reports the payment as refunded.
 */
async function besideAnother(): Promise<{ payment: string; id: string; second: string }> {
  const [payment, other] = [await shop.paid(10_000), await shop.paid(10_000)];
  shop.clock.advance(25 * 3_600_000);
  await retentionSweep(shop.api.deps, shop.store).round();
  shop.provider.extent = 'full';
  shop.provider.submits.set(0, [LOST]);
  const { id } = await shop.refund(payment, 10_000);
  await shop.parts(id, ['sent']);
  await shop.endByHand(id);
  await shop.become((await shop.refund(other, 10_000)).id, 'succeeded');
  const second = await shop.refund(payment, 10_000);
  assert.equal(second.draws, null, 'it waits for money');
  await callBack(id);
  await shop.work(2, 600_000);
  assert.deepEqual(await shop.statuses(id), ['failed']);
  return { payment, id, second: second.id };
}

const ENDS: [string, (made: { payment: string; second: string }) => Promise<unknown>][] = [
  ['by hand', ({ second }) => shop.endByHand(second)],
  [
    'by a chargeback',
    ({ payment: payment_id }) =>
      openDispute(shop.api.deps, shop.store, { team_id: shop.merchant.team.id, payment_id, reason: 'fraudulent' }),
  ],
];

for (const [how, end] of ENDS)
  test(`a success that may be that of another refund is read again, however long the other waits, and booked once that ends ${how}`, async () => {
    const { id, ...made } = await besideAnother();
    await shop.owner.run(sql`update refunds set polls = 300 where id = ${id}`);
    await shop.work(2, 600_000);
    await end(made);
    shop.provider.reads.set(0, [LOST, LOST]);
    await shop.work(4, 600_000);
    const { status, legs } = await shop.row(made.second);
    assert.deepEqual([await shop.statuses(id), status, legs[0]?.status], [['succeeded'], 'failed', 'waiting']);
  });

test('a success that was that of another refund is not read again', async () => {
  const { id, second } = await besideAnother();
  await shop.paid(100_000);
  shop.clock.advance(25 * 3_600_000);
  await retentionSweep(shop.api.deps, shop.store).round();
  await shop.work(4, 600_000);
  assert.deepEqual([(await shop.row(second)).status, await shop.statuses(id)], ['succeeded', ['failed']]);
  assert.equal((await shop.row(id)).next_poll_at, null);
});

/** A refund of a whole payment that failed, and a second one that waits for money. */
async function failedBesideWaiting(): Promise<{ payment: string; id: string; second: string }> {
  const [payment, other] = [await shop.paid(10_000), await shop.paid(10_000)];
  shop.clock.advance(25 * 3_600_000);
  await retentionSweep(shop.api.deps, shop.store).round();
  shop.provider.submits.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 10_000);
  await shop.become(id, 'failed');
  await shop.become((await shop.refund(other, 10_000)).id, 'succeeded');
  const second = await shop.refund(payment, 10_000);
  assert.equal(second.draws, null, 'it waits for money');
  return { payment, id, second: second.id };
}

const SUCCESSES: [string, (id: string) => Promise<unknown>][] = [
  ['its provider calls back about', callBack],
  [
    'a person finds done',
    (id) => {
      const found = { as: 'succeeded', evidence: 'the dashboard shows it', author: 'ops' } as const;
      return resolveRefund(shop.api.deps, shop.store, { team_id: shop.merchant.team.id, id, part: null }, found, WORKER);
    },
  ],
];
for (const [how, success] of SUCCESSES)
  test(`a refund that ${how} after it failed ends one that waits for the same money: the payer gets it once`, async () => {
    const { payment, id, second } = await failedBesideWaiting();
    await success(id);
    await shop.work(2);
    assert.deepEqual([await shop.statuses(id), (await shop.row(second)).status], [['succeeded'], 'failed']);
    const sent = shop.provider.sent.length;
    await shop.paid(100_000);
    shop.clock.advance(25 * 3_600_000);
    await retentionSweep(shop.api.deps, shop.store).round();
    await shop.work(4, 600_000);
    assert.equal(shop.provider.sent.length, sent, 'the second is not sent once there is money');
    assert.equal((await shop.payment(payment)).status, 'refunded');
  });
