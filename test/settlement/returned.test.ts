import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Tx } from '../../src/kit/sql.ts';
import type { Minor } from '../../src/kit/money.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { type Draw, draw, drawPostings, returnDrawn } from '../../src/money/settlement/draw.ts';
import { insertItems, lockItems } from '../../src/money/settlement/store.ts';
import { type Books, book, openBooks } from '../ledger/books.ts';
import { takenBack } from '../ledger/rows.ts';
import { AT, drawn, insertPayment, item, items, journals, sumOf } from './support.ts';

/** To whom drawn money returns, and into which of its balances. Every trial is taken back. */
let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

const trial = (work: (tx: Tx) => Promise<void>) => takenBack(books, work);

const PAYMENT = { team_id: 1n, payment_id: 'trx_1', currency: 'XAF' };
/** A payment of 10,000, a tenth of it the team's, for which the customer paid a fee of 200 on top. */
const SHARES = [
  item({ share_minor: 100_000n, amount_minor: 100_000n }),
  item({ account_id: 'acct_1', share_minor: 900_000n, amount_minor: 900_000n }),
];
async function paid(tx: Tx, own: Partial<(typeof SHARES)[0]> = {}): Promise<void> {
  await insertPayment(tx, 1_000_000n, 20_000n, 'customer');
  await insertItems(tx, [{ ...(SHARES[0] as (typeof SHARES)[0]), ...own }, SHARES[1] as (typeof SHARES)[0]]);
  await book(
    tx,
    [
      ['clearing', 'pending', 100_000n],
      ['clearing', 'pending:acct_1', 900_000n],
    ],
    { ...PAYMENT, kind: 'given' },
  );
}

interface Claimed {
  kind: 'refund' | 'dispute';
  id: string;
  draws: Draw[];
}

/** Takes an amount for a refund or a dispute, without a limit of credit. */
async function take(tx: Tx, kind: Claimed['kind'], id: string, amount_minor: Minor): Promise<Claimed> {
  const draws = (await draw(tx, { ...PAYMENT, amount_minor }, null)) ?? [];
  const to = kind === 'refund' ? drawPostings(draws, 'refund_clearing') : drawPostings(draws, 'disputed', true);
  await book(
    tx,
    to.map(({ debit, credit, amount_minor }) => [debit, credit, amount_minor]),
    { ...PAYMENT, kind: 'taken' },
  );
  return { kind, id, draws };
}

/** Gives back what a refund or a dispute took. @returns what each party got */
async function giveBack(tx: Tx, { kind, id, draws }: Claimed, amount_minor = sumOf(draws)): Promise<bigint[]> {
  const before = await given(tx);
  const into = { ...PAYMENT, kind: `${kind}.back`, source_id: id };
  await returnDrawn(
    tx,
    kind === 'refund' ? { ...into, from: 'refund_clearing' } : { ...into, from: 'disputed', each: true },
    draws,
    amount_minor,
  );
  return (await given(tx)).map((now, i) => (before[i] as bigint) - now);
}

/** What the team and the subaccount have given so far. */
const given = async (tx: Tx) => (await lockItems(tx, 1n, 'trx_1')).map(({ drawn_minor }) => drawn_minor ?? 0n);

/** The balances that are not zero. */
async function balances(tx: Tx): Promise<Record<string, bigint>> {
  return Object.fromEntries([...(await readBalances(tx, 1n, 'XAF'))].filter(([, amount_minor]) => amount_minor !== 0n).sort());
}

const UNTOUCHED = { clearing: -1_000_000n, pending: 100_000n, 'pending:acct_1': 900_000n };

test('a refund that fails after a chargeback of the rest gives the team back what it gave of a fee on top', async () => {
  await trial(async (tx) => {
    await paid(tx);
    const refund = await take(tx, 'refund', 'rfd_1', 400_000n);
    const dispute = await take(tx, 'dispute', 'dsp_1', 620_000n);
    assert.deepEqual(await given(tx), [120_000n, 900_000n]);
    // 6,200 of 10,000 are left to give, less than the payment: nobody gives the fee.
    assert.deepEqual(await giveBack(tx, refund), [58_000n, 342_000n]);
    assert.deepEqual(await given(tx), [62_000n, 558_000n]);
    assert.deepEqual(await giveBack(tx, dispute), [62_000n, 558_000n]);
    assert.deepEqual(await balances(tx), UNTOUCHED, 'what the platform advanced for the fee is repaid');
    assert.deepEqual(await items(tx), ['1 trx_1 "" XAF 100000 100000', '1 trx_1 "acct_1" XAF 900000 900000']);
  });
});

test('the order in which two claims come back makes no difference', async () => {
  await trial(async (tx) => {
    await paid(tx);
    const refund = await take(tx, 'refund', 'rfd_1', 400_000n);
    const dispute = await take(tx, 'dispute', 'dsp_1', 620_000n);
    assert.deepEqual(await giveBack(tx, dispute), [80_000n, 540_000n]);
    assert.deepEqual(await giveBack(tx, refund), [40_000n, 360_000n]);
    assert.deepEqual(await balances(tx), UNTOUCHED);
  });
});

test('what a party gets beyond what was drawn from it waits like its share, and is available once that is released', async () => {
  for (const [own, bucket] of [
    [{}, 'pending'],
    [{ released_at: AT, amount_minor: 0n }, 'available'],
  ] as const) {
    await trial(async (tx) => {
      await paid(tx, own);
      if (bucket === 'available') await book(tx, [['pending', 'available', 100_000n]], { ...PAYMENT, kind: 'given' });
      const refund = await take(tx, 'refund', 'rfd_1', 400_000n);
      await take(tx, 'dispute', 'dsp_1', 620_000n);
      await giveBack(tx, refund);
      const [row] = (await journals(tx)).filter((one) => one.includes('refund.back'));
      const back = `refund_clearing>${bucket} 40000, refund_clearing>${bucket} 18000, refund_clearing>pending:acct_1 342000`;
      assert.equal(row, `1 XAF refund.back rfd_1 trx_1 : ${back}`);
    });
  }
});

test('no more becomes pending than was taken from what was pending', async () => {
  await trial(async (tx) => {
    await paid(tx);
    const first = await take(tx, 'refund', 'rfd_1', 400_000n);
    const second = await take(tx, 'refund', 'rfd_2', 500_000n);
    const dispute = await take(tx, 'dispute', 'dsp_1', 120_000n);
    // The 180 that come back beyond the first refund are pending, although the platform advanced them for the dispute.
    assert.deepEqual(await giveBack(tx, first), [58_000n, 342_000n]);
    assert.deepEqual(await giveBack(tx, second), [50_000n, 450_000n]);
    const [team] = await lockItems(tx, 1n, 'trx_1');
    assert.equal(team?.amount_minor, 100_000n);
    await giveBack(tx, dispute);
    assert.deepEqual(await balances(tx), UNTOUCHED);
  });
});

test('of one party the advance returns first, then available, then pending money', async () => {
  await trial(async (tx) => {
    await insertItems(tx, [item({ share_minor: 1_000n, amount_minor: 400n })]);
    const draws = [drawn('', 'pending', 300n), drawn('', 'available', 200n), drawn('', 'credit', 100n)];
    const back = { ...PAYMENT, from: 'refund_clearing', kind: 'back' } as const;
    await returnDrawn(tx, { ...back, source_id: 'rfd_1' }, draws, 350n);
    await returnDrawn(tx, { ...back, source_id: 'rfd_2' }, draws, 600n);
    await returnDrawn(tx, { ...back, source_id: 'rfd_3' }, draws, 50n);
    const line = (parts: [string, number][]) => parts.map(([to, amount]) => `refund_clearing>${to} ${amount}`).join(', ');
    assert.deepEqual(await journals(tx), [
      `1 XAF back rfd_1 trx_1 : ${line([
        ['available', 100],
        ['available', 200],
        ['pending', 50],
      ])}`,
      `1 XAF back rfd_2 trx_1 : ${line([
        ['available', 100],
        ['available', 200],
        ['pending', 300],
      ])}`,
      `1 XAF back rfd_3 trx_1 : ${line([['available', 50]])}`,
    ]);
  });
});

test('draws of before they were counted return as they were made, in whole units where each gave whole units', async () => {
  const three = ['', 'acct_1', 'acct_2'].map((party) => drawn(party, 'available', 300n));
  for (const [draws, amount_minor, parts] of [
    [three, 400n, [200n, 100n, 100n]],
    [[...three, drawn('acct_3', 'available', 50n)], 475n, [150n, 150n, 150n, 25n]],
    [three, 900n, [300n, 300n, 300n]],
  ] as const) {
    await trial(async (tx) => {
      await insertItems(
        tx,
        ['', 'acct_1', 'acct_2', 'acct_3'].map((account_id) => item({ account_id })),
      );
      await returnDrawn(tx, { ...PAYMENT, from: 'refund_clearing', kind: 'back', source_id: 'rfd_1' }, draws, amount_minor);
      const lines = parts.map((part, i) => `refund_clearing>available${i ? `:acct_${i}` : ''} ${part}`);
      assert.deepEqual(await journals(tx), [`1 XAF back rfd_1 trx_1 : ${lines.join(', ')}`]);
    });
  }
});
