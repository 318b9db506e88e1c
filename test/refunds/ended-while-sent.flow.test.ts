import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { SENDING_MS } from '../../src/core/refunds/apply.ts';
import { advanceRefund } from '../../src/core/refunds/send.ts';
import type { RefundOutcome } from '../../src/providers/adapters/contract.ts';
import { until } from '../setup/api.ts';
import { LOST, RefundShop, SUCCEEDED } from './support.ts';

/** Refunds whose process takes so long to send them, or to hear of them, that a person has ended them. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

test('the number that a provider gives a refund which a person has ended is kept: what was done is found by it, and drawn again', async () => {
  const payment = await shop.paid(100_000);
  const late = Promise.withResolvers<RefundOutcome>();
  shop.provider.submits.set(0, [late.promise]);
  shop.provider.read = async ({ provider_ref }) => (provider_ref === 'number 7' ? SUCCEEDED : LOST);
  const { id } = await shop.refund(payment, 50_000);
  await shop.parts(id, ['sent']);
  await shop.endByHand(id);
  await shop.work(2);
  assert.deepEqual([await shop.statuses(id), (await shop.books()).pending], [['failed'], 98_000]);
  late.resolve({ kind: 'pending', provider_ref: 'number 7', poll_after_ms: 1_000 });
  await until(
    async () => (await shop.row(id)).legs[0]?.provider_ref,
    (number) => number === 'number 7',
  );
  await shop.work(1, 0);
  assert.deepEqual([(await shop.row(id)).status, await shop.statuses(id)], ['failed', ['succeeded']]);
  assert.deepEqual(await shop.books(), { clearing: -50_000, pending: 48_000, fee_income: 2_000 });
});

test('a process that was paused after it had marked a part does not send it once another may poll it', async () => {
  const payment = await shop.paid(100_000);
  shop.provider.submits.set(0, [{ kind: 'unavailable', message: 'busy' }]);
  const { id } = await shop.refund(payment, 50_000);
  await shop.said(id, 'busy');
  const advance = async (paused_ms: number) => {
    let asked = 0;
    const clock = { now: () => shop.clock.now() + (asked++ === 0 ? 0 : paused_ms) };
    const { message } = await advanceRefund({ ...shop.api.deps, clock }, shop.store, await shop.row(id));
    return [await shop.statuses(id), shop.provider.sent.length, message];
  };
  assert.deepEqual(await advance(SENDING_MS), [['waiting'], 1, 'it was not sent in time']);
  assert.deepEqual(await advance(SENDING_MS - 1), [['succeeded'], 2, null]);
});
