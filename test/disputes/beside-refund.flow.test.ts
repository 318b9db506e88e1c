import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { Market } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

let market: Market;
before(async () => {
  market = await Market.open({ HOLD_MOBILE_MONEY: '0s' });
});
after(() => market.api.stop());

test('a dispute takes no more than what a refund under way leaves, before and after the refund has ended', async () => {
  const shop = await market.shop('live', new SimulatedProvider('slow', { refund: ['late'] }));
  const payment_id = await shop.paid({ amount: 10_000 });
  await shop.refund(payment_id, 6_000, true);
  const opening = { team_id: shop.team_id, payment_id, reason: 'fraudulent' } as const;
  const open = (amount_minor?: bigint) =>
    openDispute(market.api.deps, shop.store, amount_minor === undefined ? opening : { ...opening, amount_minor });
  await assert.rejects(open(400_001n), /Validation failed|more than/);
  assert.equal((await open()).amount_minor, 400_000n);
  for (let minute = 0; minute < 10; minute++) await shop.pass(60_000);
  assert.equal((await shop.shown(payment_id)).amount_refunded, 6_000);
  assert.deepEqual(await shop.differences(), []);
});
