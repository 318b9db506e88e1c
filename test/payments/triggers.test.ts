import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Occurrence } from '../../src/core/payments/change.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import { triggerOf } from '../../src/core/payments/triggers.ts';

const payment = { amount_minor: 100n, fee_minor: 3n, captured_minor: 40n, refunded_minor: 30n, bearer: 'merchant' } as PaymentRow;
const trigger = (occurrence: object, of = payment) => triggerOf(of, occurrence as Occurrence);

test('what never changes the status is no trigger; other occurrences are triggers by their name', () => {
  for (const kind of ['tranche_unsent', 'mismatched', 'reversed', 'return_required']) assert.equal(trigger({ kind }), null, kind);
  for (const kind of ['submitted', 'declined', 'payer_cancelled', 'merchant_cancelled', 'window_elapsed']) {
    assert.equal(trigger({ kind }), kind);
  }
});

test('a capture completes the payment when it reaches what the payer is charged, and is no trigger above it', () => {
  const captured = (amount_minor: bigint, bearer: string) =>
    trigger({ kind: 'captured', amount_minor }, { ...payment, bearer } as PaymentRow);
  for (const [bearer, missing] of [
    ['merchant', 60n],
    ['customer', 63n],
  ] as const) {
    assert.equal(captured(1n, bearer), 'part_captured');
    assert.equal(captured(missing - 1n, bearer), 'part_captured');
    assert.equal(captured(missing, bearer), 'captured');
    assert.equal(captured(missing + 1n, bearer), null);
  }
});

test('a refund is full when all refunds reach the amount of the payment', () => {
  for (const [amount_minor, name] of [
    [1n, 'part_refunded'],
    [69n, 'part_refunded'],
    [70n, 'fully_refunded'],
    [71n, 'fully_refunded'],
  ] as const) {
    assert.equal(trigger({ kind: 'refunded', amount_minor }), name);
  }
});
