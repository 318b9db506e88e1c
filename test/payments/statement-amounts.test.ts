import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Occurrence } from '../../src/core/payments/change.ts';
import { type Judged, withoutStated } from '../../src/core/payments/statement-amounts.ts';
import type { Tx } from '../../src/kit/sql.ts';

const SUBMITTED = { kind: 'submitted', channel: 'cm.mtn', fee_minor: 100n } as Occurrence;
const MISMATCHED = { kind: 'mismatched', attempt_id: 'att_1', amount_minor: 900n, currency: 'XAF' } as Occurrence;

/** A database in which a statement has shown these amounts of the attempt; it counts the queries. */
function shown(...amounts: [bigint, string][]) {
  const rows = amounts.map(([amount_minor, currency]) => ({ source_id: 'att_1', amount_minor, currency }));
  const database = { queries: 0, tx: {} as Tx };
  const all = async () => {
    database.queries++;
    return rows;
  };
  database.tx = { all } as unknown as Tx;
  return database;
}

function judged(occurrences: Occurrence[]): Judged {
  const update = { status: 'unknown', message: 'another amount', mismatch: { amount_minor: '900' }, mismatches: 1 };
  const change = { team_id: 1n, payment_id: 'trx_1', attempt: { id: 'att_1', update }, occurrences };
  return { payment: { team_id: 1n, id: 'trx_1' }, own: [], change } as unknown as Judged;
}

test('an amount that a statement has shown before is not set aside again, whatever else is reported with it', async () => {
  for (const before of [[], [SUBMITTED]]) {
    const [one] = await withoutStated(shown([900n, 'XAF']).tx, [judged([...before, MISMATCHED])]);
    assert.deepEqual(one?.change.occurrences, before);
    assert.deepEqual(one?.change.attempt?.update, { status: 'unknown', message: 'another amount' });
  }
});

test('an amount or currency that no statement has shown is set aside', async () => {
  for (const amounts of [[], [[901n, 'XAF']], [[900n, 'XOF']]] as [bigint, string][][]) {
    const given = judged([SUBMITTED, MISMATCHED]);
    assert.deepEqual(await withoutStated(shown(...amounts).tx, [given]), [given]);
  }
});

test('changes without a mismatch cost no query', async () => {
  const database = shown([900n, 'XAF']);
  const given = [judged([SUBMITTED])];
  assert.deepEqual([await withoutStated(database.tx, given), database.queries], [given, 0]);
});
