import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isFinal,
  nextStatus,
  PAYMENT_STATUSES,
  PAYMENT_TRIGGERS,
  type PaymentStatus,
  type PaymentTrigger,
} from '../../src/core/payments/states.ts';
import { compareGolden } from '../setup/golden.ts';

test('every status and trigger matches the golden table', () => {
  const lines = PAYMENT_STATUSES.flatMap((status) =>
    PAYMENT_TRIGGERS.map((trigger) => {
      const next = nextStatus(status, trigger) ?? '-';
      return `${status.padEnd(18)} ${trigger.padEnd(18)} ${next}`;
    }),
  );
  const finals = PAYMENT_STATUSES.map((status) => `${status.padEnd(18)} ${isFinal(status) ? 'final' : 'open'}`);
  compareGolden('payment-states.txt', [...lines, '', ...finals]);
});

/** Transitions of the contract, written out once more so that neither the golden file nor docs/contract/states.md can drift. */
const SPECIFIED: [from: PaymentStatus, trigger: PaymentTrigger, to: PaymentStatus | null][] = [
  ['pending', 'window_elapsed', 'expired'],
  ['pending', 'merchant_cancelled', 'cancelled'],
  ['succeeded', 'merchant_cancelled', null],
  ['pending', 'part_captured', 'partial'],
  ['partial', 'captured', 'succeeded'],
  ['succeeded', 'fully_refunded', 'refunded'],
  ['succeeded', 'part_refunded', 'partially_refunded'],
  ['processing', 'merchant_cancelled', null],
  ['pending', 'declined', 'failed'],
  ['processing', 'payer_cancelled', 'cancelled'],
];

for (const [from, trigger, to] of SPECIFIED) {
  test(`${from} and ${trigger} is ${to ?? 'refused'}`, () => assert.equal(nextStatus(from, trigger), to));
}

test('failed, cancelled, expired and refunded are terminal', () => {
  for (const status of ['failed', 'cancelled', 'expired', 'refunded'] as const) {
    for (const trigger of PAYMENT_TRIGGERS) assert.equal(nextStatus(status, trigger), null, `${status} ${trigger}`);
  }
});

test('no status leads back to pending, and only refunds leave succeeded', () => {
  for (const status of PAYMENT_STATUSES) {
    for (const trigger of PAYMENT_TRIGGERS) assert.notEqual(nextStatus(status, trigger), 'pending');
  }
  const left = PAYMENT_TRIGGERS.filter((trigger) => nextStatus('succeeded', trigger) !== null);
  assert.deepEqual(left, ['part_refunded', 'fully_refunded']);
});
