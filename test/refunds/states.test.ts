import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFinal, nextRefundStatus, REFUND_STATUSES, REFUND_TRIGGERS } from '../../src/core/refunds/states.ts';
import { compareGolden, transitionLines } from '../setup/golden.ts';

test('every refund status and trigger matches the golden table', () => {
  compareGolden('refund-states.txt', transitionLines(REFUND_STATUSES, REFUND_TRIGGERS, nextRefundStatus));
});

test('a refund is final once it succeeded or failed', () => {
  assert.deepEqual(REFUND_STATUSES.filter(isFinal), ['succeeded', 'failed']);
});
