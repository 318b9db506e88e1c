import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimal } from '../../src/money/ledger/decimal.ts';

test('an amount is exact text with two decimals', () => {
  const amounts = [0n, 1n, 10n, 100n, -1n, -100n, -2_500_000n, 900_719_925_474_099_300n];
  const texts = ['0.00', '0.01', '0.10', '1.00', '-0.01', '-1.00', '-25000.00', '9007199254740993.00'];
  assert.deepEqual(amounts.map(decimal), texts);
});
