import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  CURRENCIES,
  currencyLabel,
  decimalsOf,
  formatMoney,
  isMovable,
  MAX_AMOUNT,
  minorFromWire,
  wireFromMinor,
} from '../../src/kit/money.ts';
import { feeOf } from '../../src/money/fees/fees.ts';

test('an amount is formatted in any text that a provider calls a currency', () => {
  for (const name of ['FCFA', 'XA', '', 'xaf', 'ZZZ']) {
    assert.equal(formatMoney(2_500_050n, name, 'en'), `25,000.50 ${name}`);
    assert.equal(currencyLabel(name, 'fr'), name);
  }
  assert.equal(formatMoney(2_500_000n, 'XAF', 'en'), 'FCFA\u00a025,000');
  assert.equal(currencyLabel('XAF', 'fr'), 'FCFA');
});

const READ: [wire: number, minor: bigint | null][] = [
  [0.01, 1n],
  [0.1, 10n],
  [0.29, 29n],
  [1.1, 110n],
  [1.005, null],
  [0.1 + 0.2, null],
  [25000, 2_500_000n],
  [25000.5, 2_500_050n],
  [0, 0n],
  [-1, null],
  [-0.01, null],
  [1e-7, null],
  [0.001, null],
  [MAX_AMOUNT, 900_719_925_474_000n],
  [MAX_AMOUNT + 0.01, null],
  [MAX_AMOUNT - 0.01, 900_719_925_473_999n],
  [Number('9007199254740993'), null],
  [1e21, null],
  [1e300, null],
  [Number.POSITIVE_INFINITY, null],
  [Number.NaN, null],
  [4.35, 435n],
  [1.15, 115n],
  [8.2, 820n],
  [1e5, 10_000_000n],
];

for (const [wire, minor] of READ) {
  test(`${wire} on the wire is ${minor === null ? 'refused' : `${minor} hundredths`}`, () => {
    assert.equal(minorFromWire(wire), minor);
  });
}

const amounts = fc.bigInt({ min: 0n, max: BigInt(MAX_AMOUNT) * 100n });

test('every amount is the same after a round trip, through JSON too', () => {
  fc.assert(
    fc.property(amounts, (minor) => {
      assert.equal(minorFromWire(JSON.parse(JSON.stringify(wireFromMinor(minor)))), minor);
    }),
    { numRuns: 2_000 },
  );
});

test('a third decimal is never rounded off', () => {
  const third = fc.tuple(fc.integer({ min: 0, max: 1_000_000_000 }), fc.integer({ min: 1, max: 999 }));
  fc.assert(
    fc.property(third, ([whole, thousandths]) => {
      fc.pre(thousandths % 10 !== 0);
      assert.equal(minorFromWire(Number(`${whole}.${String(thousandths).padStart(3, '0')}`)), null);
    }),
  );
});

test('currencies without decimals accept whole amounts only', () => {
  const whole = CURRENCIES.filter((currency) => decimalsOf(currency) === 0);
  assert.deepEqual(whole.sort(), ['GNF', 'RWF', 'UGX', 'XAF', 'XOF']);
  assert.equal(isMovable(2_500_050n, 'XAF'), false);
  assert.equal(isMovable(2_500_000n, 'XAF'), true);
  assert.equal(isMovable(2_500_050n, 'NGN'), true);
});

const RATES = { mobile_money: 200, bank: 150, card: 350, transfer: 100 };

const FEES: [kind: keyof typeof RATES, major: number, currency: string, fee: number][] = [
  ['mobile_money', 25000, 'XAF', 500],
  ['mobile_money', 24, 'XAF', 0],
  ['mobile_money', 25, 'XAF', 1],
  ['mobile_money', 74, 'XAF', 1],
  ['mobile_money', 75, 'XAF', 2],
  ['bank', 100, 'GHS', 1.5],
  ['bank', 0.33, 'GHS', 0],
  ['bank', 0.34, 'GHS', 0.01],
  ['card', 10.01, 'NGN', 0.35],
  ['card', 12.43, 'NGN', 0.44],
  ['card', 1500000, 'XAF', 52500],
];

for (const [kind, major, currency, fee] of FEES) {
  test(`the ${kind} fee of ${major} ${currency} is ${fee}`, () => {
    assert.equal(wireFromMinor(feeOf(RATES, kind, minorFromWire(major) as bigint, currency)), fee);
  });
}

test('a fee is rounded half up, is within half a unit of exact and never falls as the amount grows', () => {
  const kinds = fc.constantFrom('mobile_money', 'bank', 'card', 'transfer' as const);
  const rate = fc.integer({ min: 0, max: 9_999 });
  fc.assert(
    fc.property(kinds, rate, amounts, amounts, fc.constantFrom(...CURRENCIES), (kind, percent, a, b, currency) => {
      const rates = { ...RATES, [kind]: percent };
      const unit = decimalsOf(currency) === 0 ? 100n : 1n;
      const fee = feeOf(rates, kind, a, currency);
      assert.equal(fee % unit, 0n);
      const doubledError = 2n * (fee * 10_000n - a * BigInt(percent));
      assert.ok(doubledError > -unit * 10_000n && doubledError <= unit * 10_000n, `${fee} for ${a}`);
      const [low, high] = a < b ? [a, b] : [b, a];
      assert.ok(feeOf(rates, kind, low, currency) <= feeOf(rates, kind, high, currency));
    }),
    { numRuns: 1_000 },
  );
});
