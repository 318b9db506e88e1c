import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { idsWithin } from '../../src/money/ledger/moments.ts';
import { type Books, openBooks } from './books.ts';

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

const day = (n: number) => new Date(Date.UTC(2026, 0, n));

test('the ids of a period are those of the team, also where journals of another team lie between them', async () => {
  // Odd ids: one journal a day. Even ids: another team, years earlier. As the owner, whom no policy confines to a team.
  await books.owner.run(sql`
    insert into journals (team_id, id, kind, source_id, subject_id, created_at) overriding system value
    select 1 + (id + 1) % 2, id, 'test', 'source_' || id, 'subject',
      case when id % 2 = 1 then timestamptz '2026-01-01 12:00Z' + (id / 2) * interval '1 day' else '2020-01-01' end
    from generate_series(1, 15) id`);
  const idsOf = async (from: Date | null, before: Date | null) => {
    const ids = await idsWithin(books.owner, 1n, from, before);
    const rows = await books.owner.all<{ id: bigint }>(sql`
      select id from journals where team_id = 1 and id >= coalesce(${ids.from}::bigint, 0) and id < coalesce(${ids.to}::bigint, 99) order by id`);
    return rows.map(({ id }) => Number(id));
  };
  assert.deepEqual(await idsOf(null, null), [1, 3, 5, 7, 9, 11, 13, 15]);
  for (let n = 1; n <= 8; n++) {
    assert.deepEqual(await idsOf(day(n), day(n + 1)), [2 * n - 1]);
    assert.equal((await idsOf(day(n), null)).length, 9 - n);
    assert.equal((await idsOf(null, day(n))).length, n - 1);
  }
});
