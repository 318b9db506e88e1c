import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { linesAbout, linesOf } from '../../src/money/ledger/statement.ts';
import { type Books, openBooks } from './books.ts';
import { insertJournals, insertLines, type Journal, type Line, takenBack } from './rows.ts';

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

const trial = (work: (tx: Tx) => Promise<void>) => takenBack(books, work);

const LINE = { kind: 'k', currency: 'XAF', created_at: new Date('2026-01-01T00:00:00Z') };

test('lines about an id are those of its subject or its source in all teams, in order, each once', async () => {
  await trial(async (tx) => {
    await insertJournals(
      tx,
      [5, 4, undefined, 'k', 'id', 'other'],
      [3, 3, undefined, 'k', 'id', 'id'],
      [3, 2, undefined, 'k', 'else', 'id'],
    );
    await insertJournals(
      tx,
      [3, 1, undefined, 'k', 'no', 'no'],
      [4, 1, undefined, 'k', 'no', 'no'],
      [5, 3, undefined, 'k', 'i', 'd'],
    );
    const all: Line[] = [3, 2, 1].flatMap((id): Line[] => [
      [3, id, 2, 'hold', 'pending', 2],
      [3, id, 1, 'clearing', 'hold', 1],
    ]);
    await insertLines(
      tx,
      ...all,
      [4, 1, 1, 'clearing', 'hold', 1],
      [5, 4, 1, 'clearing', 'hold', 5],
      [5, 3, 1, 'clearing', 'hold', 1],
    );
    const lines = await linesAbout(tx, 'id');
    const places = lines.map(({ team_id, journal_id, line, amount_minor }) =>
      [team_id, journal_id, line, amount_minor].map(Number),
    );
    assert.deepEqual(places, [
      [3, 2, 1, 1],
      [3, 2, 2, 2],
      [3, 3, 1, 1],
      [3, 3, 2, 2],
      [5, 4, 1, 5],
    ]);
    assert.deepEqual(lines.at(-1), {
      ...{ ...LINE, team_id: 5n, journal_id: 4n, line: 1, source_id: 'id', subject_id: 'other' },
      ...{ debit: 'clearing', credit: 'hold', amount_minor: 5n },
    });
    assert.deepEqual(await linesAbout(tx, 'nothing'), []);
  });
});

test('a statement has the lines of its team or of all, from its beginning to before its end', async () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, n));
  await trial(async (tx) => {
    for (const team of [1, 2]) {
      await insertJournals(tx, ...[4, 3, 2, 1].map((n): Journal => [team, n, day(n).toISOString()]));
      for (const n of [4, 3, 2, 1])
        await insertLines(tx, [team, n, 2, 'hold', 'pending', 2], [team, n, 1, 'clearing', 'hold', 1]);
    }
    const read = async (team_id: bigint | null, from: Date | null, before: Date | null) => {
      const found: string[] = [];
      for await (const page of linesOf(tx, { team_id, from, before }))
        found.push(...page.map((line) => [line.team_id, line.journal_id, line.line].join('.')));
      return found;
    };
    const wanted = (teams: number[], ids: number[]) =>
      teams.flatMap((team) => ids.flatMap((id) => [`${team}.${id}.1`, `${team}.${id}.2`]));
    assert.deepEqual(await read(null, null, null), wanted([1, 2], [1, 2, 3, 4]));
    assert.deepEqual(await read(1n, null, null), wanted([1], [1, 2, 3, 4]));
    assert.deepEqual(await read(2n, day(2), day(4)), wanted([2], [2, 3]));
    assert.deepEqual(await read(null, day(3), null), wanted([1, 2], [3, 4]));
    assert.deepEqual(await read(1n, null, day(2)), wanted([1], [1]));
    assert.deepEqual(await read(1n, new Date(day(2).getTime() + 1), new Date(day(3).getTime() + 1)), wanted([1], [3]));
    assert.deepEqual(await read(3n, null, null), []);
  });
});

test('a statement longer than a page has every line once, in pages that are never empty', async () => {
  await trial(async (tx) => {
    await insertJournals(tx, ...[1, 2, 3].map((n): Journal => [1, n]));
    for (const n of [1, 2]) {
      await tx.run(sql`
        insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
        select 1, ${n}, line, 'XAF', 'clearing', 'hold', 1 from generate_series(1, 2500) line`);
    }
    const sizes = async () => {
      const pages: string[][] = [];
      for await (const page of linesOf(tx, { team_id: 1n, from: null, before: null }))
        pages.push(page.map(({ journal_id, line }) => `${journal_id} ${line}`));
      assert.equal(new Set(pages.flat()).size, pages.flat().length);
      return pages.map((page) => page.length);
    };
    assert.deepEqual(await sizes(), [5_000]);
    await insertLines(tx, [1, 3, 1, 'clearing', 'hold', 1]);
    assert.deepEqual(await sizes(), [5_000, 1]);
  });
});
