import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus } from '../../src/core/disputes/states.ts';
import { nextStatus, PAYMENT_STATUSES, PAYMENT_TRIGGERS } from '../../src/core/payments/states.ts';
import { nextRefundStatus, REFUND_STATUSES, REFUND_TRIGGERS } from '../../src/core/refunds/states.ts';
import { nextTransferStatus, TRANSFER_STATUSES, TRANSFER_TRIGGERS } from '../../src/core/transfers/states.ts';
import type { AttemptStatus } from '../../src/core/attempts/schema.ts';
import { codeStatusAfter, REPORTS } from './charge/attempt-code.ts';
import { MACHINES, type MachineName, nextOf, wordsOf } from './machines.ts';

const CODE: Record<
  Exclude<MachineName, 'attempt'>,
  { statuses: readonly string[]; triggers: readonly string[]; next: (s: never, t: never) => string | null }
> = {
  payment: { statuses: PAYMENT_STATUSES, triggers: PAYMENT_TRIGGERS, next: nextStatus },
  refund: { statuses: REFUND_STATUSES, triggers: REFUND_TRIGGERS, next: nextRefundStatus },
  transfer: { statuses: TRANSFER_STATUSES, triggers: TRANSFER_TRIGGERS, next: nextTransferStatus },
  dispute: { statuses: DISPUTE_STATUSES, triggers: DISPUTE_TRIGGERS, next: nextDisputeStatus },
};

for (const machine of Object.keys(CODE) as (keyof typeof CODE)[]) {
  test(`every status and trigger of a ${machine} leads where the model says`, () => {
    const { statuses, triggers, next } = CODE[machine];
    for (const status of statuses) {
      for (const trigger of triggers) {
        assert.equal(next(status as never, trigger as never), nextOf(machine, status, trigger), `${status} ${trigger}`);
      }
    }
    const words = new Set(MACHINES[machine].trim().split(/\s+/));
    assert.deepEqual(
      [...words].filter((word) => ![...statuses, ...triggers].includes(word)),
      [],
    );
  });
}

test('every status and trigger of an attempt leads where the model says', async () => {
  const { statuses, triggers } = wordsOf('attempt');
  assert.deepEqual(statuses.toSorted(), [
    'cancelled',
    'created',
    'expired',
    'failed',
    'open',
    'succeeded',
    'unavailable',
    'unknown',
  ]);
  assert.deepEqual(triggers.toSorted(), Object.keys(REPORTS).toSorted());
  for (const status of statuses as AttemptStatus[]) {
    for (const trigger of triggers) {
      const expected = nextOf('attempt', status, trigger) ?? status;
      assert.equal(await codeStatusAfter(status, trigger), expected, `${status} ${trigger}`);
    }
  }
});
