import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fixed, sql, type Tx } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { bookedSums, booksOf, LAST_ID, lastOfChunk, nextTeam } from '../../src/money/ledger/books.ts';
import { idsWithin } from '../../src/money/ledger/moments.ts';
import { JOURNALS } from '../../src/money/ledger/seal.ts';
import { suspenseOf } from '../../src/money/ledger/suspense.ts';
import { book, type Books, closed, openBooks, PAYMENT } from './books.ts';
import { insertJournals, insertLines, type Journal, type Line, takenBack } from './rows.ts';

/** The statements that read the ledger, each on rows that differ from the wanted ones in one thing. */
let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

const trial = (work: (tx: Tx) => Promise<void>) => takenBack(books, work);

test('the next team is the smallest above a given one, in whatever table it appears', async () => {
  await trial(async (tx) => {
    await insertJournals(tx, [9, 1], [4, 1], [2, 1]);
    await insertLines(tx, [8, 1, 1, 'hold', 'clearing', 1], [5, 1, 1, 'hold', 'clearing', 1], [2, 1, 1, 'hold', 'clearing', 1]);
    for (const team of [2, 6, 10]) await tx.run(sql`insert into balances values (${team}, 'XAF', 'hold', false, 1)`);
    for (const team of [2, 7, 11])
      await tx.run(sql`insert into balance_deltas (team_id, currency, account, amount_minor) values (${team}, 'XAF', 'hold', 1)`);
    const teams: (bigint | null)[] = [];
    for (let team = await nextTeam(tx, 0n); team !== null; team = await nextTeam(tx, team)) teams.push(team);
    assert.deepEqual(teams, [2n, 4n, 5n, 6n, 7n, 8n, 9n, 10n, 11n]);
  });
});

test('balances are rows and deltas of the team and currency, summed by account', async () => {
  await trial(async (tx) => {
    for (const [team, currency, account, amount] of [
      [1, 'XAF', 'hold', 1],
      [1, 'XAF', 'pending', 2],
      [1, 'XOF', 'hold', 4],
      [2, 'XAF', 'hold', 8],
    ] as const) {
      await tx.run(sql`insert into balances values (${team}, ${currency}, ${account}, false, ${amount})`);
      await tx.run(sql`
        insert into balance_deltas (team_id, currency, account, amount_minor) values (${team}, ${currency}, ${account}, ${100 * amount}),
          (${team}, ${currency}, ${`${account}:acct_1`}, -1)`);
    }
    assert.deepEqual(Object.fromEntries(await readBalances(tx, 1n, 'XAF')), {
      ...{ hold: 101n, pending: 202n, 'hold:acct_1': -1n, 'pending:acct_1': -1n },
    });
    assert.deepEqual([...(await readBalances(tx, 3n, 'XAF'))], []);
  });
});

test('what the own transaction has posted is held, but not closed; no journal of it is summed', async () => {
  await books.app.transaction((tx) => book(tx, [['clearing', 'available', 7n]]));
  await closed(books.app);
  await trial(async (tx) => {
    const { closed_before: early } = await booksOf(tx, 1n);
    const old = await bookedSums(tx, { team_id: 1n, after: 0n, to: LAST_ID }, '9000000000000000000');
    assert.deepEqual([old.journals, old.lines], [1, 1]);
    assert.ok(BigInt(early) > 0n);
    await book(tx, PAYMENT);
    await book(tx, [['available', 'reserved', 3n]]);
    const { closed_before, accounts } = await booksOf(tx, 1n);
    const seen = accounts.map(({ currency, account, held_minor, closed_minor, guarded }) =>
      [currency, account, held_minor, closed_minor, guarded].join(' '),
    );
    assert.deepEqual(seen.sort(), [
      'XAF available 4 7 true',
      'XAF clearing -25007 -7 ',
      'XAF fee_income 500 0 ',
      'XAF pending 24500 0 ',
      'XAF reserved 3 0 true',
    ]);
    const none = await bookedSums(tx, { team_id: 1n, after: 0n, to: LAST_ID }, closed_before);
    assert.ok(none.journals <= 1, 'its own transaction is not closed');
    const before = await tx.maybe<{ tx: string }>(sql`select max(tx)::text as tx from journals where source_id <> 'x'`);
    const own = await bookedSums(tx, { team_id: 1n, after: 0n, to: LAST_ID }, before?.tx as string);
    assert.deepEqual([own.journals, own.lines], [1, 1], 'its first transaction is older');
    assert.deepEqual((await booksOf(tx, 5n)).accounts, []);
  });
  await books.owner.run(sql`truncate journals, postings, balances, balance_deltas`);
});

test('a chunk of journals ends with its last id, and its sums are those of its lines by pair of accounts', async () => {
  await trial(async (tx) => {
    await insertJournals(tx, [1, 9], [1, 1], [1, 5], [1, 3], [2, 2], [2, 5]);
    const ends = await Promise.all([1, 2, 3, 4, 5].map((chunk) => lastOfChunk(tx, 1n, 1n, chunk)));
    assert.deepEqual(ends, [3n, 5n, 9n, LAST_ID, LAST_ID]);
    assert.equal(await lastOfChunk(tx, 1n, 0n, 1), 1n);
    assert.equal(LAST_ID, 9_223_372_036_854_775_807n);
    await insertLines(
      tx,
      ...[1, 3, 5, 9].flatMap((id): Line[] => [
        [1, id, 1, 'clearing', 'hold', id],
        [1, id, 2, 'hold', 'pending', 10 * id],
      ]),
      ...([
        [1, 3, 3, 'clearing', 'hold', 1_000, 'XOF'],
        [2, 5, 1, 'clearing', 'hold', 5],
      ] satisfies Line[]),
    );
    const sums = await bookedSums(tx, { team_id: 1n, after: 1n, to: 5n }, '9000000000000000000');
    const flows = sums.flows.map(({ currency, debit, credit, amount_minor }) => `${currency} ${debit} ${credit} ${amount_minor}`);
    assert.deepEqual([sums.journals, sums.lines], [2, 5]);
    assert.deepEqual(flows.sort(), ['XAF clearing hold 8', 'XAF hold pending 80', 'XOF clearing hold 1000']);
    const none = await bookedSums(tx, { team_id: 1n, after: 5n, to: 8n }, '9000000000000000000');
    assert.deepEqual(none, { flows: [], journals: 0, lines: 0 });
  });
});

test('suspense is what journals of a source, kind and currency moved into hold, less what they moved out of it', async () => {
  await trial(async (tx) => {
    const journals: Journal[] = [
      [1, 1, undefined, 'in', 's1'],
      [1, 2, undefined, 'out', 's1'],
      [1, 3, undefined, 'in', 's2'],
      [1, 4, undefined, 'out', 's2'],
      [1, 5, undefined, 'other', 's1'],
      [2, 1, undefined, 'in', 's1'],
    ];
    await insertJournals(tx, ...journals);
    await insertLines(
      tx,
      [1, 1, 1, 'clearing', 'hold', 100],
      [1, 1, 2, 'hold', 'fee_income', 3],
      [1, 1, 3, 'clearing', 'pending', 50],
    );
    await insertLines(tx, [1, 2, 1, 'hold', 'pending', 20], [1, 3, 1, 'clearing', 'hold', 7], [1, 4, 1, 'hold', 'pending', 9]);
    await insertLines(tx, [1, 5, 1, 'clearing', 'hold', 1], [2, 1, 1, 'clearing', 'hold', 1]);
    const asked = [
      { source_id: 's1', kind: 'in' },
      { source_id: 's2', kind: 'out' },
      { source_id: 's3', kind: 'in' },
    ];
    assert.deepEqual(Object.fromEntries(await suspenseOf(tx, 1n, asked)), { 's1 in XAF': 97n, 's2 out XAF': -9n });
    assert.deepEqual([...(await suspenseOf(tx, 1n, []))], []);
  });
});

test('ids of a period begin a minute early and end a minute late, to the millisecond', async () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  await trial(async (tx) => {
    await insertJournals(
      tx,
      [1, 11, at(-60_001)],
      [1, 13, at(-60_000)],
      [1, 15, at(0)],
      [1, 17, at(59_999)],
      [1, 19, at(60_000)],
    );
    await insertJournals(tx, [2, 5, at(0)], [2, 12, at(-90_000)], [2, 14, at(90_000)], [2, 30, at(0)]);
    const now = new Date(at(0));
    assert.deepEqual(await idsWithin(tx, 1n, now, now), { from: 12n, to: 18n });
    assert.deepEqual(await idsWithin(tx, 1n, now, null), { from: 12n, to: null });
    assert.deepEqual(await idsWithin(tx, 1n, null, now), { from: null, to: 18n });
    const far = new Date(at(500_000));
    assert.deepEqual(await idsWithin(tx, 1n, far, far), { from: 20n, to: 20n });
    const old = new Date(at(-500_000));
    assert.deepEqual(await idsWithin(tx, 1n, old, old), { from: 11n, to: 11n });
    assert.deepEqual(await idsWithin(tx, 3n, now, now), { from: 0n, to: 0n });
  });
});

test('a seal hashes the lines in the order of transaction, journal and line, one for a journal without lines, and counts journals', async () => {
  await trial(async (tx) => {
    await insertJournals(tx, [1, 7], [2, 3], [1, 6], [1, 5], [1, 4], [1, 8]);
    await tx.run(
      sql`update journals set tx = case id when 8 then 99 when 7 then 100 when 4 then 102 when 3 then 103 else 101 end::text::xid8`,
    );
    await insertLines(tx, [1, 5, 2, 'hold', 'pending', 2], [1, 5, 1, 'clearing', 'hold', 1], [1, 7, 1, 'clearing', 'hold', 3]);
    await insertLines(tx, [1, 4, 1, 'clearing', 'hold', 9], [1, 8, 1, 'clearing', 'hold', 9], [2, 7, 1, 'clearing', 'hold', 9]);
    const sealed = async (from: string, to: string) => {
      const select = JOURNALS.sealed(fixed(`'${from}'::xid8`), fixed(`'${to}'::xid8`), fixed(`'\\x0102'::bytea`), null);
      const rows = await tx.all<{ count: number; hash: string }>(
        sql`select count, encode(hash, 'hex') as hash from (${select}) s`,
      );
      return rows[0];
    };
    const row = (at: number, id: number, rest: string) =>
      `["${at}", 1, ${id}, "k", "s${id}", "x${id}", 1767225600000, ${rest}]\n`;
    const lines = [
      row(100, 7, '1, "XAF", "clearing", "hold", 3'),
      row(101, 5, '1, "XAF", "clearing", "hold", 1'),
      row(101, 5, '2, "XAF", "hold", "pending", 2'),
      row(101, 6, 'null, null, null, null, null'),
    ];
    const hashOf = (body: string) =>
      createHash('sha256')
        .update(Buffer.from([1, 2]))
        .update(body)
        .digest('hex');
    assert.deepEqual(await sealed('100', '102'), { count: 3, hash: hashOf(lines.join('')) });
    assert.deepEqual(await sealed('500', '600'), { count: 0, hash: hashOf('') });
  });
});
