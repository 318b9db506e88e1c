import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { claimDueAttempts } from '../../src/core/attempts/store.ts';
import { claimDueReturns, countOpen } from '../../src/core/obligations/store.ts';
import { claimContinuing, lockExpired } from '../../src/core/payments/store.ts';
import { claimDueRefunds } from '../../src/core/refunds/store.ts';
import { claimDueTransfers } from '../../src/core/transfers/store.ts';
import { type Queryable, type Sql, sql } from '../../src/kit/sql.ts';
import { duePayments, releasesOf } from '../../src/money/settlement/store.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';

/** Which rows the sweeps of the money rooms take: those that are due, the oldest first, each by one worker until its lease is over. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

const NOW = new Date('2030-01-01T00:00:00Z');
const LEASE_MS = 60_000;
const at = (ms: number) => new Date(NOW.getTime() + ms);

interface Claim {
  table: string;
  column: string;
  /** Conditions of rows that can be claimed at all. */
  of: string;
  claim(db: Queryable, now: Date, limit: number, skip: readonly string[]): Promise<{ id: string; account: string | null }[]>;
}

const CLAIMS: Claim[] = [
  {
    ...{ table: 'attempts', column: 'next_poll_at', of: 'true' },
    claim: async (db, now, limit, skip) =>
      (await claimDueAttempts(db, now, LEASE_MS, limit, skip)).map(({ id, provider_account }) => ({
        id,
        account: provider_account,
      })),
  },
  {
    ...{ table: 'refunds', column: 'next_poll_at', of: `way = 'refund'` },
    claim: async (db, now, limit, skip) =>
      (await claimDueRefunds(db, now, LEASE_MS, limit, skip)).map(({ refund, provider_account }) => ({
        id: refund.id,
        account: provider_account,
      })),
  },
  {
    ...{ table: 'returns', column: 'next_step_at', of: 'true' },
    claim: async (db, now, limit, skip) =>
      (await claimDueReturns(db, now, LEASE_MS, limit, skip)).map(({ id, provider_account }) => ({
        id,
        account: provider_account,
      })),
  },
  {
    ...{ table: 'transfers', column: 'next_poll_at', of: 'true' },
    claim: async (db, now, limit, skip) =>
      (await claimDueTransfers(db, now, LEASE_MS, limit, skip)).map(({ id, provider_account }) => ({
        id,
        account: provider_account,
      })),
  },
  {
    ...{ table: 'payments', column: 'continue_at', of: 'true' },
    claim: async (db, now, limit, skip) =>
      (await claimContinuing(db, now, LEASE_MS, limit, skip)).map(({ id, provider_account }) => ({
        id,
        account: provider_account,
      })),
  },
];

const text = (statement: string): Sql => ({ text: statement, values: [] });

/** Two rows of the table: the second has been due for longer. */
async function dueRows({ table, column, of }: Claim): Promise<[string, string]> {
  const { owner } = twins;
  const rows = await owner.all<{ id: string }>(text(`select id from ${table} where ${of} order by id limit 2`));
  assert.equal(rows.length, 2, `${table} has two rows`);
  const [young, old] = rows.map(({ id }) => id) as [string, string];
  await owner.run(text(`update ${table} set ${column} = null`));
  await owner.run({ text: `update ${table} set ${column} = $1 where id = $2`, values: [NOW, young] });
  await owner.run({ text: `update ${table} set ${column} = $1 where id = $2`, values: [at(-5_000), old] });
  return [young, old];
}

for (const one of CLAIMS) {
  const idsOf = async (now: Date, limit = 10, skip: readonly string[] = []) =>
    (await one.claim(twins.owner, now, limit, skip)).map(({ id }) => id).sort();

  test(`${one.table}: what is due is claimed, the oldest first, once for the time of the lease`, async () => {
    const [young, old] = await dueRows(one);
    assert.deepEqual(await idsOf(at(-5_001)), []);
    assert.deepEqual(await idsOf(at(-5_000)), [old]);
    assert.deepEqual(await idsOf(NOW), [young]);
    assert.deepEqual(await idsOf(at(LEASE_MS - 5_001)), []);
    assert.deepEqual(await idsOf(at(LEASE_MS - 5_000)), [old]);
    await dueRows(one);
    assert.deepEqual(await idsOf(NOW, 1), [old]);
  });

  test(`${one.table}: rows of an account with enough calls are left, and so are rows that another worker holds`, async () => {
    const [young, old] = await dueRows(one);
    const claimed = await one.claim(twins.owner, NOW, 10, [`${twins.team_id} another`]);
    assert.equal(claimed.length, 2);
    const { account } = claimed[0] as { account: string | null };
    await dueRows(one);
    const left = await idsOf(NOW, 10, [`${twins.team_id} ${account ?? 'cm.mtn'}`]);
    assert.ok(!left.includes(claimed[0]?.id as string));
    await dueRows(one);
    await twins.owner.transaction(async (tx) => {
      await tx.run({ text: `select 1 from ${one.table} where id = $1 for update`, values: [old] });
      assert.deepEqual(await idsOf(NOW), [young], 'without waiting for the other');
    });
  });
}

test('a payment expires when its window is over, it is unpaid, and no attempt is under way', async () => {
  const { owner, partial, open } = twins;
  const expired = () => owner.transaction(async (tx) => (await lockExpired(tx, NOW, 10)).map(({ id }) => id));
  await owner.run(sql`update payments set expires_at = ${NOW} where id = ${partial.id}`);
  for (const status of ['created', 'open', 'unknown']) {
    await owner.run(sql`update attempts set status = ${status} where id = ${open.id}`);
    assert.deepEqual(await expired(), [], status);
  }
  await owner.run(sql`update attempts set status = 'failed' where id = ${open.id}`);
  assert.deepEqual(await expired(), [partial.id]);
  await owner.run(sql`update payments set status = 'pending' where id = ${partial.id}`);
  assert.deepEqual(await expired(), [partial.id]);
  for (const status of ['processing', 'succeeded', 'expired', 'failed']) {
    await owner.run(sql`update payments set status = ${status} where id = ${partial.id}`);
    assert.deepEqual(await expired(), [], status);
  }
  await owner.run(sql`update payments set status = 'pending', expires_at = ${at(1)} where id = ${partial.id}`);
  assert.deepEqual(await expired(), []);
});

test('retained money is released when its time has come, unless it was released or its row is wrong', async () => {
  const { owner, payment, dispute } = twins;
  const due = async (now: Date, limit = 10) => (await duePayments(owner, now, limit)).map(({ payment_id }) => payment_id);
  await owner.run(sql`update settlement_items set release_at = ${at(-5)}, released_at = null`);
  await owner.run(sql`update settlement_items set release_at = ${NOW} where payment_id = ${payment.id}`);
  assert.deepEqual(await due(at(-6)), []);
  assert.deepEqual(await due(at(-5)), [dispute.payment_id]);
  assert.deepEqual((await due(NOW)).sort(), [payment.id, dispute.payment_id].sort());
  assert.deepEqual(await due(NOW, 1), [dispute.payment_id], 'the oldest first');
  await owner.run(sql`update settlement_items set released_at = ${NOW} where payment_id = ${payment.id}`);
  assert.deepEqual(await due(NOW), [dispute.payment_id]);
});

test('the batches that released a payment are listed once each', async () => {
  const { owner, team_id, payment } = twins;
  await owner.run(sql`
    insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at, released_at, released_by)
    select ${team_id}, ${payment.id}, 'acct_' || n, 'XAF', 100, 0, ${NOW}, ${NOW}, 'batch_' || n / 2 from generate_series(2, 5) n`);
  assert.deepEqual(await releasesOf(owner, team_id, payment.id), ['batch_1', 'batch_2']);
});

test('open returns are counted by state with the age of the oldest; closed ones are not', async () => {
  const { owner, owed } = twins;
  await owner.run(sql`update returns set state = 'owed', created_at = ${at(-9_000)}, waiting_since = null, closed_at = null`);
  assert.deepEqual(await countOpen(owner, NOW, 10), [{ state: 'owed', count: 2, oldest_seconds: 9 }]);
  await owner.run(sql`update returns set state = 'waiting', waiting_since = ${at(-4_000)} where id = ${owed.id}`);
  const both = (await countOpen(owner, NOW, 10)).map(({ state, count, oldest_seconds }) => `${state} ${count} ${oldest_seconds}`);
  assert.deepEqual(both.sort(), ['owed 1 9', 'waiting 1 4']);
  await owner.run(sql`update returns set state = 'returned', closed_at = ${NOW} where id = ${owed.id}`);
  assert.deepEqual(await countOpen(owner, NOW, 10), [{ state: 'owed', count: 1, oldest_seconds: 9 }]);
  assert.deepEqual(await countOpen(owner, at(-10_000), 10), [{ state: 'owed', count: 1, oldest_seconds: 0 }]);
});
