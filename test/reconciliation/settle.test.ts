import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { systemClock } from '../../src/kit/clock.ts';
import { Problem } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { post } from '../../src/money/ledger/post.ts';
import type { BreakRow, Run, SettledAs } from '../../src/core/reconciliation/schema.ts';
import { settleBreak } from '../../src/core/reconciliation/settle.ts';
import { paidSince } from '../../src/core/payout-batches/store.ts';
import { recordPaidLate } from '../../src/core/transfers/late.ts';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { findStandings, findTransfer } from '../../src/core/transfers/store.ts';
import { Ledgers, line, NOON, OPERATOR } from './fixture.ts';

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
  await books.db.run(sql`
    insert into ceiling_uses (team_id, direction, currency, period, used_minor)
    select ${books.team_id}, 'transfer', 'XAF', period, 100 from unnest(array['2026-03-10', '2026-03']) period`);
});
after(() => books.drop());
afterEach(async () => {
  await books.db.run(sql`truncate journals, postings, balances, balance_deltas, audit_entries cascade`);
});

const APPLY = { apply: true };
const booked = () => books.booked();

/** What the payouts of the day and its month have used of the transaction limits. */
async function used(): Promise<bigint[]> {
  const rows = await books.db.all<{ used_minor: bigint }>(
    sql`select used_minor from ceiling_uses where team_id = ${books.team_id}`,
  );
  return rows.map(({ used_minor }) => used_minor);
}

describe('settling the breaks in suspense', () => {
  const settle = (run: Run, { id, team_id }: BreakRow, as: SettledAs) =>
    settleBreak(
      { clock: systemClock },
      books.store,
      { team_id, run_id: run.id, id },
      { as, evidence: 'their letter of today', author: 'Awa' },
      OPERATOR,
    );

  for (const [as, place] of [
    ['merchant', 'available'],
    ['platform', 'fee_income'],
    ['undone', 'clearing'],
  ] as const) {
    test(`as ${as}: the money moves from suspense to ${place}, once, and the next run records it as settled`, async () => {
      const lines = [line('collect', 'stray')];
      const { run, breaks } = await books.reconcile(lines, APPLY);
      await settle(run, breaks[0] as BreakRow, as);
      assert.equal(
        (await booked()).at(-1),
        `reconciliation.settled:reconciliation.unexpected:collect 100000 XAF hold > ${place}`,
      );
      await assert.rejects(settle(run, breaks[0] as BreakRow, 'platform'), /settled already/);
      const again = await books.reconcile(lines, APPLY);
      assert.deepEqual([again.breaks.map(({ state }) => state), (await booked()).length], [['settled'], 2]);
    });
  }

  test('a missing amount is drawn from the merchant only as far as the balance covers it', async () => {
    const { run, breaks } = await books.reconcile([line('payout', 'stray')], APPLY);
    await assert.rejects(
      settle(run, breaks[0] as BreakRow, 'merchant'),
      (error) => error instanceof Problem && /does not cover/.test(error.message),
    );
    assert.equal((await booked()).length, 1);
  });

  test('a break is settled by the amount in suspense, not by the one of a later statement', async () => {
    const first = await books.reconcile([line('collect', 'stray')], APPLY);
    const [before] = await booked();
    for (const other of [{ amount: '700' }, { currency: 'XOF' }]) {
      const later = await books.reconcile([line('collect', 'stray', other)], APPLY);
      await assert.rejects(
        settle(later.run, later.breaks[0] as BreakRow, 'platform'),
        (error) => error instanceof Problem && error.status === 400 && /Another amount is in hold/.test(error.message),
      );
      assert.deepEqual(await booked(), [before]);
    }
    await settle(first.run, first.breaks[0] as BreakRow, 'platform');
    assert.equal((await booked()).length, 2);
  });

  /** Gives the merchant a balance without a movement of the provider's money. */
  const fund = (amount_minor: bigint) =>
    books.db.transaction((tx) => {
      const postings = [{ debit: 'fee_income', credit: 'available', amount_minor }] as const;
      const names = { kind: 'dispute.won', source_id: 'dsp_1', subject_id: 'trx_1', currency: 'XAF' };
      return post(tx, [{ ...names, team_id: books.team_id, postings: [...postings] }]);
    });

  /** What the payout says, and how many payouts of the day a list of payouts is compared with. */
  async function shownOf(id: string) {
    const { team_id, db } = books;
    const transfer = await findTransfer(db, { team_id, id });
    const [standing] = await findStandings(db, team_id, [id]);
    const { length: paid } = await paidSince(db, 'live', team_id, NOON - 3_600_000, 1_000);
    return { status: transfer?.status, message: transfer?.message, late: standing?.paid_late_at instanceof Date, paid };
  }

  for (const as of ['merchant', 'platform', 'undone'] as const) {
    test(`a payout that a statement showed as paid, settled as ${as}: it reached its recipient, unless the statement was wrong`, async () => {
      await fund(50_000n);
      const { id, key } = await books.transfer('failed', 'closed');
      const before = await shownOf(id);
      assert.deepEqual(before, { ...before, status: 'failed', message: null, late: false });
      const shown = { ...before, late: true, paid: before.paid + 1 };
      const { run, breaks } = await books.reconcile([line('payout', key)], APPLY);
      assert.deepEqual(await shownOf(id), shown, 'the decision is open');
      await settle(run, breaks[0] as BreakRow, as);
      if (as === 'undone') {
        assert.deepEqual(await shownOf(id), before);
        return;
      }
      assert.deepEqual(await shownOf(id), { ...shown, message: 'It reached the recipient after it had failed.' });
      const verdict = { as: 'succeeded', evidence: 'a letter', author: 'awa' } as const;
      const again = resolveTransfer({ clock: systemClock }, books.store, { team_id: books.team_id, id }, verdict, OPERATOR);
      await assert.rejects(again, /decides about its money, only once/);
    });
  }

  test('a cancelled payout of which a statement showed another amount says so after the decision', async () => {
    const { id, key } = await books.transfer('cancelled', 'closed');
    const { run, breaks } = await books.reconcile([line('payout', key, { amount: '400' })], APPLY);
    await settle(run, breaks[0] as BreakRow, 'platform');
    assert.equal((await shownOf(id)).message, 'Another amount reached the recipient after it had been cancelled.');
  });

  for (const as of ['platform', 'undone'] as const) {
    test(`a payout that a statement listed as paid late, settled as ${as}: only "undone" leaves room for other evidence`, async () => {
      const { id, key } = await books.transfer('failed', 'closed');
      await books.db.run(sql`update transfers set counted_day = '2026-03-10' where id = ${id}`);
      const lines = [line('payout', key)];
      const { run, breaks } = await books.reconcile(lines, APPLY);
      const before = await used();
      const counted = (times: bigint) => before.map((amount_minor) => amount_minor + times * 50_000n);
      await settle(run, breaks[0] as BreakRow, as);
      assert.deepEqual(await used(), counted(as === 'undone' ? 0n : 1n), 'money that has moved counts towards the limits');
      const report = () =>
        books.db.transaction((tx) => recordPaidLate(tx, NOON, { team_id: books.team_id, id }, { provider_ref: 'F1' }));
      assert.equal((await report()) !== null, as === 'undone');
      assert.equal(await report(), null);
      const again = await books.reconcile(lines, APPLY);
      assert.deepEqual(
        again.breaks.map(({ kind, state }) => [kind, state]),
        as === 'undone' ? [] : [['late', 'settled']],
      );
      const { clearing } = Object.fromEntries(await readBalances(books.db, books.team_id, 'XAF'));
      assert.equal(clearing, 50_000n, 'it left once');
      assert.deepEqual(await used(), counted(1n));
    });
  }

  test('a comparison without --apply puts nothing in suspense', async () => {
    const { run, breaks } = await books.reconcile([line('collect', 'stray')]);
    await assert.rejects(settle(run, breaks[0] as BreakRow, 'merchant'), /Nothing of the break is in hold/);
  });

  test('what is settled for the merchant repays first what the platform advanced', async () => {
    const { team_id } = books;
    const advanced = [{ debit: 'credit', credit: 'clearing', amount_minor: 40_000n }] as const;
    const journal = { team_id, kind: 'dispute.opened', source_id: 'dsp_1', subject_id: 'trx_1', currency: 'XAF' };
    await books.db.transaction((tx) => post(tx, [{ ...journal, postings: [...advanced] }]));
    const { run, breaks } = await books.reconcile([line('collect', 'x1')], APPLY);
    await settle(run, breaks[0] as BreakRow, 'merchant');
    const balances = await readBalances(books.db, team_id, 'XAF');
    assert.deepEqual([balances.get('available'), balances.get('credit')], [60_000n, 0n]);
  });

  test('settling a second payment of a payout changes neither the payout nor what it uses of the limits', async () => {
    const { id, key } = await books.transfer('succeeded', 'closed');
    await books.db.run(sql`update transfers set counted_day = '2026-03-10' where id = ${id}`);
    const before = [await shownOf(id), await used()];
    const { run, breaks } = await books.reconcile(
      [line('payout', key, { ref: 'A' }), line('payout', key, { ref: 'B', at: '2026-03-10T12:00:20Z' })],
      APPLY,
    );
    const twice = breaks.find(({ kind }) => kind === 'duplicate') as BreakRow;
    await settle(run, twice, 'platform');
    assert.deepEqual([await shownOf(id), await used()], before);
    await books.db.run(sql`delete from transfers where id = ${id}`);
  });

  test('400 for a break of which nothing can be in suspense: it stays open', async () => {
    const { key } = await books.attempt('unknown');
    const { run, breaks } = await books.reconcile([line('collect', key)]);
    const row = breaks.find(({ kind }) => kind === 'unknown') as BreakRow;
    await assert.rejects(settle(run, row, 'platform'), { status: 400, message: 'Nothing of the break is in hold.' });
    assert.equal((await books.breaks(run)).find(({ id }) => id === row.id)?.state, 'open');
  });

  test('404 for a break of another run', async () => {
    const [first, second] = [
      await books.reconcile([line('collect', 'stray')], APPLY),
      await books.reconcile([line('collect', 'another')], APPLY),
    ];
    await assert.rejects(settle(second.run, first.breaks[0] as BreakRow, 'platform'), { status: 404 });
    assert.equal((await booked()).length, 2);
  });
});
