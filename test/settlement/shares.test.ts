import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Draw, drawPostings, readDraws } from '../../src/money/settlement/draw.ts';
import { proRata, proRataBack, proRataSoFar, sharesOf } from '../../src/money/settlement/shares.ts';

const drawn = (account_id: string, bucket: Draw['bucket'], amount_minor: bigint): Draw => ({ account_id, bucket, amount_minor });

test('the team gets its part first, in whole francs and at most the whole amount; the subaccount gets the rest', () => {
  const shares = (net_minor: bigint, type: 'percentage' | 'fixed', value: number, currency = 'XAF') =>
    sharesOf(net_minor, currency, 'acct_1', { type, value }).map(({ account_id, amount_minor }) => [account_id, amount_minor]);
  assert.deepEqual(shares(98_000n, 'percentage', 10), [
    ['', 9_800n],
    ['acct_1', 88_200n],
  ]);
  assert.deepEqual(shares(99_900n, 'percentage', 12.5), [
    ['', 12_400n],
    ['acct_1', 87_500n],
  ]);
  assert.deepEqual(shares(99_900n, 'percentage', 12.5, 'NGN'), [
    ['', 12_487n],
    ['acct_1', 87_413n],
  ]);
  assert.deepEqual(shares(99_900n, 'fixed', 250), [
    ['', 25_000n],
    ['acct_1', 74_900n],
  ]);
  assert.deepEqual(shares(20_000n, 'fixed', 250), [
    ['', 20_000n],
    ['acct_1', 0n],
  ]);
  assert.deepEqual(shares(25_000n, 'fixed', 250), [
    ['', 25_000n],
    ['acct_1', 0n],
  ]);
  assert.deepEqual(shares(99_900n, 'percentage', 0.29, 'NGN')[0], ['', 289n], 'hundredths of a percent are not lost by rounding');
  assert.deepEqual(sharesOf(98_000n, 'XAF', null, null), [{ account_id: '', amount_minor: 98_000n }]);
  assert.deepEqual(sharesOf(98_000n, 'XAF', 'acct_1', null), [
    { account_id: '', amount_minor: 0n },
    { account_id: 'acct_1', amount_minor: 98_000n },
  ]);
});

test('an amount is divided by weights in whole units, and the largest remainders get the rest, the first of equals', () => {
  assert.deepEqual(proRata(100n, [1n, 1n, 1n]), [34n, 33n, 33n]);
  assert.deepEqual(proRata(100n, [1n, 2n, 3n]), [17n, 33n, 50n]);
  assert.deepEqual(proRata(1_000n, [1n, 1n, 1n], 100n), [400n, 300n, 300n]);
  assert.deepEqual(proRata(1_050n, [1n, 1n, 1n], 100n), [400n, 350n, 300n], 'what is no whole unit goes to the next');
  assert.deepEqual(proRata(7n, [0n, 5n]), [0n, 7n]);
  assert.deepEqual(proRata(7n, [0n, 0n]), [7n, 0n], 'without weights the first gets all');
  assert.deepEqual(proRata(2n, [1n, 3n, 3n]), [0n, 1n, 1n]);
});

test('amounts drawn one after the other are divided together, so that small ones do not all fall on the same party', () => {
  const given = [0n, 0n];
  for (let n = 0; n < 10; n++) {
    const parts = proRataSoFar(
      100n,
      [40_000n, 60_000n].map((weight, i) => ({ weight, taken_minor: given[i] as bigint })),
      100n,
    );
    assert.equal((parts[0] as bigint) + (parts[1] as bigint), 100n);
    for (const [i, part] of parts.entries()) given[i] = (given[i] as bigint) + part;
  }
  assert.deepEqual(given, [400n, 600n]);
  const parties = (...taken: bigint[]) => taken.map((taken_minor) => ({ weight: 1n, taken_minor }));
  assert.deepEqual(proRataSoFar(10n, parties(0n, 0n)), [5n, 5n]);
  assert.deepEqual(proRataSoFar(10n, parties(100n, 0n)), [0n, 10n], 'who gave too much gives nothing');
  assert.deepEqual(proRataSoFar(10n, parties(100n, 20n, 0n)), [0n, 3n, 7n], 'the others by what they are behind');
  assert.deepEqual(proRataSoFar(100n, parties(150n, 0n), 100n), [0n, 100n], 'whole units');
  assert.deepEqual(proRataSoFar(10n, []), []);
});

test('what is on top of the weights is the first party’s alone; what is above that is divided again', () => {
  const parties = [100n, 900n].map((weight) => ({ weight, taken_minor: weight / 2n }));
  const parts = (amount_minor: bigint) => proRataSoFar(amount_minor, parties, 1n, 20n);
  assert.deepEqual(parts(500n), [50n, 450n]);
  assert.deepEqual(parts(501n), [51n, 450n]);
  assert.deepEqual(parts(520n), [70n, 450n]);
  assert.deepEqual(parts(530n), [71n, 459n]);
});

test('what comes back leaves each with what it would have given without it, and a fee on top with nobody', () => {
  const back = (amount_minor: bigint, taken: bigint[], on_top_minor = 0n) =>
    proRataBack(
      amount_minor,
      taken.map((taken_minor, i) => ({ weight: [100n, 900n][i] as bigint, taken_minor })),
      1n,
      on_top_minor,
    );
  assert.deepEqual(back(400n, [100n, 900n]), [40n, 360n]);
  assert.deepEqual(back(1_000n, [100n, 900n]), [100n, 900n]);
  assert.deepEqual(back(400n, [120n, 900n], 20n), [58n, 342n], 'the team had given a fee on top of 20');
  assert.deepEqual(back(10n, [120n, 900n], 20n), [10n, 0n], 'half of the fee');
  assert.deepEqual(back(30n, [130n, 870n]), [30n, 0n], 'one that gave too little gets nothing');
  assert.throws(() => back(11n, [5n, 5n]), RangeError);
});

test('draws are posted to the account of the team or of each party, and read back from JSON as they were', () => {
  const draws = [drawn('', 'available', 200n), drawn('acct_1', 'pending', 600n)];
  const postings = (each: boolean) => drawPostings(draws, 'disputed', each).map(({ debit, credit }) => [debit, credit]);
  assert.deepEqual(postings(false), [
    ['available', 'disputed'],
    ['pending:acct_1', 'disputed'],
  ]);
  assert.deepEqual(postings(true), [
    ['available', 'disputed'],
    ['pending:acct_1', 'disputed:acct_1'],
  ]);
  assert.deepEqual(drawPostings(draws, 'disputed'), drawPostings(draws, 'disputed', false), 'the team is meant');
  assert.deepEqual(drawPostings(draws, 'disputed')[1], { debit: 'pending:acct_1', credit: 'disputed', amount_minor: 600n });
  const stored = JSON.parse(JSON.stringify(draws, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  assert.deepEqual(readDraws(stored), draws);
  assert.equal(readDraws(null), null);
});
