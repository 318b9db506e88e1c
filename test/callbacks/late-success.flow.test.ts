import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Market } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

test('late money is found although the status could not be read when the callback about it came', async () => {
  const market = await Market.open();
  try {
    const simulated = new SimulatedProvider('late', { collect: ['late'] });
    const shop = await market.shop('live', simulated);
    const id = await shop.order({ amount: 1_000 });
    await shop.charge(id);
    await shop.pass(2_000);
    assert.equal((await shop.shown(id)).status, 'failed');
    const key = simulated.succeedLate()?.key as string;

    const { read } = simulated.provider;
    simulated.provider.read = async () => ({ kind: 'unreadable', message: 'an empty page' });
    await shop.notify(key);
    simulated.provider.read = read;
    await shop.pass(120_000);

    const { amount_captured, attempts } = await shop.shown(id);
    assert.equal(amount_captured, 1_000);
    assert.equal(attempts[0].status, 'succeeded');
    assert.deepEqual(await shop.differences(), []);
  } finally {
    await market.api.stop();
  }
});
