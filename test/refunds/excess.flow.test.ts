import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import type { RefundOutcome } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { PENDING, REFUSED, RefundShop } from './support.ts';

/** Refunds that were made of what seemed to be left, when an earlier one that had failed has reached the payer after all. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

const DOWN: RefundOutcome = { kind: 'unavailable', message: 'maintenance' };
const TOLD = 'An earlier refund reached the payer after it had failed.';

/** A person finds the first part of a refund done. */
function foundDone(id: string): Promise<unknown> {
  const found = { as: 'succeeded', evidence: 'the dashboard shows it', author: 'ops' } as const;
  return resolveRefund(shop.api.deps, shop.store, { team_id: shop.merchant.team.id, id, part: 0 }, found, WORKER);
}

/** A payment, money for two refunds of all of it, and a first one that its provider has refused. */
async function refused(amount: number): Promise<{ payment: string; first: string }> {
  for (let money = 0; money < amount; money += 490_000) await shop.paid(490_000);
  await shop.releaseNow();
  const payment = await shop.paid(amount);
  shop.provider.submits.set(0, [REFUSED]);
  const first = (await shop.refund(payment, amount)).id;
  await shop.become(first, 'failed');
  return { payment, first };
}

test('a refund that was at its provider when the first succeeded is not sent again once it is turned away', async () => {
  const { payment, first } = await refused(100_000);
  const answer = Promise.withResolvers<RefundOutcome>();
  shop.provider.submits.set(0, [answer.promise]);
  const second = (await shop.refund(payment, 100_000)).id;
  await shop.parts(second, ['sent']);
  await foundDone(first);
  answer.resolve(DOWN);
  const ended = await shop.become(second, 'failed');
  const sent = shop.provider.sent.length;
  await shop.work(4);
  assert.deepEqual([ended.message, shop.provider.sent.length], [TOLD, sent]);
  assert.equal((await shop.payment(payment)).status, 'refunded');
});

test('the next part of a refund that was at its provider when the first succeeded is not sent', async () => {
  const { payment, first } = await refused(900_000);
  shop.provider.submits.set(0, [PENDING]);
  const second = (await shop.refund(payment, 900_000)).id;
  await shop.parts(second, ['sent', 'waiting']);
  await foundDone(first);
  await shop.work(4);
  const { status, message, legs } = await shop.row(second);
  assert.deepEqual([status, message, legs.map((part) => part.status)], ['failed', TOLD, ['succeeded', 'waiting']]);
  assert.deepEqual(
    shop.provider.sent.filter((part) => part === 1),
    [],
    'no second part of either was sent',
  );
});

test('a refund of another tranche that waits is left alone while all of them return no more than was paid', async () => {
  const payment = await shop.paid(900_000);
  shop.provider.submits.set(0, [REFUSED]);
  const first = (await shop.refund(payment, 100_000)).id;
  await shop.become(first, 'failed');
  await shop.become((await shop.refund(payment, 450_000)).id, 'succeeded');
  shop.provider.submits.set(0, Array<RefundOutcome>(20).fill(DOWN));
  const third = (await shop.refund(payment, 100_000)).id;
  await shop.said(third, DOWN.message);
  await foundDone(first);
  assert.equal((await shop.row(third)).status, 'processing');
  shop.provider.submits.clear();
  await shop.work(2);
  assert.equal((await shop.row(third)).status, 'succeeded');
});
