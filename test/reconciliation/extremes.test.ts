import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ledgers, line } from './fixture.ts';

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());

test('a line with an implausible time is an invalid line, and does not change the period', async () => {
  const times = ['0001-01-01T00:00:00Z', '0000-06-01T00:00:00Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00'];
  const lines = [line('collect', 'right'), ...times.map((at, n) => line('collect', `odd-${n}`, { at }))];
  const { run, breaks } = await books.reconcile(lines, { from: null, to: null });
  assert.deepEqual([run.reading.lines, run.reading.bad, breaks.length], [5, 4, 1]);
  const at = '2026-03-10T12:00:10.000Z';
  assert.deepEqual([run.from_at.toISOString(), run.to_at.toISOString()], [at, at]);
});

test('a sum that no integer of the database holds is reported exactly', async () => {
  const LINES = 9_400;
  const lines = Array.from({ length: LINES }, (_, n) => line('collect', `huge-${n}`, { amount: '9999999999999' }));
  const { run } = await books.reconcile(lines);
  assert.deepEqual(run.tallies, [
    { verdict: 'missing_here', flow: 'collect', currency: 'XAF', count: LINES, sum_minor: BigInt(LINES) * 999_999_999_999_900n },
  ]);
});

test('of many invalid lines the first twenty are kept, and all are counted', async () => {
  const { run } = await books.reconcile(Array.from({ length: 30 }, () => 'collect,broken'));
  const { bad, faults } = run.reading;
  assert.deepEqual([bad, faults.length, faults[0]?.line, faults.at(-1)?.line], [30, 20, 2, 21]);
});

test('fees are summed by currency, of the lines whose money moved', async () => {
  const { run } = await books.reconcile([
    ...[line('collect', 'one'), line('collect', 'two'), line('collect', 'three', { currency: 'XOF' })],
    ...[line('collect', 'four', { status: 'failed' }), line('collect', 'five', { status: 'pending' })],
  ]);
  assert.deepEqual(run.reading.fees, [
    { currency: 'XAF', sum_minor: 2_000n },
    { currency: 'XOF', sum_minor: 1_000n },
  ]);
});
