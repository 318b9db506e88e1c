import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Secrets } from '../../src/kit/crypto.ts';
import { Problem } from '../../src/kit/errors.ts';
import { cursorPage, Cursors, offsetMeta, type PagingQuery, type Position } from '../../src/kit/paging.ts';

const secrets = new Secrets(Buffer.alloc(32, 1));
const cursors = new Cursors(secrets, 'payments:sandbox:1');
const FLOOR = 'trx_';

interface Row {
  id: string;
}

/** What the list's statement does: rows newest first, one more than asked for. */
function read(rows: Row[], position: Exclude<Position, { kind: 'offset' }>): Row[] {
  const { per_page } = position;
  if (position.kind === 'older')
    return rows.filter(({ id }) => position.than === null || id < position.than).slice(0, per_page + 1);
  const newer = rows.filter(({ id }) => id > position.than || (position.inclusive && id === position.than));
  return newer.reverse().slice(0, per_page + 1);
}

function page(rows: Row[], query: PagingQuery) {
  const position = cursors.position(query);
  assert.ok(position.kind !== 'offset');
  return cursorPage(cursors, position, read(rows, position), FLOOR);
}

function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, i) => ({ id: `trx_${String(count - i).padStart(6, '0')}` }));
}

const sizes = [fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 30 })] as const;

test('following next_cursor returns every row once, in order, until has_more is false', () => {
  fc.assert(
    fc.property(...sizes, (count, per_page) => {
      const rows = rowsOf(count);
      const seen: Row[] = [];
      let cursor = '';
      for (;;) {
        const { items, meta } = page(rows, { cursor, per_page });
        seen.push(...items);
        assert.ok(meta.next_cursor.length > 0);
        assert.equal(meta.per_page, per_page);
        if (!meta.has_more) break;
        cursor = meta.next_cursor;
      }
      assert.deepEqual(seen, rows);
    }),
  );
});

test('following prev_cursor from past the end returns every row once, in order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), sizes[1], (count, per_page) => {
      const rows = rowsOf(count);
      let last = page(rows, { cursor: '', per_page });
      while (last.meta.has_more) last = page(rows, { cursor: last.meta.next_cursor, per_page });
      let here = page(rows, { cursor: last.meta.next_cursor, per_page });
      assert.deepEqual([here.items, here.meta.has_more], [[], false]);
      const seen: Row[] = [];
      while (here.meta.prev_cursor !== null) {
        here = page(rows, { cursor: here.meta.prev_cursor, per_page });
        assert.ok(here.items.length > 0);
        seen.unshift(...here.items);
      }
      assert.deepEqual(seen, rows);
    }),
  );
});

test('back to a page that has become empty, and forward again, skips no row', () => {
  const rows = rowsOf(3);
  const first = page(rows, { cursor: '', per_page: 1 });
  const second = page(rows, { cursor: first.meta.next_cursor, per_page: 1 });
  const left = rows.slice(1);
  const back = page(left, { cursor: second.meta.prev_cursor as string, per_page: 1 });
  assert.deepEqual([back.items, back.meta.prev_cursor], [[], null]);
  assert.deepEqual(page(left, { cursor: back.meta.next_cursor, per_page: 2 }).items, left);
});

test('the first page has no prev_cursor; one page forward and back is the same page', () => {
  const rows = rowsOf(12);
  const first = page(rows, { cursor: '', per_page: 5 });
  assert.equal(first.meta.prev_cursor, null);
  const second = page(rows, { cursor: first.meta.next_cursor, per_page: 5 });
  const back = page(rows, { cursor: second.meta.prev_cursor as string, per_page: 5 });
  assert.deepEqual(back.items, first.items);
  assert.equal(back.meta.prev_cursor, null);
});

test('rows inserted between pages cause no duplicates and no gaps', () => {
  const first = page(rowsOf(10), { cursor: '', per_page: 4 });
  const second = page(rowsOf(13), { cursor: first.meta.next_cursor, per_page: 4 });
  assert.deepEqual([...first.items, ...second.items], rowsOf(10).slice(0, 8));
});

test('an empty list has a next_cursor for an empty page', () => {
  const { meta } = page([], { cursor: '', per_page: 5 });
  assert.deepEqual({ ...meta, next_cursor: '' }, { per_page: 5, next_cursor: '', prev_cursor: null, has_more: false });
  assert.deepEqual(page([], { cursor: meta.next_cursor }).items, []);
});

const LAST_PAGES: [total: number, per_page: number, last_page: number][] = [
  [0, 25, 1],
  [1, 25, 1],
  [25, 25, 1],
  [26, 25, 2],
  [100, 1, 100],
  [101, 100, 2],
];

for (const [total, per_page, last_page] of LAST_PAGES) {
  test(`${total} rows with per_page ${per_page} end on page ${last_page}`, () => {
    const meta = offsetMeta(cursors, { kind: 'offset', page: 1, per_page }, undefined, total, FLOOR);
    assert.equal(meta.last_page, last_page);
    assert.ok(meta.next_cursor.length > 0);
  });
}

function refuses(query: PagingQuery, field: string): void {
  assert.throws(
    () => cursors.position(query),
    (error) => error instanceof Problem && error.status === 422 && error.details.errors?.[field] !== undefined,
  );
}

test('a cursor of another list, team, environment or installation is rejected', () => {
  const scopes = ['payments:sandbox:2', 'payments:live:1', 'events:sandbox:1', 'payments:sandbox:11'];
  for (const scope of scopes) refuses({ cursor: new Cursors(secrets, scope).seal('o', 'trx_000001') }, 'cursor');
  refuses({ cursor: new Cursors(new Secrets(Buffer.alloc(32, 2)), 'payments:sandbox:1').seal('o', 'trx_000001') }, 'cursor');
});

test('a cursor with one character changed, added or removed is rejected', () => {
  const cursor = cursors.seal('o', 'trx_test_01m7y5hwfy29pze9s1mjv4rn7r');
  for (let i = 0; i < cursor.length; i++) {
    for (const changed of [
      cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1),
      cursor.slice(0, i) + cursor.slice(i + 1),
    ]) {
      if (changed !== cursor) refuses({ cursor: changed }, 'cursor');
    }
  }
  refuses({ cursor: `${cursor}A` }, 'cursor');
  refuses({ cursor: `${cursor}.x` }, 'cursor');
});

test('any text that was not sealed by this installation is rejected', () => {
  fc.assert(fc.property(fc.string({ minLength: 1, maxLength: 300 }), (cursor) => refuses({ cursor }, 'cursor')));
});

test('page and cursor together are rejected with both fields named, even if the cursor is empty', () => {
  refuses({ cursor: '', page: 1 }, 'cursor');
  refuses({ cursor: cursors.seal('o', 'trx_1'), page: 2 }, 'page');
});

test('without page and cursor the first page of 25 is returned', () => {
  assert.deepEqual(cursors.position({}), { kind: 'offset', page: 1, per_page: 25 });
});
