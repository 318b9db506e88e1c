import { test } from 'node:test';
import { DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus } from '../../src/core/disputes/states.ts';
import { nextRefundStatus, REFUND_STATUSES, REFUND_TRIGGERS } from '../../src/core/refunds/states.ts';
import { compareGolden } from '../setup/golden.ts';

/** The full cross product, one line each: status, trigger, what follows. */
function table<S extends string, T extends string>(
  statuses: readonly S[],
  triggers: readonly T[],
  next: (status: S, trigger: T) => S | null,
): string[] {
  return statuses.flatMap((status) =>
    triggers.map((trigger) => `${status.padEnd(16)} ${trigger.padEnd(24)} ${next(status, trigger) ?? '-'}`),
  );
}

test('every refund status × every trigger is the golden table', () => {
  compareGolden('refund-states.txt', table(REFUND_STATUSES, REFUND_TRIGGERS, nextRefundStatus));
});

test('every dispute status × every trigger is the golden table', () => {
  compareGolden('dispute-states.txt', table(DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus));
});
