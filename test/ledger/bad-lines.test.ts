import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { reportBadLines } from '../../src/money/ledger/bad-lines.ts';
import type { JournalRange } from '../../src/money/ledger/books.ts';
import type { Difference } from '../../src/money/ledger/differences.ts';
import { type Books, openBooks } from './books.ts';

/**
 * Each inconsistency once, at the same journal of two teams: 11 has a line of another journal's number (10), 12 has no lines, 13 an
 * impossible amount, 14 moves money to where it was, 15 and 16 are 11 once more, 17 has no lines either. They are inserted in the
 * opposite order. Only the constraints that the checks replace are dropped.
 */
let books: Books;
before(async () => {
  books = await openBooks();
  const { owner } = books;
  await dropChecks();
  for (const team_id of [1, 2]) {
    await owner.run(sql`
      insert into journals (team_id, id, kind, source_id, subject_id) overriding system value
      select ${team_id}, id, 'test', 'source_' || case id when 15 then 11 when 16 then 11 else id end, 'subject'
      from generate_series(17, 11, -1) id`);
    await owner.run(sql`
      insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
      values (${team_id}, 16, 1, 'XAF', 'clearing', 'available', 1), (${team_id}, 15, 1, 'XAF', 'clearing', 'available', 1),
        (${team_id}, 14, 1, 'XAF', 'hold', 'hold', 5), (${team_id}, 13, 1, 'XAF', 'clearing', 'available', 0),
        (${team_id}, 11, 1, 'XAF', 'clearing', 'available', 5), (${team_id}, 10, 2, 'XAF', 'clearing', 'available', 5),
        (${team_id}, 10, 1, 'XAF', 'clearing', 'available', 5)`);
  }
  // A third team has what the two lack.
  await owner.run(sql`
    insert into journals (team_id, id, kind, source_id, subject_id) overriding system value values (4, 10, 'test', 'source_10', 'subject')`);
  await owner.run(sql`
    insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
    values (4, 12, 1, 'XAF', 'clearing', 'available', 5), (4, 17, 1, 'XAF', 'clearing', 'available', 5)`);
});
after(() => books.close());

async function dropChecks(): Promise<void> {
  const { owner } = books;
  const rules = await owner.all<{ at: string; name: string }>(sql`
    select conrelid::regclass::text as at, conname as name from pg_constraint
    where conrelid in ('journals'::regclass, 'postings'::regclass) and contype in ('c', 'f', 'u')`);
  for (const { at, name } of rules)
    await owner.run({ text: `alter table ${at} drop constraint if exists "${name}" cascade`, values: [] });
  const unique = await owner.all<{ name: string }>(sql`
    select indexrelid::regclass::text as name from pg_index
    where indrelid = 'journals'::regclass and indisunique and not indisprimary`);
  for (const { name } of unique) await owner.run({ text: `drop index ${name}`, values: [] });
}

/** Looks for rows in the order of the tables, so that a missing "order by" shows. */
async function report(range: JournalRange, into: Difference[]): Promise<void> {
  await books.owner.transaction(async (tx) => {
    for (const scan of ['indexscan', 'indexonlyscan', 'bitmapscan'])
      await tx.run({ text: `set local enable_${scan} = off`, values: [] });
    await reportBadLines(tx, range, (difference) => into.push(difference));
  });
}

/** What is found after one journal up to another, as check and journal. */
async function found(after: bigint, to: bigint, team_id = 1n): Promise<string[]> {
  const differences: Difference[] = [];
  await report({ team_id, after, to }, differences);
  assert.ok(differences.every((difference) => difference.team_id === team_id));
  return differences.map(({ check, what }) => `${check} ${/journal (\d+)/.exec(what)?.[1]}`);
}

const ALL = [
  'line_without_journal 10',
  'line_without_journal 10',
  'journal_without_lines 12',
  'journal_without_lines 17',
  'impossible_line 13',
  'impossible_line 14',
  'booked_twice 15',
  'booked_twice 16',
];

test('every inconsistency is reported once, with its journal', async () => {
  for (const team_id of [1n, 2n]) assert.deepEqual(await found(0n, 99n, team_id), ALL);
  assert.deepEqual(await found(0n, 99n, 3n), []);
});

test('each is reported in the chunk of its journal only', async () => {
  for (const one of ALL) {
    const id = BigInt(one.split(' ')[1] as string);
    assert.deepEqual(
      await found(id - 1n, id),
      ALL.filter((other) => other === one),
    );
  }
  assert.deepEqual(await found(10n, 11n), []);
  assert.deepEqual(await found(17n, 99n), []);
  assert.deepEqual(await found(0n, 9n), []);
});

test('what is reported says what is wrong', async () => {
  const differences: Difference[] = [];
  await report({ team_id: 1n, after: 0n, to: 99n }, differences);
  assert.deepEqual(
    differences.map(({ what, expected, found: seen }) => [what, expected, seen]),
    [
      ['journal 10, line 1', 'its journal', 'none'],
      ['journal 10, line 2', 'its journal', 'none'],
      ['journal 12 (test of source_12)', 'lines', 'none'],
      ['journal 17 (test of source_17)', 'lines', 'none'],
      ['journal 13, line 1', 'a positive amount between two accounts', '0 hundredths from clearing to available'],
      ['journal 14, line 1', 'a positive amount between two accounts', '5 hundredths from hold to hold'],
      ['journal 15 (test of source_11)', 'one journal', 'journal 11 too'],
      ['journal 16 (test of source_11)', 'one journal', 'journal 11 too'],
    ],
  );
});
