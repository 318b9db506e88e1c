import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTranche, trancheOf } from '../../src/core/charge/tranches.ts';
import { maxChargeOf } from '../../src/providers/reference/largest.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Channel } from '../../src/providers/reference/channels.ts';

function channel(kind: Channel['kind'], currency: string, max_minor: bigint | null, step_minor = 100n): Channel {
  const limits = max_minor === null ? {} : { [currency]: { min_minor: 100n, max_minor, step_minor } };
  return { id: 'xx.test', name: 'Test', kind, country: 'CM', currencies: ['XAF'], limits, prefixes: [] };
}

const wallet = (max_minor: bigint | null, step_minor?: bigint) => channel('mobile_money', 'XAF', max_minor, step_minor);

test('the largest charge is the channel’s, and at most 500,000 for Mobile Money in CFA francs', () => {
  assert.equal(maxChargeOf(wallet(30_000_000n), 'XAF'), 30_000_000n);
  assert.equal(maxChargeOf(wallet(50_000_000n), 'XAF'), 50_000_000n);
  assert.equal(maxChargeOf(wallet(150_000_000n), 'XAF'), 50_000_000n);
  assert.equal(maxChargeOf(channel('mobile_money', 'XOF', 150_000_000n), 'XOF'), 50_000_000n);
  assert.equal(maxChargeOf(channel('mobile_money', 'KES', 150_000_000n), 'KES'), 150_000_000n);
  assert.equal(maxChargeOf(channel('bank', 'XAF', 150_000_000n), 'XAF'), 150_000_000n);
  assert.equal(maxChargeOf(wallet(null), 'XAF'), 50_000_000n);
});

test('an amount is collected in as few tranches as its limit allows, nearly equal and in whole steps', () => {
  assert.equal(nextTranche(50_000_000n, wallet(50_000_000n), 'XAF'), 50_000_000n);
  assert.equal(nextTranche(50_000_100n, wallet(50_000_000n), 'XAF'), 25_000_100n);
  assert.equal(nextTranche(100_000_000n, wallet(50_000_000n), 'XAF'), 50_000_000n);
  assert.equal(nextTranche(100_000_100n, wallet(50_000_000n), 'XAF'), 33_333_400n);
  // The largest multiple of 300 below the limit of 1,000 is 900.
  assert.equal(nextTranche(1_800n, wallet(1_000n, 300n), 'XAF'), 900n);
  assert.equal(nextTranche(1_801n, wallet(1_000n, 300n), 'XAF'), 900n);
  assert.equal(nextTranche(1_000n, wallet(1_000n, 300n), 'XAF'), 1_000n);
});

test('the tranches of an amount are as round as it is', () => {
  const shillings = channel('mobile_money', 'KES', 25_000_000n, 1n);
  assert.equal(nextTranche(50_000_200n, shillings, 'KES'), 16_666_800n, 'whole shillings');
  assert.equal(nextTranche(50_000_210n, shillings, 'KES'), 16_666_737n, 'hundredths');
  assert.equal(nextTranche(100_001_000n, wallet(50_000_000n), 'XAF'), 33_334_000n, 'a multiple of 5');
});

test('only Mobile Money is collected in tranches', () => {
  for (const kind of ['bank', 'card'] as const) {
    assert.equal(nextTranche(90_000_000n, channel(kind, 'XAF', 50_000_000n), 'XAF'), 90_000_000n);
  }
});

test('the tranches of a payment sum to its amount and the fee that its first charge fixed', () => {
  const config = readConfig({});
  const payment = { status: 'pending', amount_minor: 80_000_000n, fee_minor: 0n, captured_minor: 0n, currency: 'XAF' };
  const of = (changes: object) => trancheOf(config, { ...payment, ...changes } as PaymentRow, wallet(50_000_000n));
  assert.equal(of({ bearer: 'merchant' }), 40_000_000n);
  const first = of({ bearer: 'customer' });
  const fee_minor = first * 2n - 80_000_000n;
  assert.equal(fee_minor, 1_600_000n, '2 percent');
  const next = { bearer: 'customer', status: 'partial', captured_minor: first };
  assert.equal(of({ ...next, fee_minor }), first);
  assert.equal(of({ ...next, fee_minor: 100n }), 80_000_100n - first, 'the fee of the first charge');
});
