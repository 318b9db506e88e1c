import type pg from 'pg';
import { listed, type Row } from './payment.ts';
import { NEWER, NEWEST, OLDER, PAGE, TOTAL } from './statements.ts';
import type { Errors } from './validate.ts';

const DEFAULT_PER_PAGE = 25;
const MAX_PER_PAGE = 100;
const MAX_PAGE = 1_000_000;

interface Query {
  per_page: number;
  page: number;
  /** `o` (older than) or `n` (newer than) and a UUID; empty for the newest. */
  cursor: string | null;
}

interface List {
  items: ReturnType<typeof listed>[];
  meta: object;
}

/** Returns the query of a list, or what is wrong with it. */
export function readQuery(text: string): Query | { errors: Errors } {
  const query = new URLSearchParams(text);
  const cursor = query.get('cursor');
  const per_page = integer(query.get('per_page'), DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const page = integer(query.get('page'), 1, MAX_PAGE);
  const errors: Errors = {};
  if (per_page === null) errors.per_page = [`must be an integer from 1 to ${MAX_PER_PAGE}`];
  if (page === null) errors.page = [`must be an integer from 1 to ${MAX_PAGE}`];
  if (cursor !== null && query.has('page')) errors.cursor = ['cannot be used together with page'];
  if (cursor && !/^[no][0-9a-f]{32}$/.test(cursor)) errors.cursor = ['is not a cursor'];
  return per_page === null || page === null || Object.keys(errors).length > 0 ? { errors } : { per_page, page, cursor };
}

function integer(text: string | null, fallback: number, greatest: number): number | null {
  if (text === null) return fallback;
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= greatest ? value : null;
}

/** Reads a page of payments, newest first. */
export function readList(db: pg.Pool, team_id: number, query: Query): Promise<List> {
  return query.cursor === null ? numberedPage(db, team_id, query) : cursorPage(db, team_id, query.per_page, query.cursor);
}

async function numberedPage(db: pg.Pool, team_id: number, { per_page, page }: Query): Promise<List> {
  const values = [team_id, per_page, (page - 1) * per_page];
  const { rows } = await db.query<Row & { total: number }>({ name: 'page', text: PAGE, values });
  const total = rows[0]?.total ?? (await db.query({ name: 'total', text: TOTAL, values: [team_id] })).rows[0].total;
  return {
    items: rows.map(listed),
    meta: { current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)), per_page, total },
  };
}

async function cursorPage(db: pg.Pool, team_id: number, per_page: number, cursor: string): Promise<List> {
  const rows = await rowsAt(db, team_id, per_page + 1, cursor);
  const isNewer = cursor.startsWith('n');
  const has_more = rows.length > per_page;
  const page = rows.slice(0, per_page);
  if (isNewer) page.reverse();
  const [first, last] = [page[0], page.at(-1)];
  return {
    items: page.map(listed),
    meta: {
      per_page,
      next_cursor: last ? cursorOf('o', last) : cursor,
      prev_cursor: first && cursor !== '' && (!isNewer || has_more) ? cursorOf('n', first) : null,
      has_more: isNewer || has_more,
    },
  };
}

async function rowsAt(db: pg.Pool, team_id: number, limit: number, cursor: string): Promise<Row[]> {
  const values = cursor === '' ? [team_id, limit] : [team_id, limit, cursor.slice(1)];
  const [name, text] = cursor === '' ? ['newest', NEWEST] : cursor.startsWith('o') ? ['older', OLDER] : ['newer', NEWER];
  const { rows } = await db.query<Row>({ name, text, values });
  return rows;
}

function cursorOf(kind: 'o' | 'n', { id }: Row): string {
  return kind + id.replaceAll('-', '');
}
