import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Market } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

let market: Market;
before(async () => {
  market = await Market.open();
});
after(() => market.api.stop());

test('201 for a refund of the sandbox that is made but cannot be sent at the moment; the worker sends it, once', async () => {
  const simulated = new SimulatedProvider('unsent');
  const shop = await market.shop('sandbox', simulated);
  const payment = await shop.paid({ amount: 1_000 });
  const { refunds } = simulated.provider;
  assert.ok(refunds);
  const { submit } = refunds;
  refunds.submit = () => Promise.reject(new Error('a fault of our own'));
  const { status, body } = await shop.call('POST', '/refunds', { payment, reason: 'duplicate' });
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(body.refund.status, 'pending');

  refunds.submit = submit;
  for (let round = 0; round < 4; round++) await shop.pass(700_000);
  assert.equal((await shop.shown(payment)).status, 'refunded');
  assert.equal((await shop.call('GET', `/payments/${payment}/refunds`)).body.items.length, 1);
});
