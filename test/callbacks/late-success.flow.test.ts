import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { Market } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

const DAY_MS = 86_400_000;

let market: Market;
before(async () => {
  market = await Market.open();
});
after(() => market.api.stop());

/** A payment that failed and was paid late. The callback about it has come, but the status could not be read; `read` can again. */
async function paidLate() {
  const simulated = new SimulatedProvider('late', { collect: ['late'] });
  const shop = await market.shop('live', simulated);
  const id = await shop.order({ amount: 1_000 });
  await shop.charge(id);
  await shop.pass(2_000);
  assert.equal((await shop.shown(id)).status, 'failed');
  const { read } = simulated.provider;
  simulated.provider.read = async () => ({ kind: 'unreadable', message: 'an empty page' });
  await shop.notify(simulated.succeedLate()?.key as string);
  return { simulated, shop, id, read };
}

test('late money is found although the status could not be read when the callback about it came', async () => {
  const { simulated, shop, id, read } = await paidLate();
  simulated.provider.read = read;
  await shop.pass(120_000);

  const { amount_captured, attempts } = await shop.shown(id);
  assert.equal(amount_captured, 1_000);
  assert.equal(attempts[0].status, 'succeeded');
  assert.deepEqual(await shop.differences(), []);
});

test('a failed attempt whose status cannot be read after a callback is polled for seven days, and then no more', async () => {
  const { shop, id } = await paidLate();
  const polled = async () => {
    const rows = await shop.store.db.all<{ due: boolean }>(sql`
      select next_poll_at is not null as due from attempts where team_id = ${shop.team_id} and payment_id = ${id}`);
    return rows.map(({ due }) => due);
  };
  await shop.pass(6 * DAY_MS);
  assert.deepEqual(await polled(), [true]);
  for (let day = 0; day < 3; day++) await shop.pass(DAY_MS);
  assert.deepEqual(await polled(), [false]);
});
