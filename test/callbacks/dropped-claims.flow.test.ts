import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { claimDueRefunds } from '../../src/core/refunds/store.ts';
import { claimDueTransfers, findTransfer } from '../../src/core/transfers/store.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { MAX_RECHECKS } from '../../src/providers/adapters/polling.ts';
import { Market, type Shop } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

/**
 * While an account does not respond, most of what is claimed for it is dropped before it is read: the account has few slots. The readings after
 * which late money is given up are counted, and not the claims.
 */
const HOUR_MS = 3_600_000;

let market: Market;
before(async () => {
  market = await Market.open({ HOLD_MOBILE_MONEY: '0s' });
});
after(() => market.api.stop());

/** A payout and a refund that their provider has reported as failed. */
async function failed(): Promise<{ shop: Shop; payout: string; refund: string }> {
  const fates = { payout: ['refused_later' as const], refund: ['refused_later' as const] };
  const shop = await market.shop('live', new SimulatedProvider('dropped', fates));
  const payment = await shop.paid({ amount: 10_000 });
  const payout = (await shop.transfer(4_000)).body.transfer.id;
  const refund = must(await shop.refund(payment, 3_000), 'it is refundable');
  for (let round = 0; round < 3; round++) await shop.pass(5_000);
  return { shop, payout, refund };
}

test('what is claimed as often as late money is read, and not read, is read all the same until its provider decides', async () => {
  const { shop, payout, refund } = await failed();
  const { db } = shop.store;
  const key = `${refund}-0`;
  for (const about of [payout, key]) await shop.callBack(about);
  let claims = 0;
  for (let at = market.clock.now(); claims < 2 * MAX_RECHECKS; at += 2) {
    const rows = [
      ...(await claimDueTransfers(db, new Date(at), 1, 9, [])),
      ...(await claimDueRefunds(db, new Date(at), 1, 9, [])),
    ];
    assert.equal(rows.length, 2);
    claims += rows.length;
  }
  const unknown = { kind: 'unknown', message: 'an empty page' } as const;
  const payouts = must(shop.simulated.provider.payouts, 'it pays out');
  const refunds = must(shop.simulated.provider.refunds, 'it refunds');
  const reads = [payouts.read, refunds.read] as const;
  payouts.read = refunds.read = async () => unknown;
  await shop.pass(HOUR_MS);
  [payouts.read, refunds.read] = reads;
  for (const id of [payout, key]) must(shop.simulated.operations.get(id), 'it was sent').fate = 'at_once';
  await shop.pass(HOUR_MS);
  assert.notEqual((await findTransfer(db, { team_id: shop.team_id, id: payout }))?.paid_late_at, null);
  assert.match(
    (await shop.call('GET', `/refunds/${refund}`)).body.refund.message,
    /reached the payer after the refund had failed/,
  );
  assert.deepEqual(await shop.differences(), []);
});

test('each reading without an answer counts', async () => {
  const { shop, payout, refund } = await failed();
  const payouts = must(shop.simulated.provider.payouts, 'it pays out');
  const refunds = must(shop.simulated.provider.refunds, 'it refunds');
  payouts.read = refunds.read = async () => ({ kind: 'unknown', message: 'an empty page' });
  for (const about of [payout, `${refund}-0`]) await shop.callBack(about);
  for (let hour = 0; hour < 3; hour++) await shop.pass(HOUR_MS);
  const counted = await shop.store.db.all<{ polls: number }>(sql`
    select polls from transfers where id = ${payout} union all select polls from refunds where id = ${refund}`);
  assert.deepEqual(
    counted.map(({ polls }) => polls),
    [3, 3],
  );
});
