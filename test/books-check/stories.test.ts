import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Market, type Shop } from '../setup/market.ts';
import { type Fate, SimulatedProvider } from '../setup/simulated-provider.ts';

/**
 * Refunds of which a part is refused: each must leave books that agree with the rows. All three were wrong once, and nothing but
 * the comparison of the two showed it.
 */
let market: Market;
before(async () => {
  market = await Market.open({ CREDIT_CAP_LIVE: '1000000' });
});
after(() => market.api.stop());

/** In the sandbox a refund is sent part by part before it is answered; live leaves that to the worker. */
function shop(environment: 'sandbox' | 'live', refund: Fate[]): Promise<Shop> {
  return market.shop(environment, new SimulatedProvider('simulated', { refund }));
}

test('a refund whose first part is refused ends there: its other parts are not paid, and nothing differs', async () => {
  const own = await shop('sandbox', ['refused']);
  const id = await own.paid({ amount: 900_000 });
  await own.refund(id, 800_000);
  assert.deepEqual(await own.differences(), []);
  assert.equal(own.simulated.held('XAF'), 90_000_000n);
});

test('a refund all of whose parts would be refused puts back once what it drew', async () => {
  const own = await shop('live', ['refused', 'refused', 'refused']);
  const id = await own.paid({ amount: 1_200_000 });
  await own.refund(id, 1_000_000, true);
  assert.deepEqual(await own.differences(), []);
  await own.pass(25 * 3_600_000);
  await own.pass(1_000);
  assert.deepEqual(await own.differences(), []);
});

test('a refund of a split payment of which a part is refused puts back to each party what is its own', async () => {
  const own = await shop('live', ['at_once', 'refused']);
  const account = await own.account({ type: 'percentage', value: 10 });
  const id = await own.paid({ amount: 900_000, account });
  await own.refund(id, 800_000);
  await own.pass(5_000);
  await own.pass(5_000);
  assert.deepEqual(await own.differences(), []);
});

test('what a failed refund puts back repays first what the platform advanced', async () => {
  const own = await shop('live', ['refused_later', 'later']);
  const first = await own.paid({ amount: 100_000 });
  const second = await own.paid({ amount: 100_000 });
  await own.pass(25 * 3_600_000);
  await own.pass(1_000);
  // The second refund finds 96,000 available and is advanced the rest; then the first, from the balance, fails.
  await own.refund(first, 100_000);
  await own.pass(3_000);
  await own.refund(second, 100_000);
  for (let i = 0; i < 10; i++) await own.pass(60_000);
  assert.deepEqual(await own.differences(), []);
});

test('what the platform advanced to a refund and has back meanwhile is not returned to it a second time', async () => {
  const own = await shop('live', ['refused_later', 'late']);
  const first = await own.paid({ amount: 100_000 });
  const second = await own.paid({ amount: 100_000 });
  await own.pass(25 * 3_600_000);
  await own.pass(1_000);
  await own.refund(second, 100_000, true);
  await own.refund(first, 100_000, true);
  // The second is refused, and what it drew repays the 4,000 that were advanced to the first; then that is refused too.
  await own.pass(3_000);
  own.simulated.refuse('refund');
  for (let i = 0; i < 10; i++) await own.pass(60_000);
  assert.deepEqual(await own.differences(), []);
  assert.equal((await own.call('GET', '/balance')).body.balance.available, 196_000);
});

test('what was advanced to a dispute and is repaid meanwhile becomes available when the dispute is won', async () => {
  const own = await shop('live', []);
  const first = await own.paid({ amount: 100_000 });
  await own.pass(25 * 3_600_000);
  await own.pass(1_000);
  const dispute = (await own.dispute(first)) as string;
  await own.paid({ amount: 50_000 });
  await own.pass(25 * 3_600_000);
  await own.pass(1_000);
  await own.decide(dispute, 'provider_decided_won');
  assert.deepEqual(await own.differences(), []);
  const { available, credit } = (await own.call('GET', '/balance')).body.balance;
  assert.deepEqual([available, credit], [147_000, 0]);
});

test('a chargeback that took the fee of the payer, because a refund was under way that then failed, is no difference', async () => {
  const own = await shop('sandbox', ['refused_later']);
  const account = await own.account({ type: 'percentage', value: 12.5 });
  const id = await own.paid({ amount: 600_000, bearer: 'customer', account });
  await own.refund(id, 60_000);
  await own.dispute(id);
  for (let i = 0; i < 10; i++) await own.pass(60_000);
  assert.deepEqual(await own.differences(), []);
});
