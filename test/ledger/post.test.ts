import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { foldDeltas } from '../../src/money/ledger/fold.ts';
import { InsufficientBalance, type Journal, lockBalances, post } from '../../src/money/ledger/post.ts';
import { type Books, openBooks } from './books.ts';

/** What posting writes, row by row, and in which order it takes its locks. */
let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());
beforeEach(() => books.owner.run(sql`truncate journals, postings, balances, balance_deltas restart identity`));

const text = (statement: string): Sql => ({ text: statement, values: [] });
const posted = (journals: Journal[]) => books.app.transaction((tx) => post(tx, journals));

function journal(lines: [Account, Account, bigint][], changes: Partial<Journal> = {}): Journal {
  const postings = lines.map(([debit, credit, amount_minor]) => ({ debit, credit, amount_minor }));
  return { team_id: 1n, kind: 'test', source_id: 's1', subject_id: 'x1', currency: 'XAF', postings, ...changes };
}

/** Rows of a table, without the columns that the database fills. */
async function rows(table: string, columns: string): Promise<string[]> {
  const found = await books.owner.all<{ row: string }>(
    text(`select concat_ws(' ', ${columns}) as row from ${table} order by ${columns}`),
  );
  return found.map(({ row }) => row);
}

const lines = () => rows('postings', 'team_id, journal_id, line, currency, debit, credit, amount_minor');
const balances = () => rows('balances', 'team_id, currency, account, guarded, posted_minor');
const deltas = () => rows('balance_deltas', 'team_id, currency, account, amount_minor');
const fold = (limit: number) => foldDeltas(books.app, limit);

test('a journal is written with its lines, in order, without those of zero or less', async () => {
  const wanted = journal([
    ['clearing', 'available', 100n],
    ['clearing', 'hold', 0n],
    ['clearing', 'hold', -5n],
    ['available', 'reserved', 30n],
    ['clearing', 'available:acct_1', 7n],
  ]);
  const done = await posted([wanted]);
  assert.deepEqual(done, [{ ...wanted, postings: wanted.postings.filter(({ amount_minor }) => amount_minor > 0n) }]);
  assert.deepEqual(await rows('journals', 'team_id, id, kind, source_id, subject_id'), ['1 1 test s1 x1']);
  assert.deepEqual(await lines(), [
    '1 1 1 XAF clearing available 100',
    '1 1 2 XAF available reserved 30',
    '1 1 3 XAF clearing available:acct_1 7',
  ]);
  assert.deepEqual(await balances(), ['1 XAF available t 70', '1 XAF available:acct_1 t 7', '1 XAF reserved t 30']);
  assert.deepEqual(await deltas(), ['1 XAF clearing -107'], 'one row for each account');
});

test('journals of teams and currencies are written apart; those without lines, and those posted before, not at all', async () => {
  const one: [Account, Account, bigint][] = [['clearing', 'available', 5n]];
  const first = [
    journal(one),
    journal([]),
    journal(one, { source_id: 's2', subject_id: 'x2', currency: 'XOF' }),
    journal(one, { team_id: 2n }),
    journal(one, { kind: 'other' }),
  ];
  assert.deepEqual(await posted(first), [first[0], first[2], first[3], first[4]]);
  const again = [journal(one), journal(one, { source_id: 's3' }), journal(one, { source_id: 's2' })];
  assert.deepEqual(await posted(again), [again[1]]);
  assert.deepEqual(await posted([]), []);
  assert.deepEqual(await balances(), ['1 XAF available t 15', '1 XOF available t 5', '2 XAF available t 5']);
  assert.equal((await lines()).length, 5);
});

test('journals are inserted in the order of their keys, so that those who post the same ones cannot deadlock', async () => {
  const one: [Account, Account, bigint][] = [['clearing', 'hold', 1n]];
  const keys = [{ team_id: 2n }, { source_id: 's2' }, { source_id: 's1', kind: 'b' }, { source_id: 's1', kind: 'a' }];
  const given = keys.map((key) => journal(one, key));
  assert.deepEqual(await posted(given), given, 'they are returned as they were given');
  assert.deepEqual(await rows('journals', 'id, team_id, source_id, kind'), [
    '1 1 s1 a',
    '2 1 s1 b',
    '3 1 s2 test',
    '4 2 s1 test',
  ]);
});

test('an advance may be negative; money of a guarded account that is moved on in one journal needs no cover', async () => {
  await posted([journal([['credit', 'available', 9n]])]);
  assert.deepEqual(await balances(), ['1 XAF available t 9', '1 XAF credit f -9']);
  await posted([
    journal(
      [
        ['reserved', 'hold', 4n],
        ['clearing', 'reserved', 4n],
      ],
      { source_id: 's2' },
    ),
  ]);
  assert.deepEqual(await balances(), ['1 XAF available t 9', '1 XAF credit f -9'], 'a sum of zero writes no row');
});

test('a guarded account can be emptied and not overdrawn, whatever else there is', async () => {
  await posted([
    journal([['clearing', 'available', 10n]]),
    journal([['clearing', 'available', 99n]], { currency: 'XOF', source_id: 's2' }),
    journal([['clearing', 'available', 99n]], { team_id: 2n }),
    journal([['clearing', 'available:acct_1', 99n]], { source_id: 's3' }),
  ]);
  const take = (amount: bigint) => posted([journal([['available', 'hold', amount]], { source_id: `t${amount}` })]);
  await assert.rejects(take(11n), InsufficientBalance);
  await assert.rejects(take(11n), /available does not cover the debit/);
  await take(10n);
  await assert.rejects(take(1n), InsufficientBalance);
  await assert.rejects(posted([journal([['reserved', 'hold', 1n]], { source_id: 't' })]), /reserved does not cover/);
  assert.equal((await balances())[0], '1 XAF available t 0');
});

test('locking returns the balances of the named accounts, and makes rows for those that have none', async () => {
  await posted([
    journal([['clearing', 'available', 10n]]),
    journal([['clearing', 'reserved', 11n]], { source_id: 's2' }),
    journal([['clearing', 'available', 99n]], { team_id: 2n }),
    journal([['clearing', 'available', 98n]], { currency: 'XOF', source_id: 's3' }),
  ]);
  const found = await books.app.transaction((tx) => lockBalances(tx, 1n, 'XAF', ['credit', 'available']));
  assert.deepEqual(found, { available: 10n, credit: 0n });
  const one = await books.app.transaction((tx) => lockBalances(tx, 3n, 'XAF', ['available:acct_1', 'credit:acct_1']));
  assert.deepEqual(one, { 'available:acct_1': 0n, 'credit:acct_1': 0n });
  assert.deepEqual((await balances()).slice(-2), ['3 XAF available:acct_1 t 0', '3 XAF credit:acct_1 f 0']);
});

/** Whether another transaction can lock an account's row. */
async function isFree(name: string): Promise<boolean> {
  return (await books.owner.all(text(`select 1 from balances where account = '${name}' for update skip locked`))).length > 0;
}

/** Waits until a statement waits for a lock. */
async function waitsForLock(): Promise<void> {
  const waiting = text(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  while ((await books.owner.all(waiting)).length === 0) await sleep(5);
}

const TAKERS: Record<string, (tx: Tx) => Promise<unknown>> = {
  'locking balances': (tx) => lockBalances(tx, 1n, 'XAF', ['reserved', 'available']),
  posting: (tx) =>
    post(tx, [
      journal(
        [
          ['reserved', 'hold', 1n],
          ['available', 'hold', 1n],
        ],
        { source_id: 'taken' },
      ),
    ]),
};
for (const [what, work] of Object.entries(TAKERS)) {
  test(`${what} locks accounts in the order of their names, whatever the order of rows and of the request`, async () => {
    await posted([journal([['clearing', 'reserved', 5n]])]);
    await posted([journal([['clearing', 'available', 5n]], { source_id: 's2' })]);
    let working: Promise<void> | undefined;
    await books.owner.transaction(async (tx) => {
      await tx.all(text(`select 1 from balances where account = 'available' for update`));
      working = books.app.transaction(async (own) => {
        // Rows come in the order of the table then, not in that of an index.
        await own.run(text('set local enable_indexscan = off'));
        await own.run(text('set local enable_bitmapscan = off'));
        await work(own);
      });
      await waitsForLock();
      assert.equal(await isFree('reserved'), true);
    });
    await working;
    await books.app.transaction(async (own) => {
      await work(own).catch(() => {});
      assert.deepEqual([await isFree('available'), await isFree('reserved')], what === 'posting' ? [true, true] : [false, false]);
    });
  });
}

test('rows of accounts are made in the order of their names too', async () => {
  let working: Promise<void> | undefined;
  await books.owner.transaction(async (tx) => {
    await tx.run(text(`insert into balances values (1, 'XAF', 'available', true, 0)`));
    working = books.app.transaction(async (own) => void (await lockBalances(own, 1n, 'XAF', ['reserved', 'available'])));
    await waitsForLock();
    // It waits for the first row, so it has not made the second: another transaction need not wait for that.
    const free = books.owner.transaction(async (other) => {
      await other.run(text(`set local lock_timeout = '2s'`));
      await other.run(text(`insert into balances values (1, 'XAF', 'reserved', true, 0)`));
    });
    await free;
  });
  await working;
  assert.deepEqual(await balances(), ['1 XAF available t 0', '1 XAF reserved t 0']);
});

test('folding adds the oldest deltas to their balances, as many as asked, and says how many', async () => {
  await posted([journal([['credit', 'available', 3n]])]);
  await books.owner.run(sql`
    insert into balance_deltas (team_id, id, currency, account, amount_minor) overriding system value
    values (1, 5, 'XAF', 'hold', -7), (2, 4, 'XAF', 'hold', -8), (1, 3, 'XOF', 'hold', -4), (1, 2, 'XAF', 'hold', -2), (1, 1, 'XAF', 'hold', -1)`);
  assert.equal(await fold(2), 2);
  assert.deepEqual(await balances(), ['1 XAF available t 3', '1 XAF credit f -3', '1 XAF hold f -3']);
  assert.deepEqual(await deltas(), ['1 XAF hold -7', '1 XOF hold -4', '2 XAF hold -8']);
  assert.equal(await fold(99), 3);
  assert.equal(await fold(99), 0);
  assert.deepEqual(await balances(), [
    ...['1 XAF available t 3', '1 XAF credit f -3', '1 XAF hold f -10', '1 XOF hold f -4', '2 XAF hold f -8'],
  ]);
  assert.deepEqual(await deltas(), []);
});

test('folding passes over deltas that another worker folds', async () => {
  await posted([journal([['hold', 'clearing', 1n]])]);
  await books.owner.transaction(async (tx) => {
    await tx.all(text(`select 1 from balance_deltas where account = 'hold' for update`));
    assert.equal(await fold(99), 1);
  });
  assert.equal(await fold(99), 1);
  assert.deepEqual(await balances(), ['1 XAF clearing f 1', '1 XAF hold f -1']);
});
