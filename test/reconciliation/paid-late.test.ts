import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { Ledgers, line } from './fixture.ts';

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());
afterEach(async () => {
  await books.db.run(
    sql`truncate events, payments, attempts, refunds, journals, postings, balances, balance_deltas, audit_entries, settlement_items cascade`,
  );
});

const APPLY = { apply: true };
const booked = () => books.booked();

test("a merchant's failed refund that was paid after all is drawn again and counted, once", async () => {
  const { of, key } = await books.refund('failed', 'failed');
  await books.db.run(sql`
    insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at, released_at)
    select ${books.team_id}, ${of}, party, 'XAF', 50000, 0, now(), now() from unnest(array['', 'acct_1']) as party`);
  const { breaks } = await books.reconcile([line('refund', key)], APPLY);
  assert.deepEqual(
    breaks.map(({ kind, state, outcome }) => [kind, state, outcome]),
    [['late', 'closed', 'late success; refund failed']],
  );
  const wanted = [
    'refund.leg:0 30000 XAF refund_clearing > clearing',
    'refund.drawn_late:0 15000 XAF credit > refund_clearing',
    'refund.drawn_late:0 15000 XAF credit:acct_1 > refund_clearing',
  ];
  assert.deepEqual(await booked(), wanted);
  const payment = () => books.one(sql`select status, refunded_minor from payments where id = ${of}`);
  assert.deepEqual(await payment(), { status: 'partially_refunded', refunded_minor: 30_000n });
  assert.deepEqual((await books.reconcile([line('refund', key), ''], { ...APPLY, file_name: 'overlapping.csv' })).breaks, []);
  assert.deepEqual([await booked(), await payment()], [wanted, { status: 'partially_refunded', refunded_minor: 30_000n }]);
});

test('a refund that was paid late is missing in no statement that ends before', async () => {
  const { key } = await books.refund('failed', 'failed');
  await books.reconcile([line('refund', key)], APPLY);
  const other = await books.attempt('succeeded');
  const { breaks } = await books.reconcile([line('collect', other.key)], APPLY);
  assert.deepEqual(breaks, []);
});

test('a failed refund that was paid with another amount is set aside once, also when another statement has the same amount', async () => {
  const { key } = await books.refund('failed', 'failed');
  for (const [amount, wanted] of [
    ['200', 'held'],
    ['300', 'refused'],
  ] as const) {
    const { breaks } = await books.reconcile([line('refund', key, { amount })], APPLY);
    assert.deepEqual(
      breaks.map(({ kind, state, action }) => [kind, state, action]),
      [['late', wanted, 'correct']],
    );
  }
  assert.deepEqual(await booked(), ['reconciliation.late 20000 XAF hold > clearing']);
});
