import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { paidSince } from '../../src/core/payout-batches/store.ts';
import { applyTransfers } from '../../src/core/transfers/apply.ts';
import { recordPaidLate } from '../../src/core/transfers/late.ts';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { writeRecheck as writeRefundRecheck } from '../../src/core/refunds/store.ts';
import { countPaidLate } from '../../src/core/transfers/late-store.ts';
import { findTransfer, writeRecheck as writeTransferRecheck } from '../../src/core/transfers/store.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { must } from '../../src/kit/errors.ts';
import { fixed, sql, type Tx } from '../../src/kit/sql.ts';
import type { RefundRow } from '../../src/core/refunds/schema.ts';
import type { TransferRow } from '../../src/core/transfers/schema.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { untilLocked } from '../setup/locks.ts';
import { Market, type Shop } from '../setup/market.ts';
import { type Fate, type Flow, type Operation, SimulatedProvider } from '../setup/simulated-provider.ts';

/** Money that left although its provider had reported that it did not: the provider's book and ours must agree again. */
const HOUR_MS = 3_600_000;

let market: Market;
before(async () => {
  market = await Market.open({ HOLD_MOBILE_MONEY: '0s' });
});
after(() => market.api.stop());

async function shopWith(fates: Partial<Record<Flow, Fate[]>>): Promise<Shop> {
  const shop = await market.shop('live', new SimulatedProvider(`late-${Math.random()}`, fates));
  await shop.paid({ amount: 10_000 });
  return shop;
}

/** A payout of 4,000 that its provider reports as failed. */
async function failedPayout(shop: Shop): Promise<{ id: string; operation: Operation }> {
  const { body } = await shop.transfer(4_000);
  const { id } = body.transfer;
  for (let round = 0; round < 3; round++) await shop.pass(5_000);
  assert.equal((await row(shop, id)).status, 'failed');
  return { id, operation: must(shop.simulated.operations.get(id), 'it was sent') };
}

const row = async (shop: Shop, id: string) =>
  must(await findTransfer(shop.store.db, { team_id: shop.team_id, id }), 'it was created');

async function balances(shop: Shop) {
  const all = await readBalances(shop.store.db, shop.team_id, 'XAF');
  const of = (account: Account) => Number(all.get(account) ?? 0n) / 100;
  return { available: of('available'), credit: of('credit'), held: -of('clearing') };
}

async function assertAgreed(shop: Shop): Promise<void> {
  assert.equal((await balances(shop)).held, Number(shop.simulated.held('XAF')) / 100, 'what the provider holds');
  assert.deepEqual(await shop.differences(), []);
}

test('a payout that failed and was paid all the same is drawn again, once, after the callback about it', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const before = await balances(shop);
  const { id, operation } = await failedPayout(shop);
  assert.deepEqual(await balances(shop), before, 'its money and its fee have returned');

  operation.fate = 'at_once';
  for (let news = 0; news < 2; news++) {
    await shop.callBack(id);
    await shop.pass(1_000);
  }
  const { status, message, next_poll_at } = await row(shop, id);
  assert.deepEqual([status, message, next_poll_at], ['failed', 'It reached the recipient after it had failed.', null]);
  assert.deepEqual(await balances(shop), { ...before, available: before.available - 4_000, held: before.held - 4_000 });
  assert.equal((await shop.call('GET', `/transfers/${id}`)).body.transfer.message, message);
  await assertAgreed(shop);
});

/**
 * Has the provider call back while its answer "failed" is on its way, because the money moves after all; the next answer cannot be read.
 * @param keyOf by which the provider knows what it is asked about
 */
function payWhileFailing<A>(shop: Shop, reads: { read(asked: A): Promise<{ kind: string }> }, keyOf: (asked: A) => string): void {
  const read = reads.read.bind(reads);
  reads.read = async (asked) => {
    const outcome = await read(asked);
    if (outcome.kind !== 'failed') return outcome;
    reads.read = async () => {
      reads.read = read;
      return { kind: 'unknown', message: 'an empty page' };
    };
    must(shop.simulated.operations.get(keyOf(asked)), 'it was sent').fate = 'at_once';
    await shop.callBack(keyOf(asked));
    return outcome;
  };
}

test('a callback that comes while the failure of a payout is on its way has the payout read again, however often it had been', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const before = await balances(shop);
  const payouts = must(shop.simulated.provider.payouts, 'it pays out');
  payWhileFailing(shop, payouts, ({ transfer_id }) => transfer_id);
  const { id } = (await shop.transfer(4_000)).body.transfer;
  await shop.pass(1_000);
  await shop.store.db.run(sql`update transfers set polls = 300 where id = ${id}`);
  for (let hour = 0; hour < 4; hour++) await shop.pass(HOUR_MS);
  assert.equal((await row(shop, id)).message, 'It reached the recipient after it had failed.');
  assert.deepEqual(await balances(shop), { ...before, available: before.available - 4_000, held: before.held - 4_000 });
  await assertAgreed(shop);
});

test('a callback that finds a payout under way while its failure is being committed has it read after that', async () => {
  const shop = await shopWith({ payout: ['later'] });
  const { body } = await shop.transfer(4_000);
  const { id } = body.transfer;
  await shop.pass(1_000);
  const known = await row(shop, id);
  const context = { environment: shop.environment, at: market.clock.now() };
  const failed = { kind: 'failed', reason: null, message: 'declined' } as const;
  let told: Promise<unknown> = Promise.resolve();
  await shop.store.db.transaction(async (tx) => {
    await applyTransfers(tx, context, [{ known, occurrence: failed }]);
    told = shop.callBack(id);
    await untilLocked(market.api.databases.live);
  });
  await told;
  const { status, next_poll_at } = await row(shop, id);
  assert.deepEqual([status, next_poll_at?.getTime()], ['failed', market.clock.now()]);
});

/** Counts 1 franc of payouts in a day and its month. */
function useLimits(shop: Shop): Promise<number> {
  return shop.store.db.run(sql`
    insert into ceiling_uses (team_id, direction, currency, period, used_minor)
    select ${shop.team_id}, 'transfer', 'XAF', period, 100 from unnest(array['2026-03-10', '2026-03']) period`);
}

async function usesOf(shop: Shop): Promise<bigint[]> {
  const rows = await shop.store.db.all<{ used_minor: bigint }>(sql`
    select used_minor from ceiling_uses where team_id = ${shop.team_id} and direction = 'transfer'`);
  return rows.map(({ used_minor }) => used_minor);
}

test('what was paid late counts towards the limits of its day again', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const { id, operation } = await failedPayout(shop);
  await shop.store.db.run(sql`update transfers set counted_day = '2026-03-10' where id = ${id}`);
  await useLimits(shop);
  operation.fate = 'at_once';
  await shop.callBack(id);
  await shop.pass(1_000);
  assert.deepEqual(await usesOf(shop), [400_100n, 400_100n]);
});

test('two processes that read a late payout at the same moment draw it and count it once', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const before = await balances(shop);
  const { id } = await failedPayout(shop);
  await shop.store.db.run(sql`update transfers set counted_day = '2026-03-10' where id = ${id}`);
  await useLimits(shop);
  const record = (tx: Tx) => recordPaidLate(tx, market.clock.now(), { team_id: shop.team_id, id }, { provider_ref: 'late-1' });
  let second: Promise<unknown> = Promise.resolve();
  await shop.store.db.transaction(async (tx) => {
    assert.ok(await record(tx));
    second = shop.store.db.transaction(record);
    await untilLocked(market.api.databases.live);
  });
  assert.equal(await second, null);
  assert.deepEqual(await usesOf(shop), [400_100n, 400_100n]);
  assert.equal((await balances(shop)).available, before.available - 4_000);
});

test('a list of payouts warns of a recipient who was paid after the payout had failed', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const { id, operation } = await failedPayout(shop);
  const recent = async () => {
    const paid = await paidSince(shop.store.db, 'live', shop.team_id, market.clock.now() - HOUR_MS, 10);
    return paid.map(({ amount_minor }) => amount_minor);
  };
  assert.deepEqual(await recent(), []);
  operation.fate = 'at_once';
  await shop.callBack(id);
  await shop.pass(1_000);
  assert.deepEqual(await recent(), [400_000n]);
});

test('what the balance no longer covers is advanced by the platform', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const { id, operation } = await failedPayout(shop);
  const { available } = await balances(shop);
  await shop.transfer(7_000);
  await shop.pass(1_000);
  const left = (await balances(shop)).available;
  assert.ok(left < 4_000 && left < available);

  operation.fate = 'at_once';
  await shop.callBack(id);
  await shop.pass(1_000);
  const now = await balances(shop);
  assert.deepEqual([now.available, now.credit], [0, left - 4_000]);
  await assertAgreed(shop);
});

test('a payout that failed and is failed still is read once, and nothing changes', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const { id } = await failedPayout(shop);
  const before = [await balances(shop), (await row(shop, id)).updated_at];
  await shop.callBack(id);
  await shop.pass(1_000);
  assert.deepEqual([await balances(shop), (await row(shop, id)).updated_at], before);
  assert.equal((await row(shop, id)).next_poll_at, null);
});

test('a provider that cannot be read is asked again for about a day, and no more', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const { id, operation } = await failedPayout(shop);
  const payouts = must(shop.simulated.provider.payouts, 'it pays out');
  const { read } = payouts;
  let reads = 0;
  payouts.read = async () => {
    reads += 1;
    return { kind: 'unknown', message: 'an empty page' };
  };
  await shop.callBack(id);
  for (let hour = 0; hour < 12; hour++) await shop.pass(HOUR_MS);
  assert.equal(reads, 12);
  await shop.store.db.run(sql`update transfers set polls = 300 where id = ${id}`);
  await shop.pass(HOUR_MS);
  await shop.pass(HOUR_MS);
  assert.equal(reads, 13);

  payouts.read = read;
  operation.fate = 'at_once';
  await shop.callBack(id);
  await shop.pass(1_000);
  await assertAgreed(shop);
  assert.notEqual((await row(shop, id)).paid_late_at, null);
});

for (const answer of [
  { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 },
  { kind: 'unavailable', message: 'maintenance' },
] as const) {
  test(`a failed payout that its provider calls ${answer.kind} after a callback is read again until it is decided`, async () => {
    const shop = await shopWith({ payout: ['refused_later'] });
    const { id, operation } = await failedPayout(shop);
    operation.fate = 'at_once';
    const payouts = must(shop.simulated.provider.payouts, 'it pays out');
    const { read } = payouts;
    payouts.read = async () => {
      payouts.read = read;
      return answer;
    };
    await shop.callBack(id);
    for (let round = 0; round < 2; round++) await shop.pass(HOUR_MS);
    assert.notEqual((await row(shop, id)).paid_late_at, null);
    await assertAgreed(shop);
  });
}

test('an answer about an ended payout or refund does not end the reading that a later callback and another worker have begun', async () => {
  const shop = await shopWith({ payout: ['refused_later'], refund: ['refused_later'] });
  const { id: payout } = await failedPayout(shop);
  const refund = must(await shop.refund(await shop.paid({ amount: 3_000 })), 'it is refundable');
  for (let round = 0; round < 3; round++) await shop.pass(5_000);
  const { db } = shop.store;
  for (const [table, id, write] of [
    [fixed('transfers'), payout, writeTransferRecheck],
    [fixed('refunds'), refund, writeRefundRecheck],
  ] as const) {
    const claimed = async (until: number) => {
      const [claim] = await db.all<RefundRow & TransferRow>(sql`
        update ${table} set next_poll_at = ${new Date(until)}, polls = 1 where id = ${id} returning team_id, id, polls, next_poll_at`);
      return must(claim, 'it exists');
    };
    const first = await claimed(market.clock.now() + 30_000);
    const second = await claimed(market.clock.now() + 31_000);
    await write(db, first, null);
    const due = async () =>
      (await db.all<{ next_poll_at: Date | null }>(sql`select next_poll_at from ${table} where id = ${id}`))[0]?.next_poll_at;
    assert.equal((await due())?.getTime(), market.clock.now() + 31_000);
    await write(db, second, null);
    assert.equal(await due(), null);
  }
});

test('another amount or currency than was requested is not posted', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const { id } = await failedPayout(shop);
  const before = await balances(shop);
  const payouts = must(shop.simulated.provider.payouts, 'it pays out');
  for (const other of [
    { amount_minor: 1n, currency: 'XAF' },
    { amount_minor: 400_000n, currency: 'XOF' },
  ]) {
    payouts.read = async () => ({ kind: 'succeeded', provider_ref: 'p', ...other });
    await shop.callBack(id);
    await shop.pass(1_000);
    assert.deepEqual(await balances(shop), before);
    assert.deepEqual([(await row(shop, id)).next_poll_at, (await row(shop, id)).paid_late_at], [null, null]);
  }
});

test('a success that is read while a person resolves the payout as failed is not lost', async () => {
  const shop = await shopWith({ payout: ['late'] });
  const { id } = (await shop.transfer(4_000)).body.transfer;
  await shop.pass(1_000);
  const payouts = must(shop.simulated.provider.payouts, 'it pays out');
  const { read } = payouts;
  payouts.read = async (payout) => {
    payouts.read = read;
    const verdict = { as: 'failed' as const, evidence: 'a call', author: 'awa' };
    await resolveTransfer(market.api.deps, shop.store, { team_id: shop.team_id, id }, verdict, WORKER);
    must(shop.simulated.operations.get(id), 'it was sent').fate = 'at_once';
    return read(payout);
  };
  for (let round = 0; round < 4; round++) await shop.pass(5_000);
  assert.equal((await row(shop, id)).status, 'failed');
  assert.notEqual((await row(shop, id)).paid_late_at, null);
  await assertAgreed(shop);
});

test('a success that comes late is asked about for a day, however often the payout had been read before its end', async () => {
  const shop = await shopWith({ payout: ['late'] });
  const { id } = (await shop.transfer(4_000)).body.transfer;
  await shop.pass(1_000);
  await shop.store.db.run(sql`update transfers set polls = 300 where id = ${id}`);
  const payouts = must(shop.simulated.provider.payouts, 'it pays out');
  const { read } = payouts;
  payouts.read = async (payout) => {
    const verdict = { as: 'failed' as const, evidence: 'a call', author: 'awa' };
    await resolveTransfer(market.api.deps, shop.store, { team_id: shop.team_id, id }, verdict, WORKER);
    must(shop.simulated.operations.get(id), 'it was sent').fate = 'at_once';
    payouts.read = async () => {
      payouts.read = read;
      return { kind: 'unknown', message: 'an empty page' };
    };
    return read(payout);
  };
  for (let hour = 0; hour < 3; hour++) await shop.pass(HOUR_MS);
  assert.notEqual((await row(shop, id)).paid_late_at, null);
  await assertAgreed(shop);
});

test('an operator records with evidence that a failed payout was paid, once', async () => {
  const shop = await shopWith({ payout: ['refused_later'] });
  const { id, operation } = await failedPayout(shop);
  const resolve = (as: 'succeeded' | 'failed') => {
    const verdict = { as, evidence: 'their letter of 3 March', author: 'awa' };
    return resolveTransfer(market.api.deps, shop.store, { team_id: shop.team_id, id }, verdict, WORKER);
  };
  await assert.rejects(resolve('failed'), /nothing to resolve/);
  const since = new Date(market.clock.now());
  const counted = () => countPaidLate(shop.store.db, since, 10);
  const before = await counted();
  await resolve('succeeded');
  await assert.rejects(resolve('succeeded'), /nothing to resolve/);
  operation.moved = true;
  await assertAgreed(shop);
  assert.equal((await row(shop, id)).resolution?.evidence, 'their letter of 3 March');
  assert.equal(await counted(), before + 1);
});

test('a merchant’s refund that failed and was done all the same is drawn again after the callback about it', async () => {
  const shop = await shopWith({ refund: ['refused_later'] });
  const payment = await shop.paid({ amount: 3_000 });
  const before = await balances(shop);
  const refund = must(await shop.refund(payment), 'it is refundable');
  for (let round = 0; round < 3; round++) await shop.pass(5_000);
  const shown = async () => (await shop.call('GET', `/refunds/${refund}`)).body.refund;
  assert.equal((await shown()).status, 'failed');
  assert.deepEqual(await balances(shop), before);

  const key = `${refund}-0`;
  await shop.callBack(key);
  await shop.pass(1_000);
  assert.deepEqual(await balances(shop), before, 'it is failed still');
  must(shop.simulated.operations.get(key), 'it was sent').fate = 'at_once';
  for (let news = 0; news < 2; news++) {
    await shop.callBack(key);
    await shop.pass(1_000);
  }
  assert.match((await shown()).message, /reached the payer after the refund had failed/);
  assert.equal((await shop.shown(payment)).status, 'refunded');
  assert.equal((await balances(shop)).held, before.held - 3_000);
  await assertAgreed(shop);
});

test('a callback that comes while the failure of a refund is on its way has the refund read again, however often it had been', async () => {
  const shop = await shopWith({ refund: ['refused_later'] });
  const payment = await shop.paid({ amount: 3_000 });
  const before = await balances(shop);
  payWhileFailing(shop, must(shop.simulated.provider.refunds, 'it refunds'), ({ provider_key }) => provider_key);
  const refund = must(await shop.refund(payment), 'it is refundable');
  await shop.store.db.run(sql`update refunds set polls = 300 where id = ${refund}`);
  for (let hour = 0; hour < 5; hour++) await shop.pass(HOUR_MS);
  const { status, message } = (await shop.call('GET', `/refunds/${refund}`)).body.refund;
  assert.equal(status, 'failed');
  assert.match(message, /reached the payer after the refund had failed/);
  assert.equal((await balances(shop)).held, before.held - 3_000);
  await assertAgreed(shop);
});
