import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { BreakRow } from '../../src/core/reconciliation/schema.ts';
import { countOf, Ledgers, line, type Made, NOON } from './fixture.ts';

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());
afterEach(async () => {
  await books.db.run(sql`truncate payments, attempts, transfers, refunds, journals, postings, balances, balance_deltas`);
});

const short = ({ kind, action, subject_id }: BreakRow) => [kind, action, subject_id] as const;

type Case = [what: string, make: () => Promise<Made>, line: (made: Made) => string, verdict: string, action?: string];

const CASES: Case[] = [
  ['a capture that stands there', () => books.attempt('succeeded'), ({ key }) => line('collect', key), 'matched'],
  [
    '… with zeros behind its amount',
    () => books.attempt('succeeded'),
    ({ key }) => line('collect', key, { amount: '1000.00' }),
    'matched',
  ],
  [
    '… with another amount',
    () => books.attempt('succeeded'),
    ({ key }) => line('collect', key, { amount: '900' }),
    'amount',
    'correct',
  ],
  [
    '… in another currency',
    () => books.attempt('succeeded'),
    ({ key }) => line('collect', key, { currency: 'XOF' }),
    'amount',
    'correct',
  ],
  [
    '… that failed there',
    () => books.attempt('succeeded'),
    ({ key }) => line('collect', key, { status: 'failed' }),
    'missing_there',
    'none',
  ],
  ['an unknown attempt that succeeded', () => books.attempt('unknown'), ({ key }) => line('collect', key), 'unknown', 'close'],
  ['… that failed', () => books.attempt('open'), ({ key }) => line('collect', key, { status: 'failed' }), 'unknown', 'close'],
  [
    '… with another amount',
    () => books.attempt('unknown'),
    ({ key }) => line('collect', key, { amount: '1500' }),
    'amount',
    'close',
  ],
  ['a failed attempt that succeeded', () => books.attempt('failed'), ({ key }) => line('collect', key), 'late', 'close'],
  [
    '… with another amount',
    () => books.attempt('expired'),
    ({ key }) => line('collect', key, { amount: '5' }),
    'late',
    'correct',
  ],
  ['one that was never sent, they said', () => books.attempt('unavailable'), ({ key }) => line('collect', key), 'late', 'close'],
  ['… that failed there too', () => books.attempt('failed'), ({ key }) => line('collect', key, { status: 'failed' }), 'matched'],
  ['a payout that stands there', () => books.transfer('succeeded', 'closed'), ({ key }) => line('payout', key), 'matched'],
  [
    '… with another amount',
    () => books.transfer('succeeded', 'closed'),
    ({ key }) => line('payout', key, { amount: '1' }),
    'amount',
    'correct',
  ],
  ['a payout under way', () => books.transfer('processing', 'dispatched'), ({ key }) => line('payout', key), 'unknown', 'close'],
  [
    '… with another amount',
    () => books.transfer('processing', 'dispatched'),
    ({ key }) => line('payout', key, { amount: '1' }),
    'amount',
    'none',
  ],
  [
    'a failed payout that was paid',
    () => books.transfer('failed', 'closed'),
    ({ key }) => line('payout', key),
    'late',
    'correct',
  ],
  ['one that waits to be sent', () => books.transfer('processing', 'reserved'), ({ key }) => line('payout', key), 'late', 'none'],
  ['a refund that stands there', () => books.refund('succeeded', 'succeeded'), ({ key }) => line('refund', key), 'matched'],
  ['… as a payout', () => books.refund('succeeded', 'succeeded'), ({ key }) => line('payout', key, { amount: '300' }), 'matched'],
  ['a refund under way', () => books.refund('processing', 'sent'), ({ key }) => line('refund', key), 'unknown', 'close'],
  ['a failed refund that was paid', () => books.refund('failed', 'failed'), ({ key }) => line('refund', key), 'late', 'close'],
  [
    '… with another amount',
    () => books.refund('failed', 'failed'),
    ({ key }) => line('refund', key, { amount: '1' }),
    'late',
    'correct',
  ],
  ['… although it was never sent', () => books.refund('failed', 'waiting'), ({ key }) => line('refund', key), 'late', 'correct'],
  ['one that waits to be sent', () => books.refund('processing', 'waiting'), ({ key }) => line('refund', key), 'late', 'none'],
  ['one that was only created', () => books.refund('pending', 'waiting'), ({ key }) => line('refund', key), 'late', 'none'],
];

describe('the verdict on a line', () => {
  for (const [what, make, write, verdict, action] of CASES) {
    test(`${what}: ${verdict}${action ? `, ${action}` : ''}`, async () => {
      const made = await make();
      const { run, breaks } = await books.reconcile([write(made)]);
      assert.deepEqual(breaks.map(short), verdict === 'matched' ? [] : [[verdict, action, made.id]]);
      assert.deepEqual(
        run.tallies.map(({ verdict, count }) => [verdict, count]),
        [[verdict, 1]],
      );
    });
  }
});

test('nothing matches another key, such as the key of another account, another direction or a part of a key', async () => {
  const other = await books.attempt('succeeded', { account: 'pa_2', at: NOON - 86_400_000 });
  const collected = await books.attempt('succeeded', { at: NOON - 86_400_000 });
  const lines = [line('collect', other.key), line('payout', collected.key), line('collect', collected.key.slice(1))];
  const { breaks } = await books.reconcile(lines);
  assert.deepEqual(
    breaks.map(short),
    lines.map(() => ['missing_here', 'correct', null]),
  );
});

test('payouts and refunds are matched by their keys, however long before they were created', async () => {
  const created = NOON - 70 * 86_400_000;
  const payout = await books.transfer('succeeded', 'closed', created);
  const refund = await books.refund('succeeded', 'succeeded', created);
  const failed = await books.transfer('failed', 'closed', created);
  const lines = [payout, failed].map(({ key }) => line('payout', key));
  const { run, breaks } = await books.reconcile([...lines, line('refund', refund.key), line('payout', refund.key)]);
  assert.equal(countOf(run, 'matched'), 2);
  assert.deepEqual(breaks.map(short), [
    ['duplicate', 'none', refund.id],
    ['late', 'correct', failed.id],
  ]);
});

test('a line without a key is matched by its reference, unless two attempts have that reference', async () => {
  const known = await books.attempt('unknown', { ref: 'R-1' });
  await books.attempt('unknown', { ref: 'R-2' });
  await books.attempt('unknown', { ref: 'R-2' });
  const { breaks } = await books.reconcile([line('collect', '', { ref: 'R-1' }), line('collect', '', { ref: 'R-2' })]);
  assert.deepEqual(breaks.map(short), [
    ['missing_here', 'correct', null],
    ['unknown', 'close', known.id],
  ]);
});

test('a line without a key next to one with the key of the same attempt is a duplicate', async () => {
  const { key, id } = await books.attempt('succeeded', { ref: 'R-9' });
  const { breaks } = await books.reconcile([line('collect', key, { ref: 'R-9' }), line('collect', '', { ref: 'R-9' })]);
  assert.deepEqual(breaks.map(short), [['duplicate', 'none', id]]);
});

test('two lines with one key are a duplicate: with different references it is money, with the same one it is not', async () => {
  const twice = await books.attempt('succeeded', { ref: 'B' });
  const listed = await books.attempt('succeeded');
  const { run, breaks } = await books.reconcile([
    line('collect', twice.key, { ref: 'A', at: '2026-03-10T12:00:01Z' }),
    line('collect', twice.key, { ref: 'B', at: '2026-03-10T12:00:02Z' }),
    line('collect', listed.key, { ref: 'C' }),
    line('collect', listed.key, { ref: 'C' }),
  ]);
  assert.deepEqual(
    breaks.map((row) => [...short(row), row.reference, row.line]),
    [
      ['duplicate', 'correct', twice.id, 'A', 2],
      ['duplicate', 'none', listed.id, 'C', 5],
    ],
  );
  assert.equal(run.tallies.find(({ verdict }) => verdict === 'matched')?.count, 2);
});

test('a payout and a refund with one key, or without keys one reference, are a duplicate: both are outgoing money', async () => {
  const [twice, listed] = [await books.transfer('succeeded', 'closed'), await books.transfer('succeeded', 'closed')];
  await books.db.run(sql`update transfers set provider_ref = 'R' where id = ${listed.id}`);
  const { run, breaks } = await books.reconcile([
    line('payout', twice.key, { ref: 'A' }),
    line('refund', twice.key, { ref: 'B', amount: '500', at: '2026-03-10T12:00:20Z' }),
    line('payout', '', { ref: 'R' }),
    line('refund', '', { ref: 'R', amount: '500', at: '2026-03-10T12:00:20Z' }),
    // Money that came in with this reference is other money.
    line('collect', '', { ref: 'R' }),
  ]);
  assert.deepEqual(
    breaks.map(({ kind, action, flow, line }) => [kind, action, flow, line]),
    [
      ['missing_here', 'correct', 'collect', 6],
      ['duplicate', 'correct', 'refund', 3],
      ['duplicate', 'none', 'refund', 5],
    ],
  );
  assert.equal(run.tallies.find(({ verdict }) => verdict === 'matched')?.count, 2);
});

test('a rejected try next to a successful one is not a duplicate', async () => {
  const { key } = await books.attempt('succeeded');
  const { breaks } = await books.reconcile([line('collect', key, { status: 'failed' }), line('collect', key)]);
  assert.deepEqual(breaks, []);
});

test('a success inside the period without a line is missing there; at the edges nothing is reported', async () => {
  const attempt = await books.attempt('succeeded');
  const payout = await books.transfer('succeeded', 'closed');
  const refund = await books.refund('succeeded', 'succeeded');
  await books.attempt('succeeded', { at: NOON - 3_600_001 });
  await books.attempt('succeeded', { at: NOON + 3_590_000 });
  await books.attempt('succeeded', { account: 'pa_2' });
  await books.attempt('failed');
  const there = await books.attempt('succeeded');
  const { breaks } = await books.reconcile([line('collect', there.key)]);
  assert.deepEqual(
    breaks.map(({ kind, subject_id }) => [kind, subject_id]),
    [attempt, payout, refund].map(({ id }) => ['missing_there', id]),
  );
  const careful = await books.reconcile([line('collect', there.key)], { skew_ms: 3_600_000 });
  assert.deepEqual(careful.breaks, []);
});

test('a pending line decides nothing, and a posted attempt is missing there', async () => {
  const { key, id } = await books.attempt('succeeded');
  const { run, breaks } = await books.reconcile([line('collect', key, { status: 'pending' })]);
  assert.deepEqual([run.reading.pending, breaks.map(short)], [1, [['missing_there', 'none', id]]]);
});

test('a failed line that matches nothing is counted and needs no action', async () => {
  const { run, breaks } = await books.reconcile([line('collect', 'strange', { status: 'failed' })]);
  assert.deepEqual([run.tallies.map(({ verdict }) => verdict), breaks], [['nothing'], []]);
});

test('payouts and refunds of another account are neither matched nor missing', async () => {
  const payout = await books.transfer('succeeded', 'closed');
  const refund = await books.refund('succeeded', 'succeeded');
  await books.db.run(sql`update transfers set provider_account = 'pa_2'`);
  await books.db.run(sql`update attempts set provider_account = 'pa_2'`);
  const { breaks } = await books.reconcile([line('payout', payout.key), line('refund', refund.key)]);
  assert.deepEqual(
    breaks.map(short),
    [payout, refund].map(() => ['missing_here', 'correct', null]),
  );
  assert.deepEqual((await books.reconcile([])).breaks, []);
});

test('the payout of a return belongs to the account that sent it, not to the account that was paid', async () => {
  const { id, of, key } = await books.refund('succeeded', 'succeeded');
  await books.db.run(sql`update attempts set provider_account = 'pa_2' where payment_id = ${of}`);
  await books.db.run(sql`
    update refunds set legs = replace(legs::text, '"provider_ref":null', '"provider_ref":null,"provider_account":"pa_1"')::json where id = ${id}`);
  const { run, breaks } = await books.reconcile([line('payout', key, { amount: '300' })]);
  assert.deepEqual([countOf(run, 'matched'), breaks], [1, []]);
  assert.deepEqual((await books.reconcile([], { account: { id: 'pa_2', name: 'other' } })).breaks, []);
});

test('what was created before the period and sent within it is missing there', async () => {
  const created = NOON - 86_400_000;
  const attempt = await books.attempt('succeeded', { at: created });
  const payout = await books.transfer('succeeded', 'closed', created);
  const refund = await books.refund('succeeded', 'succeeded', created);
  const [sent, ended] = [new Date(NOON), new Date(NOON + 20_000)];
  await books.db.run(sql`update attempts set submitted_at = ${sent}, closed_at = ${ended} where id = ${attempt.id}`);
  await books.db.run(sql`update transfers set dispatched_at = ${sent}, completed_at = ${ended} where id = ${payout.id}`);
  await books.db.run(sql`update refunds set submitted_at = ${sent}, completed_at = ${ended} where id = ${refund.id}`);
  assert.deepEqual(
    (await books.reconcile([])).breaks.map(short),
    [attempt, payout, refund].map(({ id }) => ['missing_there', 'none', id]),
  );
});

test('nothing that began within the tolerated difference of the clocks after the start is missing there', async () => {
  await books.attempt('succeeded', { at: NOON - 3_600_000 + 60_000 });
  const { id } = await books.attempt('succeeded', { at: NOON - 3_600_000 + 180_000 });
  assert.deepEqual((await books.reconcile([], { skew_ms: 120_000 })).breaks.map(short), [['missing_there', 'none', id]]);
});
