import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { type ManualResolution, SENDING_MS } from '../../src/core/charge/resolve.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { LOST, PENDING, REFUSED, RefundShop, SUCCEEDED } from './support.ts';

/** What a person, a statement or an older version says about one part of a refund counts for that part only. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

const COLLECTED = { clearing: -1_500_000, pending: 1_470_000, fee_income: 30_000 };

function resolve(id: string, part: number | null, as: ManualResolution['as']) {
  const verdict = { as, evidence: 'statement of the day', author: 'ops' };
  return resolveRefund(shop.api.deps, shop.store, { team_id: shop.merchant.team.id, id, part }, verdict, WORKER);
}

const resolutionOf = async (id: string) =>
  (await shop.owner.maybe<{ resolution: object | null }>(sql`select resolution from refunds where id = ${id}`))?.resolution;

test('evidence about a part that is decided meanwhile closes no other part', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(1, [PENDING]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'processing');
  await shop.parts(id, ['succeeded', 'sent', 'waiting']);
  await assert.rejects(resolve(id, 0, 'failed'), /nothing to resolve/);
  await assert.rejects(resolve(id, 0, 'succeeded'), /nothing to resolve/);
  await assert.rejects(resolve(id, 2, 'succeeded'), /nothing to resolve/);
  await assert.rejects(resolve(id, 3, 'failed'), /has 3 parts/);
  assert.deepEqual([await shop.statuses(id), await resolutionOf(id)], [['succeeded', 'sent', 'waiting'], null]);
});

test('a resolution has to name its part when the refund has several; a single part needs no name', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [PENDING]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.parts(id, ['sent', 'waiting', 'waiting']);
  await assert.rejects(resolve(id, null, 'failed'), /has 3 parts: name the one/);
  shop.clock.advance(SENDING_MS);
  assert.equal((await resolve(id, 0, 'failed')).status, 'failed');
  assert.deepEqual(await shop.books(), COLLECTED);
  shop.provider.submits.set(0, [PENDING]);
  const single = await shop.refund(payment, 400_000);
  await shop.parts(single.id, ['sent']);
  assert.equal((await resolve(single.id, null, 'succeeded')).status, 'succeeded');
});

test('a part cannot be resolved as failed while its request may be under way; as succeeded it can', async () => {
  const payment = await shop.paid(1_500_000);
  for (const part of [0, 1]) shop.provider.submits.set(part, [LOST]);
  const { id } = await shop.refund(payment, 900_000);
  await shop.said(id, LOST.message);
  await assert.rejects(resolve(id, 0, 'failed'), /at this moment/);
  assert.equal((await resolve(id, 0, 'succeeded')).status, 'processing');
  await shop.work(1, 3_000);
  await shop.parts(id, ['succeeded', 'sent']);
  shop.clock.advance(SENDING_MS - 1);
  await assert.rejects(resolve(id, 1, 'failed'), /at this moment/);
  assert.deepEqual(await shop.statuses(id), ['succeeded', 'sent']);
  shop.clock.advance(1);
  assert.equal((await resolve(id, 1, 'failed')).status, 'failed');
});

test('a failed part can be resolved manually as succeeded: it is drawn from the merchant again, once', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'failed');
  const refund = await resolve(id, 0, 'succeeded');
  const booked = { clearing: -1_000_000, pending: 970_000, fee_income: 30_000 };
  assert.deepEqual([refund.status, await shop.books()], ['failed', booked]);
  assert.deepEqual(await resolutionOf(id), {
    as: 'succeeded',
    evidence: 'statement of the day',
    author: 'ops',
    part: 1,
    at: new Date(shop.clock.now()).toISOString(),
  });
  await assert.rejects(resolve(id, 0, 'succeeded'), /nothing to resolve/);
  assert.deepEqual(await shop.books(), booked);
});

test('money that a statement put into suspense for a failed part is not drawn from the merchant as well', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.become(id, 'failed');
  await shop.owner.run(sql`
    insert into journals (team_id, kind, source_id, subject_id)
    values (${shop.merchant.team.id}, 'reconciliation.late', ${`${id}:0`}, ${payment})`);
  await assert.rejects(resolve(id, 0, 'succeeded'), /pirogue breaks settle/);
  assert.deepEqual(await shop.books(), COLLECTED);
});

test('a manual resolution and the worker at once: the second changes nothing', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [LOST]);
  shop.provider.reads.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.parts(id, ['sent', 'waiting', 'waiting']);
  await Promise.all([resolve(id, 0, 'failed').catch(() => null), shop.work()]);
  assert.deepEqual([await shop.statuses(id), await shop.books()], [['failed', 'waiting', 'waiting'], COLLECTED]);
  assert.deepEqual(shop.provider.sent, [0]);
});

/** As a version before the constraints could leave it: failed, its money returned, and yet a part sent. */
async function sentAfterTheEnd(): Promise<{ payment: string; id: string }> {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(0, [REFUSED]);
  const { id } = await shop.refund(payment, 1_400_000);
  const { legs } = await shop.become(id, 'failed');
  const older = legs.map(({ sent_at: _, ...leg }, part) => ({
    ...leg,
    amount_minor: String(leg.amount_minor),
    status: ['failed', 'sent', 'waiting'][part],
  }));
  await shop.owner.transaction(async (tx) => {
    await tx.run(sql`alter table refunds disable trigger refunds_end_once`);
    await tx.run(sql`
      update refunds set legs = ${JSON.stringify(older)}, next_poll_at = ${new Date(shop.clock.now())} where id = ${id}`);
    await tx.run(sql`alter table refunds enable trigger refunds_end_once`);
  });
  return { payment, id };
}

test('a part that an older version sent after the end is still asked about: success is booked', async () => {
  const { payment, id } = await sentAfterTheEnd();
  shop.provider.reads.set(1, [PENDING, LOST, SUCCEEDED]);
  const { status, body } = await shop.api.call('POST', '/refunds', {
    key: shop.key,
    body: { payment, amount: 1_000_001, reason: 'duplicate' },
  });
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['amount']], 'what may be with the payer cannot be refunded');
  await shop.work(8);
  assert.deepEqual(await shop.statuses(id), ['failed', 'succeeded', 'waiting']);
  assert.deepEqual(await shop.books(), { clearing: -1_000_000, pending: 970_000, fee_income: 30_000 });
  assert.equal((await shop.row(id)).next_poll_at, null);
});

test('a part that an older version sent after the end and that fails returns nothing a second time', async () => {
  for (const answer of [REFUSED, { kind: 'not_found' } as const]) {
    await shop.begin();
    const { id } = await sentAfterTheEnd();
    shop.provider.reads.set(1, Array(20).fill(answer));
    await shop.work(12);
    assert.deepEqual([await shop.books(), await shop.waiting()], [COLLECTED, { '': 1_470_000 }]);
    assert.deepEqual([(await shop.row(id)).next_poll_at, shop.provider.sent], [null, [0]]);
  }
});

test('an item that an older version left above its share stays: neither released, nor drawn from, nor a hindrance to the migration', async () => {
  const payment = await shop.paid(100_000);
  const migration = fs.readFileSync(new URL('../../migrations/store/0050_refunds_end_once.sql', import.meta.url), 'utf8');
  const constraint = must(/alter table settlement_items [^;]*;/.exec(migration)?.[0], 'the migration adds it');
  await shop.owner.run(sql`alter table settlement_items drop constraint settlement_items_within_share`);
  await shop.owner.run(sql`update settlement_items set amount_minor = share_minor * 3 where payment_id = ${payment}`);
  await shop.owner.run({ text: constraint, values: [] });
  shop.clock.advance(25 * 3_600_000);
  await retentionSweep(shop.api.deps, shop.store).round();
  const { message, draws } = await shop.refund(payment, 50_000);
  assert.deepEqual([draws, message], [null, 'It waits for money: the balance does not cover it yet.']);
  assert.deepEqual([(await shop.books()).available, await shop.waiting()], [undefined, { '': 294_000 }]);
  await shop.owner.run(sql`update settlement_items set amount_minor = share_minor where payment_id = ${payment}`);
  await retentionSweep(shop.api.deps, shop.store).round();
  assert.equal((await shop.books()).available, 98_000, 'corrected, it goes on by itself');
});

for (const kind of ['unavailable', 'unfunded'] as const)
  test(`a person who sees that a part was paid can say so after its provider has called it ${kind}`, async () => {
    const payment = await shop.paid(100_000);
    shop.provider.submits.set(0, [{ kind, message: 'not now' }]);
    const { id } = await shop.refund(payment, 50_000);
    await shop.become(id, 'processing');
    await shop.parts(id, ['waiting']);
    assert.equal((await resolve(id, 0, 'succeeded')).status, 'succeeded');
  });
