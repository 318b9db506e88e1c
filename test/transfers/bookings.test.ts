import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transferEvent } from '../../src/core/transfers/apply.ts';
import { dispatchedJournal, reservedJournal, returnedJournal, succeededJournal } from '../../src/core/transfers/bookings.ts';
import { presentTransfer } from '../../src/core/transfers/present.ts';
import type { TransferRow } from '../../src/core/transfers/schema.ts';
import type { Journal } from '../../src/money/ledger/post.ts';

const row = { team_id: 7n, id: 'po_1', currency: 'XAF', amount_minor: 1_000n, fee_minor: 50n } as TransferRow;
const returned = (stage: TransferRow['stage']) => returnedJournal({ ...row, stage });

const JOURNALS: [name: string, journal: Journal, kind: string, postings: [string, string, bigint][]][] = [
  ['reserved', reservedJournal(row), 'transfer.reserved', [['available', 'reserved', 1_050n]]],
  ['sent', dispatchedJournal(row), 'transfer.dispatched', [['reserved', 'in.transit', 1_000n]]],
  [
    'successful',
    succeededJournal(row),
    'transfer.succeeded',
    [
      ['in.transit', 'clearing', 1_000n],
      ['reserved', 'fee_income', 50n],
    ],
  ],
  [
    'ended after it was sent',
    returned('dispatched'),
    'transfer.returned',
    [
      ['in.transit', 'available', 1_000n],
      ['reserved', 'available', 50n],
    ],
  ],
  [
    'ended before it was sent',
    returned('reserved'),
    'transfer.returned',
    [
      ['reserved', 'available', 1_000n],
      ['reserved', 'available', 50n],
    ],
  ],
];

for (const [name, journal, kind, postings] of JOURNALS) {
  test(`a transfer that is ${name} is booked once, under its own id, amount and fee apart`, () => {
    assert.deepEqual(journal, {
      ...{ team_id: 7n, kind, source_id: 'po_1', subject_id: 'po_1', currency: 'XAF' },
      postings: postings.map(([debit, credit, amount_minor]) => ({ debit, credit, amount_minor })),
    });
  });
}

test('the event of a transfer has the type of its status, created for the first, and its number', () => {
  const created = {
    ...row,
    status: 'processing',
    event_count: 3,
    created_at: new Date(1),
    updated_at: new Date(2),
  } as TransferRow;
  const types = (['processing', 'succeeded', 'failed', 'cancelled'] as const).map(
    (status) => transferEvent('live', { ...created, status }).type,
  );
  assert.deepEqual(types, ['transfer.created', 'transfer.succeeded', 'transfer.failed', 'transfer.cancelled']);
  assert.deepEqual(transferEvent('live', created), {
    ...{ team_id: 7n, type: 'transfer.created', resource_id: 'po_1', sequence: 3 },
    data: presentTransfer('live', created),
  });
});
