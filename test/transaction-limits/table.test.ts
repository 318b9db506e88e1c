import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transactionLimitsOf, type Direction } from '../../src/money/transaction-limits/table.ts';
import { CURRENCIES, decimalsOf, wireFromMinor } from '../../src/kit/money.ts';

const major = (level: number, direction: Direction, currency = 'XAF') => {
  const ceilings = transactionLimitsOf(level, direction, currency);
  return ceilings && Object.values(ceilings).map(wireFromMinor);
};

const TABLE: [level: number, payment: number[] | null, transfer: number[] | null][] = [
  [0, [0, 0, 0], [0, 0, 0]],
  [1, [500_000, 2_000_000, 20_000_000], [500_000, 1_000_000, 10_000_000]],
  [2, [2_500_000, 10_000_000, 100_000_000], [2_500_000, 5_000_000, 50_000_000]],
  [3, [12_500_000, 50_000_000, 500_000_000], [12_500_000, 25_000_000, 250_000_000]],
  [4, null, null],
];

for (const [level, payment, transfer] of TABLE) {
  test(`level ${level} in XAF: one payment, a day, a month`, () => {
    assert.deepEqual([major(level, 'payment'), major(level, 'transfer')], [payment, transfer]);
  });
}

test('every currency has limits that are payable amounts, in the same proportions as in XAF', () => {
  for (const currency of CURRENCIES) {
    const [one = 0, day, month] = major(1, 'payment', currency) ?? [];
    assert.ok(one > 0 && (decimalsOf(currency) === 2 || Number.isInteger(one)), currency);
    assert.deepEqual([day, month], [one * 4, one * 40]);
    assert.deepEqual(major(1, 'transfer', currency), [one, one * 2, one * 20]);
  }
  assert.deepEqual(major(1, 'payment', 'XOF'), major(1, 'payment', 'XAF'));
});

test('an unknown currency has limits of zero', () => {
  assert.deepEqual(major(3, 'payment', 'XXX'), [0, 0, 0]);
});
