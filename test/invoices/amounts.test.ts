import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkItems, itemsOf, lineTotal, thousandthsOf, totalOf } from '../../src/edge/invoices/items.ts';
import { typedAmount } from '../../src/kit/typed-amount.ts';

test('a line is quantity times price, rounded half up to the smallest unit the currency can move', () => {
  const line = (quantity: number, price: number, currency: string) =>
    Number(lineTotal(thousandthsOf(quantity) as bigint, BigInt(Math.round(price * 100)), currency)) / 100;
  assert.equal(line(1.5, 333, 'XAF'), 500);
  assert.equal(line(1.5, 333, 'EUR'), 499.5);
  assert.equal(line(0.001, 0.01, 'EUR'), 0);
  assert.equal(line(0.5, 0.01, 'EUR'), 0.01);
  assert.equal(line(0.499, 0.01, 'EUR'), 0);
  assert.equal(line(3, 0.75, 'XOF'), 2);
  assert.equal(line(1_000_000, 9_007_199, 'XAF'), 9_007_199_000_000);
});

test('the total is the sum of the lines', () => {
  const items = itemsOf(
    [
      { name: 'a', quantity: 0.5, unit_price: 1 },
      { name: 'b', quantity: 0.5, unit_price: 1 },
      { name: 'c', unit_price: 0.1 },
      { name: 'd', unit_price: 0.2 },
    ],
    'XAF',
  );
  assert.deepEqual(
    items.map(({ amount_minor }) => amount_minor),
    ['100', '100', '0', '0'],
  );
  assert.equal(totalOf(items), 200n);
});

test('quantities have at most three decimals and prices two; anything that is not a number is rejected', () => {
  assert.deepEqual([1, 0.125, 1_000_000, 0.0001, 1e-7, 1.2345].map(thousandthsOf), [
    1000n,
    125n,
    1_000_000_000n,
    null,
    null,
    null,
  ]);
  assert.deepEqual(Object.keys(checkItems([{ quantity: 0.0001, unit_price: 1.001 }, null, 7])), [
    'items.0.quantity',
    'items.0.unit_price',
  ]);
  assert.deepEqual(checkItems('items'), {});
});

test('an amount is parsed as people type it, or rejected', () => {
  const read: [string, bigint][] = [
    ['25000', 2_500_000n],
    ['25 000', 2_500_000n],
    ['25 000', 2_500_000n],
    ['25.000', 2_500_000n],
    ['25,000', 2_500_000n],
    ["1'250'000", 125_000_000n],
    ['25,000.50', 2_500_050n],
    ['25.000,5', 2_500_050n],
    ['25000.05', 2_500_005n],
    ['0,5', 50n],
    [' 7 ', 700n],
  ];
  for (const [text, amount] of read) assert.equal(typedAmount(text, 'XAF'), amount, text);
  const refused = [
    '',
    '-5',
    '+5',
    '1e9',
    '25,00,000',
    '1.2.3',
    '0x10',
    '25000 XAF',
    '12.345.6',
    '1,23,4',
    '٣',
    '9'.repeat(14),
    '1,000,00',
    // Half a unit with a zero too many, not five hundred.
    '0,500',
    '0.500',
    '0,500.00',
    '001,250',
  ];
  for (const text of refused) assert.equal(typedAmount(text, 'XAF'), null, text);
  // Twenty-five, or twenty-five thousand: where there are hundredths nobody can tell.
  for (const text of ['25.000', '25,000']) assert.equal(typedAmount(text, 'KES'), null, text);
  for (const text of ['25 000', '25,000.00', '25000']) assert.equal(typedAmount(text, 'KES'), 2_500_000n, text);
  assert.equal(typedAmount('1,250,000', 'KES'), 125_000_000n);
});
