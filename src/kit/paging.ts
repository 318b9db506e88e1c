import { Type } from 'typebox';
import type { Secrets } from './crypto.ts';
import { invalid } from './errors.ts';

/** Query fields of every list (docs/contract/envelope.md). */
export const pagingQuery = {
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  // The maximum keeps the row offset within PostgreSQL's bigint.
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  cursor: Type.Optional(
    Type.String({
      // The place in the balance history contains the id of what was booked, up to two names of 128 characters, each encoded.
      maxLength: 2_000,
      description: 'From `meta.next_cursor` or `meta.prev_cursor`; not together with `page`. Empty starts cursor paging.',
    }),
  ),
};

/**
 * Start of a page. Lists are sorted newest first and ids sort by time, so a position is an id. `older`: rows with a smaller
 * id. `newer`: rows with a larger id (or an equal one with `inclusive`).
 */
export type Position =
  | { kind: 'offset'; page: number; per_page: number }
  | { kind: 'older'; than: string | null; per_page: number }
  | { kind: 'newer'; than: string; inclusive: boolean; per_page: number };

export interface PagingQuery {
  per_page?: number;
  page?: number;
  cursor?: string;
}

/** Returns whether the query of a list has a filter. */
export function isFiltered({ per_page: _, page: __, cursor: ___, ...filters }: PagingQuery): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/**
 * Signs and reads cursors. A cursor is valid for one list of one team; a cursor of another team or a changed one is rejected.
 */
export class Cursors {
  readonly #secrets: Secrets;
  readonly #scope: string;

  /** @param scope identifies the list and its owner, such as `payments:sandbox:<team>` */
  constructor(secrets: Secrets, scope: string) {
    this.#secrets = secrets;
    this.#scope = scope;
  }

  position(query: PagingQuery): Position {
    const per_page = query.per_page ?? 25;
    if (query.cursor === undefined) return { kind: 'offset', page: query.page ?? 1, per_page };
    if (query.page !== undefined) {
      throw invalid({ cursor: ['cannot be used together with page'], page: ['cannot be used together with cursor'] });
    }
    if (query.cursor === '') return { kind: 'older', than: null, per_page };
    const [sort, id] = this.#open(query.cursor);
    if (sort === 'o') return { kind: 'older', than: id, per_page };
    return { kind: 'newer', than: id, inclusive: sort === 'i', per_page };
  }

  seal(sort: 'o' | 'n' | 'i', id: string): string {
    const text = `${sort}${id}`;
    return `${Buffer.from(text).toString('base64url')}.${this.#secrets.mac('cursor', `${this.#scope}|${text}`)}`;
  }

  #open(cursor: string): [string, string] {
    const text = Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString();
    const sort = text.charAt(0);
    if (!/^[oni]$/.test(sort) || this.seal(sort as 'o', text.slice(1)) !== cursor) {
      throw invalid({ cursor: ['is not a cursor of this list: take it from meta.next_cursor as it is'] });
    }
    return [sort, text.slice(1)];
  }
}

export interface CursorMeta {
  per_page: number;
  next_cursor: string;
  prev_cursor: string | null;
  has_more: boolean;
}

export interface OffsetMeta {
  current_page: number;
  last_page: number;
  per_page: number;
  total: number;
  next_cursor: string;
}

/**
 * Cuts a page out of the rows read and builds its cursors.
 * @param rows at most per_page + 1 rows in query order: newest first, or oldest first for `newer`
 * @param floor id that sorts before every real id: start of the next page of an empty list
 */
export function cursorPage<Row extends { id: string }>(
  cursors: Cursors,
  position: Exclude<Position, { kind: 'offset' }>,
  rows: Row[],
  floor: string,
): { items: Row[]; meta: CursorMeta } {
  const { per_page } = position;
  const more = rows.length > per_page;
  const page = rows.slice(0, per_page);
  const items = position.kind === 'newer' ? page.reverse() : page;
  const [first, last] = [items[0]?.id, items.at(-1)?.id];
  const next = cursors.seal('o', last ?? boundOf(position, floor));
  return {
    items,
    meta: {
      per_page,
      next_cursor: next,
      prev_cursor: previous(cursors, position, first, more),
      has_more: position.kind === 'newer' ? true : more,
    },
  };
}

/** Suffix of an id that makes an exclusive bound include that id: it sorts after all characters of an id. */
export const INCLUDED = '~';

/**
 * Returns the id below which the page after an empty page begins. After an empty page of rows newer than a row, that row comes next:
 * {@link INCLUDED} makes the bound include it.
 */
function boundOf(position: Exclude<Position, { kind: 'offset' }>, floor: string): string {
  if (position.kind === 'older') return position.than ?? floor;
  return position.inclusive ? position.than : `${position.than}${INCLUDED}`;
}

function previous(cursors: Cursors, position: Position, first: string | undefined, more: boolean): string | null {
  if (position.kind === 'newer') return more && first ? cursors.seal('n', first) : null;
  if (position.kind === 'offset' || position.than === null) return null;
  // Past the end of the list: the previous page ends with the row that this cursor was made from.
  return first ? cursors.seal('n', first) : cursors.seal('i', position.than);
}

/**
 * Returns the items of a page and its meta.
 * @param rows as read: cursor pages with one row more than requested when there is another page
 * @param floor id that sorts before every real id
 * @param count counts the whole list; not called when the page shows its end
 */
export async function pageOf<Row extends { id: string }>(
  cursors: Cursors,
  position: Position,
  rows: Row[],
  floor: string,
  count: () => Promise<number>,
): Promise<{ items: Row[]; meta: CursorMeta | OffsetMeta }> {
  if (position.kind !== 'offset') return cursorPage(cursors, position, rows, floor);
  const total = endOf(position, rows.length) ?? (await count());
  return { items: rows, meta: offsetMeta(cursors, position, rows.at(-1)?.id, total, floor) };
}

/** Returns the total when the page shows it: it is the last one, and not beyond the end. */
function endOf({ page, per_page }: Extract<Position, { kind: 'offset' }>, rows: number): number | undefined {
  return rows < per_page && (rows > 0 || page === 1) ? (page - 1) * per_page + rows : undefined;
}

/**
 * Returns the meta of a numbered page.
 * @param lastId id of the last row of the page; undefined: the page is empty
 * @param floor id that sorts before every real id
 */
export function offsetMeta(
  cursors: Cursors,
  position: Extract<Position, { kind: 'offset' }>,
  lastId: string | undefined,
  total: number,
  floor: string,
): OffsetMeta {
  return {
    current_page: position.page,
    last_page: Math.max(1, Math.ceil(total / position.per_page)),
    per_page: position.per_page,
    total,
    next_cursor: cursors.seal('o', lastId ?? floor),
  };
}

export const listMeta = Type.Union([
  Type.Object({
    current_page: Type.Integer(),
    last_page: Type.Integer(),
    per_page: Type.Integer(),
    total: Type.Integer(),
    next_cursor: Type.String(),
  }),
  Type.Object({
    per_page: Type.Integer(),
    next_cursor: Type.String(),
    prev_cursor: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  }),
]);
