import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import { methodOptionsFor } from '../../src/edge/checkout/method-options.ts';
import { readConfig } from '../../src/platform/config/config.ts';

test('the methods of a partial payment are those that take the rest', () => {
  const { fees } = readConfig({});
  const kinds = (captured_minor: bigint) => {
    const payment = { amount_minor: 180_000_000n, captured_minor, fee_minor: 0n, currency: 'XAF', bearer: 'merchant' };
    const status = captured_minor > 0n ? 'partial' : 'pending';
    return methodOptionsFor({ ...payment, status, phone: null } as PaymentRow, fees).map(({ kind }) => kind);
  };
  // A card takes 1,500,000 francs.
  assert.deepEqual(kinds(0n), ['mobile_money', 'bank']);
  assert.deepEqual(kinds(45_000_000n), ['mobile_money', 'card', 'bank']);
});
