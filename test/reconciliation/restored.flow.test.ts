import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BreakRow, Run, SettledAs } from '../../src/core/reconciliation/schema.ts';
import { pagesOf, reconcile } from '../../src/core/reconciliation/service.ts';
import { settleBreak } from '../../src/core/reconciliation/settle.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { resolveReturn } from '../../src/core/returns/resolve.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { Market, type Shop } from '../setup/market.ts';
import { type Fate, type Flow, SimulatedProvider } from '../setup/simulated-provider.ts';
import { OPERATOR } from './fixture.ts';

/**
 * The steps of docs/backup.md after a restore. No worker has run since an operation was made, as in a database whose backup is older than
 * the sending; the provider's statement has it as paid.
 */
const DAY_MS = 86_400_000;
/** A worker sends a refund this long after it was made. */
const SENT_MS = 2_000;
const SUCCEEDED = { as: 'succeeded', evidence: 'paid after the backup, line 1', author: 'Awa' } as const;
const FAILED = { as: 'failed', evidence: 'paid after the backup, line 1', author: 'Awa' } as const;

let market: Market;
/** As the commands of an operator connect. */
let db: DbPool;
before(async () => {
  market = await Market.open();
  db = openPool({ url: market.api.databases.live, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await db.close();
  await market.api.stop();
});

/** A shop with a paid payment of 10,000, whose money is available. */
async function openShop(fates: Made[0] = {}): Promise<[Shop, string]> {
  const shop = await market.shop('live', new SimulatedProvider('simulated', { collect: ['at_once'], ...fates }));
  const payment = await shop.paid({ amount: 10_000 });
  await shop.pass(8 * DAY_MS);
  return [shop, payment];
}

async function balance({ store, team_id }: Shop, account = 'available'): Promise<number> {
  const row = await store.db.maybe<{ amount: number }>(sql`
    select coalesce(sum(case when credit = ${account} then amount_minor else -amount_minor end), 0)::integer as amount
    from postings where team_id = ${team_id} and ${account} in (debit, credit)`);
  return row?.amount ?? 0;
}

/** Compares one line of the statement, as `pirogue reconcile` does. */
async function stated(shop: Shop, flow: Flow, key: string, amount: number, apply = true) {
  const { run, found } = await compared(shop, flow, key, amount, apply);
  assert.equal(found.length, 1);
  const [row] = found as [BreakRow];
  return { run, row, about: [row.kind, row.state, row.subject_id] };
}

/** Compares one line, and returns the breaks that may need a decision. */
async function compared(shop: Shop, flow: Flow, key: string, amount: number, apply = true) {
  const at = market.clock.now();
  const line = `${flow},${key},ref-${key},${amount},XAF,${new Date(at).toISOString()},succeeded`;
  const request = {
    ...{ team_id: shop.team_id, provider: 'simulated', account: { id: 'simulated', name: 'main' }, file_name: 'november.csv' },
    ...{ from: new Date(at - DAY_MS), to: new Date(at), skew_ms: 0, apply, force: false, progress: () => undefined },
    open: async function* () {
      yield Buffer.from(`type,key,reference,amount,currency,at,status\n${line}\n`);
    },
  };
  const run = await reconcile(market.api.deps, { environment: 'live', db }, request, OPERATOR);
  const found: BreakRow[] = [];
  for (const kind of ['missing_here', 'late'] as const) for await (const page of pagesOf({ db }, run, kind)) found.push(...page);
  return { run, found };
}

function settle({ team_id }: Shop, { run, row }: { run: Run; row: BreakRow }, as: SettledAs) {
  const ref = { team_id, run_id: run.id, id: row.id };
  return settleBreak(market.api.deps, { environment: 'live', db }, ref, { as, evidence: 'line 1', author: 'Awa' }, OPERATOR);
}

/** Workers run; what was ended is not sent. */
async function workersRun(shop: Shop): Promise<void> {
  const sent = shop.simulated.operations.size;
  for (let round = 0; round < 5; round++) await shop.pass(60_000);
  assert.equal(shop.simulated.operations.size, sent);
  assert.equal(await balance(shop, 'hold'), 0);
  assert.deepEqual(await shop.differences(), []);
}

test('a payout that was not sent: it is ended, and the line is settled from the balance', async () => {
  const [shop] = await openShop();
  const before = await balance(shop);
  const { id, fee } = (await shop.transfer(5_000)).body.transfer;
  assert.equal(await balance(shop), before - (5_000 + fee) * 100);
  // Providers list most payouts under a key that is derived from the id. A payout has none before it is sent.
  assert.deepEqual((await stated(shop, 'payout', `key-of-${id}`, 5_000, false)).about, ['missing_here', 'open', null]);
  const ref = { team_id: shop.team_id, id };
  await assert.rejects(
    resolveTransfer(market.api.deps, shop.store, ref, { ...FAILED, as: 'succeeded' }, OPERATOR),
    /there is nothing to resolve/,
  );
  await resolveTransfer(market.api.deps, shop.store, ref, FAILED, OPERATOR);
  await settle(shop, await stated(shop, 'payout', `key-of-${id}`, 5_000), 'merchant');
  assert.equal(await balance(shop), before - 500_000, 'the fee was returned');
  await workersRun(shop);
});

test('a payout that an account had turned away before: the same steps', async () => {
  const [shop] = await openShop({ payout: ['unavailable'] });
  const before = await balance(shop);
  const { id } = (await shop.transfer(5_000)).body.transfer;
  await shop.pass(1);
  assert.deepEqual((await stated(shop, 'payout', id, 5_000, false)).about, ['late', 'open', id]);
  await resolveTransfer(market.api.deps, shop.store, { team_id: shop.team_id, id }, FAILED, OPERATOR);
  await settle(shop, await stated(shop, 'payout', id, 5_000), 'merchant');
  assert.equal(await balance(shop), before - 500_000);
  await workersRun(shop);
});

test('a refund that was not sent: it is ended, and the line is settled from the balance; the payment does not count it', async () => {
  const [shop, payment] = await openShop();
  const before = await balance(shop);
  const id = (await shop.refund(payment, 3_000)) as string;
  const key = await keyOf(shop, id);
  assert.deepEqual((await stated(shop, 'refund', key, 3_000, false)).about, ['late', 'open', id]);
  const ref = { team_id: shop.team_id, id, part: null };
  await assert.rejects(
    resolveRefund(market.api.deps, shop.store, ref, { ...FAILED, as: 'succeeded' }, OPERATOR),
    /there is nothing to resolve/,
  );
  await resolveRefund(market.api.deps, shop.store, ref, FAILED, OPERATOR);
  await settle(shop, await stated(shop, 'refund', key, 3_000), 'merchant');
  assert.equal(await balance(shop), before - 300_000);
  assert.equal((await shop.shown(payment)).status, 'succeeded');
  await workersRun(shop);
});

test('a refund that a provider had turned away: it is resolved as succeeded', async () => {
  for (const fate of ['unavailable', 'unfunded'] as const) {
    const [shop, payment] = await openShop({ refund: [fate] });
    const before = await balance(shop);
    const id = (await shop.refund(payment, 3_000)) as string;
    await shop.pass(SENT_MS);
    await resolveRefund(market.api.deps, shop.store, { team_id: shop.team_id, id, part: null }, SUCCEEDED, OPERATOR);
    const key = await keyOf(shop, id);
    // One that the account could not pay is sent under a new key, which the restored database does not have.
    if (fate === 'unavailable') assert.deepEqual((await compared(shop, 'refund', key, 3_000)).found, []);
    else await settle(shop, await stated(shop, 'refund', 'key-after-the-backup', 3_000), 'undone');
    assert.equal(await balance(shop), before - 300_000);
    assert.equal((await shop.shown(payment)).status, 'partially_refunded');
    await workersRun(shop);
  }
});

/** Fates and abilities of a provider. */
type Made = [fates?: Partial<Record<Flow, Fate[]>>, abilities?: { refunds: boolean }];

/** A payment that was paid after it had failed: the money goes back to the payer. */
async function owed(...made: Made): Promise<[Shop, string]> {
  const [shop, payment, key] = await paidLate(...made);
  await shop.notify(key);
  return [shop, payment];
}

/** A payment that was paid after it had failed, which nothing has reported yet. */
async function paidLate(...[fates, abilities]: Made): Promise<[Shop, string, string]> {
  const shop = await market.shop('live', new SimulatedProvider('simulated', { collect: ['late'], ...fates }, abilities));
  const payment = await shop.order({ amount: 4_000 });
  await shop.charge(payment);
  for (let round = 0; (await shop.shown(payment)).status !== 'failed'; round++) {
    assert.ok(round < 20);
    await shop.pass(2_000);
  }
  const { key } = shop.simulated.succeedLate() ?? assert.fail();
  return [shop, payment, key];
}

const returnOf = ({ store }: Shop, payment: string) =>
  store.db.maybe<{ id: string; state: string; refund_id: string | null; payout_id: string | null }>(
    sql`select id, state, refund_id, payout_id from returns where payment_id = ${payment}`,
  );

const resolveReturned = (shop: Shop, id: string, as: 'returned' | 'kept' = 'returned') =>
  resolveReturn(market.api.deps, shop.store, { team_id: shop.team_id, id }, { ...FAILED, as }, OPERATOR);

async function keyOf({ store }: Shop, refund_id: string): Promise<string> {
  const row = await store.db.maybe<{ key: string }>(
    sql`select legs->0->>'provider_key' as key from refunds where id = ${refund_id}`,
  );
  return row?.key ?? assert.fail();
}

test('a return whose refund was made after the backup: it is resolved as returned, and the line is undone', async () => {
  const [shop, payment] = await owed();
  const { id, state } = (await returnOf(shop, payment)) ?? assert.fail();
  assert.equal(state, 'owed');
  await resolveReturned(shop, id);
  await settle(shop, await stated(shop, 'refund', 'key-after-the-backup', 4_000), 'undone');
  await workersRun(shop);
  assert.equal((await returnOf(shop, payment))?.state, 'resolved');
});

test('a return whose refund was not sent: the refund is ended, the return is resolved, and the line moves no money', async () => {
  const [shop, payment] = await owed();
  await returnSweep(market.api.deps, shop.store).round();
  const { id, state, refund_id } = (await returnOf(shop, payment)) ?? assert.fail();
  assert.equal(state, 'refunding');
  await assert.rejects(resolveReturned(shop, id), new RegExp(`"pirogue resolve ${refund_id}" decides`));
  const ref = { team_id: shop.team_id, id: refund_id as string, part: null };
  await resolveRefund(market.api.deps, shop.store, ref, FAILED, OPERATOR);
  await resolveReturned(shop, id);
  assert.deepEqual((await stated(shop, 'refund', await keyOf(shop, refund_id as string), 4_000)).about, [
    'late',
    'refused',
    refund_id,
  ]);
  await workersRun(shop);
  assert.equal((await returnOf(shop, payment))?.state, 'resolved');
});

test('a return whose refund or payout a provider had turned away: it is resolved as succeeded, which ends the return', async () => {
  for (const [way, state] of [
    ['refund', 'refunding'],
    ['payout', 'paying_out'],
  ] as const) {
    const [shop, payment] = await owed({ [way]: ['unavailable'] }, { refunds: way === 'refund' });
    await shop.pass(1);
    await shop.pass(SENT_MS);
    const { state: now, refund_id, payout_id } = (await returnOf(shop, payment)) ?? assert.fail();
    assert.equal(now, state);
    const id = (refund_id ?? payout_id) as string;
    await resolveRefund(market.api.deps, shop.store, { team_id: shop.team_id, id, part: null }, SUCCEEDED, OPERATOR);
    if (way === 'refund') assert.deepEqual((await compared(shop, way, await keyOf(shop, id), 4_000)).found, []);
    else await settle(shop, await stated(shop, way, 'key-after-the-backup', 4_000), 'undone');
    await workersRun(shop);
    assert.equal((await returnOf(shop, payment))?.state, 'returned');
  }
});

test('a return that the statement creates: it is listed before workers start, and ended like another', async () => {
  const [shop, payment, key] = await paidLate();
  assert.deepEqual((await stated(shop, 'collect', key, 4_000)).about.slice(0, 2), ['late', 'closed']);
  const line = await stated(shop, 'refund', 'key-after-the-backup', 4_000);
  assert.deepEqual(line.about, ['missing_here', 'held', null]);
  const { id, state } = (await returnOf(shop, payment)) ?? assert.fail();
  assert.equal(state, 'owed');
  await resolveReturned(shop, id);
  await settle(shop, line, 'undone');
  await workersRun(shop);
  assert.equal((await returnOf(shop, payment))?.state, 'resolved');
});

/** A payment of two tranches, of which one was captured. */
async function halfPaid(fates: Made[0]): Promise<[Shop, string]> {
  const shop = await market.shop('live', new SimulatedProvider('simulated', fates));
  const payment = await shop.order({ amount: 700_000 });
  await shop.charge(payment);
  assert.equal((await shop.shown(payment)).status, 'partial');
  return [shop, payment];
}

/** A worker that reaches no provider makes the return of a payment whose window is over. Its refund has not arrived. */
async function returnedInVain(fate: Fate) {
  const [shop, payment] = await halfPaid({ collect: ['at_once'], refund: [fate] });
  await shop.pass(2 * DAY_MS);
  await shop.pass(SENT_MS);
  const { id, state, refund_id } = (await returnOf(shop, payment)) ?? assert.fail();
  assert.deepEqual([state, (await shop.shown(payment)).status], ['refunding', 'expired']);
  return { shop, payment, id, ref: { team_id: shop.team_id, id: refund_id as string, part: null } };
}

test('a payment in tranches whose window is over, returned after the backup: the refund is resolved, and the line is undone', async () => {
  for (const fate of ['unavailable', 'vanished'] as const) {
    const { shop, payment, ref } = await returnedInVain(fate);
    await resolveRefund(market.api.deps, shop.store, ref, SUCCEEDED, OPERATOR);
    await settle(shop, await stated(shop, 'refund', 'key-after-the-backup', 350_000), 'undone');
    await workersRun(shop);
    assert.equal((await returnOf(shop, payment))?.state, 'returned');
  }
});

test('a payment in tranches whose window is over, paid in full after the backup: the merchant keeps both tranches', async () => {
  const { shop, payment, id, ref } = await returnedInVain('vanished');
  const before = await balance(shop);
  market.clock.advance(120_000);
  await resolveRefund(market.api.deps, shop.store, ref, FAILED, OPERATOR);
  await resolveReturned(shop, id, 'kept');
  await settle(shop, await stated(shop, 'collect', 'key-after-the-backup', 350_000), 'merchant');
  assert.equal(await balance(shop), before + 70_000_000);
  await workersRun(shop);
  assert.equal((await returnOf(shop, payment))?.state, 'resolved');
});

test('a payment in tranches whose window is open: a worker that reaches no provider makes the charge, which is resolved', async () => {
  for (const fate of ['unavailable', 'vanished'] as const) {
    const [shop, payment] = await halfPaid({ collect: ['at_once', fate] });
    await shop.pass(3_600_000);
    const attempt = await shop.store.db.maybe<{ id: string; status: string }>(
      sql`select id, status from attempts where payment_id = ${payment} order by id desc limit 1`,
    );
    assert.equal(attempt?.status, fate === 'unavailable' ? 'unavailable' : 'unknown');
    const ref = { team_id: shop.team_id, id: attempt?.id as string };
    await resolveAttempt(market.api.deps, shop.store, ref, SUCCEEDED, OPERATOR);
    assert.equal((await shop.shown(payment)).status, 'succeeded');
    await settle(shop, await stated(shop, 'collect', 'key-after-the-backup', 350_000), 'undone');
    await workersRun(shop);
  }
});
