import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFinal, nextTransferStatus, TRANSFER_STATUSES, TRANSFER_TRIGGERS } from '../../src/core/transfers/states.ts';

test('every trigger is tested in every status', () => {
  const lines = TRANSFER_STATUSES.flatMap((status) =>
    TRANSFER_TRIGGERS.map((trigger) => {
      return `${status} ${trigger} ${nextTransferStatus(status, trigger) ?? '-'}`;
    }),
  );
  assert.deepEqual(lines, [
    'processing uncovered failed',
    'processing sending processing',
    'processing unsent processing',
    'processing waiting processing',
    'processing succeeded succeeded',
    'processing failed failed',
    'processing cancelled cancelled',
    ...['succeeded', 'failed', 'cancelled'].flatMap((final) => TRANSFER_TRIGGERS.map((trigger) => `${final} ${trigger} -`)),
  ]);
});

test('only processing has transitions', () => {
  assert.deepEqual(
    TRANSFER_STATUSES.filter((status) => !isFinal(status)),
    ['processing'],
  );
});
