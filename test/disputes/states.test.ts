import { test } from 'node:test';
import { DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus } from '../../src/core/disputes/states.ts';
import { compareGolden, transitionLines } from '../setup/golden.ts';

test('every dispute status and trigger matches the golden table', () => {
  compareGolden('dispute-states.txt', transitionLines(DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus));
});
