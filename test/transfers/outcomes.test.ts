import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { occurrenceOf } from '../../src/core/transfers/outcomes.ts';
import type { TransferRow } from '../../src/core/transfers/schema.ts';

const PLAN = { first_ms: 7_000, factor: 3, max_ms: 60_000 };

const UNDECIDED: PayoutOutcome[] = [
  { kind: 'unknown', message: 'no answer' },
  { kind: 'not_found' },
  { kind: 'unavailable', message: 'closed' },
];
for (const outcome of UNDECIDED) {
  test(`a payout whose poll returns ${outcome.kind} is polled again on the schedule of the provider`, () => {
    const waits = [0, 1, 2, 50].map((polls) => {
      const occurrence = occurrenceOf({ polls, decision: null } as TransferRow, outcome, 'read', [], PLAN);
      return occurrence.kind === 'waiting' ? occurrence.wait_ms : assert.fail(occurrence.kind);
    });
    assert.deepEqual(waits, [7_000, 21_000, 60_000, 60_000]);
  });
}
