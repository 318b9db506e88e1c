import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDispute, openOrLostDispute } from '../../src/core/disputes/service.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { Market, type Shop } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';

/** What a lost dispute has left of a payment, and what a refund has not sent yet, can be charged back. */
let market: Market;
before(async () => {
  market = await Market.open({ HOLD_MOBILE_MONEY: '0s' });
});
after(() => market.api.stop());

const opener = (shop: Shop, payment_id: string) => (amount_minor?: bigint) =>
  openDispute(market.api.deps, shop.store, {
    ...{ team_id: shop.team_id, payment_id, reason: 'fraudulent' },
    ...(amount_minor === undefined ? {} : { amount_minor }),
  });

test('after a lost dispute of a part, the rest can be disputed, one dispute at a time; nothing can be refunded', async () => {
  const shop = await market.shop('live', new SimulatedProvider('lost'));
  const payment = await shop.paid({ amount: 25_000 });
  const open = opener(shop, payment);
  const blocking = () => openOrLostDispute(shop.store.db, shop.team_id, payment);
  const first = await open(1_000_000n);
  await shop.decide(first.id, 'provider_decided_lost');
  assert.equal(await blocking(), first.id);
  assert.equal((await shop.call('POST', '/refunds', { payment, amount: 100, reason: 'duplicate' })).status, 400);
  await assert.rejects(open(1_500_100n), { status: 422 });
  const second = await open(500_000n);
  assert.equal(await blocking(), second.id, 'the open one can be decided');
  await assert.rejects(open(100n), /in a dispute already/);
  await shop.decide(second.id, 'provider_decided_won');
  const third = await open();
  assert.equal(third.amount_minor, 1_500_000n, 'what was won can be disputed again');
  await shop.decide(third.id, 'provider_decided_lost');
  await assert.rejects(open(), { status: 400 });
  await assert.rejects(open(100n), { status: 400 });
  assert.deepEqual(await shop.differences(), []);
});

for (const split of [false, true])
  test(`the fee that the customer of a ${split ? 'split ' : ''}payment paid on top is charged back after a full refund`, async () => {
    const shop = await market.shop('live', new SimulatedProvider('on-top'));
    const account = split ? await shop.account({ type: 'percentage', value: 10 }) : null;
    await shop.paid({ amount: 10_000 });
    const payment = await shop.paid({ amount: 10_000, bearer: 'customer', account });
    await shop.refund(payment, undefined, true);
    for (let minute = 0; minute < 3; minute++) await shop.pass(60_000);
    assert.equal((await shop.shown(payment)).status, 'refunded');
    const [paid] = await shop.store.db.all<{ fee_minor: bigint }>(sql`
      select captured_minor - amount_minor as fee_minor from payments where id = ${payment}`);
    const fee_minor = must(paid, 'it exists').fee_minor;
    assert.ok(fee_minor > 0n);
    const open = opener(shop, payment);
    await assert.rejects(open(), /Only the fee that the customer paid on top is left/);
    await assert.rejects(open(fee_minor + 100n), { status: 422 });
    for (const [trigger, differs] of [
      ['provider_decided_won', 0n],
      ['provider_decided_lost', fee_minor],
    ] as const) {
      const available = (await readBalances(shop.store.db, shop.team_id, 'XAF')).get('available') ?? 0n;
      const { id, amount_minor } = await open(fee_minor);
      assert.equal(amount_minor, fee_minor);
      await shop.decide(id, trigger);
      const after = (await readBalances(shop.store.db, shop.team_id, 'XAF')).get('available') ?? 0n;
      assert.equal(available - after, differs, 'the team pays it');
      assert.deepEqual(await shop.differences(), []);
    }
    await assert.rejects(open(fee_minor), { status: 400 });
  });

test('a chargeback ends a refund that is covered and not sent yet, which is sent no more', async () => {
  const shop = await market.shop('live', new SimulatedProvider('unsent'));
  const payment = await shop.paid({ amount: 10_000 });
  await shop.paid({ amount: 10_000 });
  const refund = must(await shop.refund(payment, 10_000), 'it is covered');
  const { id, amount_minor } = await opener(shop, payment)();
  assert.equal(amount_minor, 1_000_000n);
  await shop.decide(id, 'provider_decided_lost');
  for (let minute = 0; minute < 10; minute++) await shop.pass(60_000);
  await shop.advanceStale(refund);
  assert.equal((await shop.call('GET', `/refunds/${refund}`)).body.refund.status, 'failed');
  assert.equal((await shop.shown(payment)).amount_refunded, 0);
  assert.ok([...shop.simulated.operations.values()].every(({ flow }) => flow !== 'refund'));
  assert.deepEqual(await shop.differences(), []);
});
