import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BreakRow, Run, SettledAs } from '../../src/core/reconciliation/schema.ts';
import { pagesOf, reconcile } from '../../src/core/reconciliation/service.ts';
import { settleBreak } from '../../src/core/reconciliation/settle.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { resolveReturn } from '../../src/core/returns/resolve.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { Market, type Shop } from '../setup/market.ts';
import { type Flow, SimulatedProvider } from '../setup/simulated-provider.ts';
import { OPERATOR } from './fixture.ts';

/**
 * The steps of docs/backup.md after a restore. No worker has run since an operation was made, as in a database whose backup is older than
 * the sending; the provider's statement has it as paid.
 */
const DAY_MS = 86_400_000;
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
async function openShop(fates: ConstructorParameters<typeof SimulatedProvider>[1] = {}): Promise<[Shop, string]> {
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
  assert.equal(found.length, 1);
  const [row] = found as [BreakRow];
  return { run, row, about: [row.kind, row.state, row.subject_id] };
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
  const key = await shop.store.db.maybe<{ key: string }>(
    sql`select legs->0->>'provider_key' as key from refunds where id = ${id}`,
  );
  assert.ok(key);
  assert.deepEqual((await stated(shop, 'refund', key.key, 3_000, false)).about, ['late', 'open', id]);
  const ref = { team_id: shop.team_id, id, part: null };
  await assert.rejects(
    resolveRefund(market.api.deps, shop.store, ref, { ...FAILED, as: 'succeeded' }, OPERATOR),
    /there is nothing to resolve/,
  );
  await resolveRefund(market.api.deps, shop.store, ref, FAILED, OPERATOR);
  await settle(shop, await stated(shop, 'refund', key.key, 3_000), 'merchant');
  assert.equal(await balance(shop), before - 300_000);
  assert.equal((await shop.shown(payment)).status, 'succeeded');
  await workersRun(shop);
});

/** A payment that was paid after it had failed: the money goes back to the payer. */
async function owed(): Promise<[Shop, string]> {
  const shop = await market.shop('live', new SimulatedProvider('simulated', { collect: ['late'] }));
  const payment = await shop.order({ amount: 4_000 });
  await shop.charge(payment);
  for (let round = 0; (await shop.shown(payment)).status !== 'failed'; round++) {
    assert.ok(round < 20);
    await shop.pass(2_000);
  }
  const { key } = shop.simulated.succeedLate() ?? assert.fail();
  await shop.notify(key);
  return [shop, payment];
}

const returnOf = ({ store }: Shop, payment: string) =>
  store.db.maybe<{ id: string; state: string; refund_id: string | null }>(
    sql`select id, state, refund_id from returns where payment_id = ${payment}`,
  );

const resolveReturned = (shop: Shop, id: string) =>
  resolveReturn(
    market.api.deps,
    shop.store,
    { team_id: shop.team_id, id },
    { as: 'returned', evidence: 'line 1', author: 'Awa' },
    OPERATOR,
  );

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
  const refund = await shop.store.db.maybe<{ key: string }>(
    sql`select legs->0->>'provider_key' as key from refunds where id = ${refund_id}`,
  );
  assert.deepEqual((await stated(shop, 'refund', refund?.key as string, 4_000)).about, ['late', 'refused', refund_id]);
  await workersRun(shop);
  assert.equal((await returnOf(shop, payment))?.state, 'resolved');
});
