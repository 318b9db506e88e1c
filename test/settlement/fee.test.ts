import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { draw, returnDrawn } from '../../src/money/settlement/draw.ts';
import { feeOf } from '../../src/money/settlement/fee-store.ts';
import { insertItems } from '../../src/money/settlement/store.ts';
import { type Books, openBooks } from '../ledger/books.ts';
import { takenBack } from '../ledger/rows.ts';
import { drawn, give, insertPayment, item } from './support.ts';

/** Who gives the fee of a split payment when money goes back: the team. A payment of 10,000, of which it gets a tenth after the fee of 200. */
let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

type Bearer = 'merchant' | 'customer';
const trial = (work: (tx: Tx) => Promise<void>) => takenBack(books, work);

/** The payment, with all of its money pending. */
async function paid(tx: Tx, bearer: Bearer, currency = 'XAF'): Promise<void> {
  const [team, other] = bearer === 'merchant' ? [98_000n, 882_000n] : [100_000n, 900_000n];
  await insertPayment(tx, 1_000_000n, 20_000n, bearer);
  const share = (account_id: string, share_minor: bigint) =>
    item({ account_id, currency, share_minor, amount_minor: share_minor });
  await insertItems(tx, [share('', team), share('acct_1', other)]);
}

/** Draws amounts one after the other. @returns what the subaccount has given after each */
async function givenBy(tx: Tx, amounts: readonly bigint[], currency = 'XAF'): Promise<bigint[]> {
  const given: bigint[] = [];
  for (const amount_minor of amounts) {
    const draws = (await draw(tx, { team_id: 1n, payment_id: 'trx_1', currency, amount_minor }, null)) ?? [];
    const sum = (own: typeof draws) => own.reduce((all, one) => all + one.amount_minor, 0n);
    assert.equal(sum(draws), amount_minor);
    assert.ok(draws.every((one) => one.amount_minor > 0n));
    given.push((given.at(-1) ?? 0n) + sum(draws.filter(({ account_id }) => account_id === 'acct_1')));
  }
  return given;
}

const ALL = { team_id: 1n, payment_id: 'trx_1', currency: 'XAF', amount_minor: 1_000_000n };

test('a full refund takes from a subaccount what it received, and the rest from the team, which needs 200 from elsewhere', async () => {
  await trial(async (tx) => {
    await paid(tx, 'merchant');
    await give(tx, [['clearing', 'available', 19_900n]]);
    assert.equal(await draw(tx, ALL, 0n), null);
    await give(tx, [['clearing', 'available', 100n]]);
    const wanted = [drawn('', 'pending', 98_000n), drawn('', 'available', 20_000n), drawn('acct_1', 'pending', 882_000n)];
    assert.deepEqual(await draw(tx, ALL, 0n), wanted);
  });
});

test('where the customer paid the fee on top, a full refund takes from each what it received', async () => {
  await trial(async (tx) => {
    await paid(tx, 'customer');
    assert.deepEqual(await draw(tx, ALL, 0n), [drawn('', 'pending', 100_000n), drawn('acct_1', 'pending', 900_000n)]);
  });
});

/** Amounts that are drawn one after the other, and what the subaccount has given after each. */
const SERIES: [what: string, bearer: Bearer, currency: string, amounts: bigint[], given: bigint[]][] = [
  ['two halves', 'merchant', 'XAF', [500_000n, 500_000n], [441_000n, 882_000n]],
  ['single francs', 'merchant', 'XAF', Array(5).fill(100n), [100n, 200n, 300n, 400n, 400n]],
  ['hundredths', 'merchant', 'NGN', [1n, 2n, 1n, 999_996n], [1n, 3n, 4n, 882_000n]],
  ['a part and the rest', 'merchant', 'XAF', [333_300n, 666_700n], [294_000n, 882_000n]],
  ['more than was paid', 'merchant', 'XAF', [1_000_000n, 500_000n], [882_000n, 1_323_000n]],
  ['halves beside a fee on top', 'customer', 'XAF', [500_000n, 500_000n], [450_000n, 900_000n]],
  ['all that was charged', 'customer', 'XAF', [1_020_000n], [900_000n]],
  ['a part of what was on top', 'customer', 'XAF', [1_010_000n, 10_000n], [900_000n, 900_000n]],
  ['a half, and a chargeback of the rest', 'customer', 'XAF', [500_000n, 520_000n], [450_000n, 900_000n]],
  ['more than was charged', 'customer', 'XAF', [1_020_000n, 500_000n], [900_000n, 1_350_000n]],
];
for (const [what, bearer, currency, amounts, given] of SERIES) {
  test(`${what} in ${currency}, fee borne by the ${bearer}: the subaccount gives its part of the amount`, async () => {
    await trial(async (tx) => {
      await paid(tx, bearer, currency);
      assert.deepEqual(await givenBy(tx, amounts, currency), given);
    });
  });
}

/** What was drawn while the fee was divided by what each received, and what the subaccount gives of the next amount. */
const BEFORE: [team: bigint, other: bigint, amount: bigint, given: bigint][] = [
  [50_000n, 450_000n, 500_000n, 432_000n],
  [50_000n, 450_000n, 100n, 0n],
  [50_000n, 450_000n, 20_000n, 8_600n],
  [99_000n, 891_000n, 10_000n, 0n],
];
for (const [team, other, amount, given] of BEFORE) {
  test(`after ${other} were drawn as before, a subaccount gives ${given} of ${amount}, never less than nothing`, async () => {
    await trial(async (tx) => {
      await paid(tx, 'merchant');
      await tx.run(
        sql`update settlement_items set drawn_minor = case account_id when '' then ${team}::bigint else ${other}::bigint end`,
      );
      assert.deepEqual(await givenBy(tx, [amount]), [given]);
    });
  });
}

test('after a part of a draw has returned, the next draw takes the rest of what each has to give', async () => {
  await trial(async (tx) => {
    await paid(tx, 'merchant');
    const draws = (await draw(tx, ALL, null)) ?? [];
    const back = {
      team_id: 1n,
      kind: 'back',
      source_id: 'rfd_1',
      currency: 'XAF',
      payment_id: 'trx_1',
      from: 'refund_clearing',
    } as const;
    await returnDrawn(tx, back, draws, 400_000n);
    assert.deepEqual(await givenBy(tx, [400_000n]), [352_800n]);
  });
});

test('a subaccount that received nothing gives nothing', async () => {
  await trial(async (tx) => {
    await insertPayment(tx, 1_000_000n, 20_000n);
    await insertItems(tx, [item({ share_minor: 980_000n }), item({ account_id: 'acct_1', share_minor: 0n, amount_minor: 0n })]);
    assert.deepEqual(await givenBy(tx, [1_000n, 999_000n]), [0n, 0n]);
  });
});

test('a team that received nothing gives the fee', async () => {
  await trial(async (tx) => {
    await insertPayment(tx, 1_000_000n, 20_000n);
    await insertItems(tx, [
      item({ share_minor: 0n, amount_minor: 0n }),
      item({ account_id: 'acct_1', share_minor: 980_000n, amount_minor: 980_000n }),
    ]);
    assert.deepEqual(await draw(tx, ALL, null), [drawn('acct_1', 'pending', 980_000n), drawn('', 'credit', 20_000n)]);
  });
});

test('the fee is that of the payment, and of no other', async () => {
  await trial(async (tx) => {
    await insertPayment(tx, 1_000_000n, 20_000n, 'customer');
    assert.deepEqual(await feeOf(tx, 1n, 'trx_1'), { fee_minor: 20_000n, bearer: 'customer' });
    await assert.rejects(feeOf(tx, 2n, 'trx_1'));
    await assert.rejects(feeOf(tx, 1n, 'trx_2'));
  });
});
