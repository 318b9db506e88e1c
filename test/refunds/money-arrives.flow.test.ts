import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { refundSweep } from '../../src/core/refunds/sweeps.ts';
import { createLog } from '../../src/kit/log.ts';
import type { Db, Sql } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { book } from '../ledger/books.ts';
import { until } from '../setup/api.ts';
import { PENDING, RefundShop } from './support.ts';

/** Refunds that wait for money: they are sent within seconds of its arrival, and hardly tried before. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

async function connected(): Promise<string> {
  const body = { name: 'Boutique', email: 'b@shop.example', split: { type: 'percentage', value: 10 } };
  return (await shop.api.call('POST', '/accounts', { key: shop.key, body })).body.account.id;
}

async function spend(from: Account, amount_minor: bigint): Promise<void> {
  await shop.store.db.transaction((tx) => book(tx, [[from, 'clearing', amount_minor]], { team_id: shop.merchant.team.id }));
}

test('a refund that waits is left alone while there is no money, and sent seconds after it has arrived; then it has not been polled yet', async () => {
  const payment = await shop.paid(100_000);
  await shop.releaseNow();
  const { id } = await shop.refund(payment, 100_000);
  await shop.work(1);
  const waiting = await shop.row(id);
  await shop.work(3, 50_000);
  await shop.paid(10_000);
  await shop.work(2, 10_000);
  assert.deepEqual(await shop.row(id), waiting, 'retained money covers nothing, and nothing was tried');
  await shop.releaseNow();
  await shop.work(1, 2_000);
  const { status, polls } = await shop.row(id);
  assert.deepEqual([status, polls, shop.provider.sent], ['succeeded', 1, [0]]);
});

test('a refund that waits is tried by itself too, every five minutes', async () => {
  const { id } = await shop.refund(await shop.paid(100_000), 100_000);
  await shop.work(1);
  const { polls } = await shop.row(id);
  await shop.work(1, 299_999);
  assert.equal((await shop.row(id)).polls, polls);
  await shop.work(1, 1);
  assert.equal((await shop.row(id)).polls, polls + 1);
});

test('of two refunds that wait, the older is sent when there is enough for one', async () => {
  const [first, second] = [await shop.paid(100_000), await shop.paid(100_000)];
  await shop.releaseNow();
  await spend('available', 19_600_000n);
  const older = await shop.refund(first, 50_000);
  shop.clock.advance(1); // ids of one moment have no order
  const younger = await shop.refund(second, 50_000);
  assert.deepEqual([older.draws, younger.draws], [null, null]);
  await shop.work(1);
  await shop.paid(60_000);
  await shop.releaseNow();
  await shop.work(1, 2_000);
  assert.deepEqual([(await shop.row(older.id)).status, (await shop.row(younger.id)).status], ['succeeded', 'pending']);
});

test('a refund of a split payment waits for the money of the party that lacks it', async () => {
  const account = await connected();
  const payment = await shop.paid(100_000, { 'x-sync': account });
  await shop.releaseNow();
  await spend(`available:${account}`, 8_820_000n);
  const { id, draws } = await shop.refund(payment, 50_000);
  assert.equal(draws, null);
  await shop.work(1);
  const waiting = await shop.row(id);
  await shop.paid(500_000);
  await shop.releaseNow();
  await shop.work(2, 10_000);
  assert.deepEqual(await shop.row(id), waiting, 'the money of the platform does not replace that of the account');
  await shop.paid(60_000, { 'x-sync': account });
  await shop.releaseNow();
  await shop.work(1, 2_000);
  assert.deepEqual([(await shop.row(id)).status, (await shop.books())[`available:${account}`]], ['succeeded', 8_820]);
});

test('other refunds go on when those that wait cannot be compared with the balances', async () => {
  shop.provider.submits.set(0, [PENDING]);
  const { id } = await shop.refund(await shop.paid(100_000), 50_000);
  let failures = 0;
  const db: Db = Object.create(shop.store.db, {
    all: {
      value: async (statement: Sql) => {
        if (!statement.text.includes('lacking')) return shop.store.db.all(statement);
        failures++;
        throw new Error('a statement that takes too long');
      },
    },
  });
  const deps = { ...shop.api.deps, log: createLog({ level: 'silent', format: 'json' }) };
  const sweep = refundSweep(deps, { ...shop.store, db });
  await until(
    async () => {
      shop.clock.advance(120_000);
      await sweep.round();
      return (await shop.row(id)).status;
    },
    (status) => status === 'succeeded',
  );
  assert.equal(failures, 1);
});
