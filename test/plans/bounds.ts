import type { Sql } from '../../src/kit/sql.ts';

/** Rows of the large team in each table. */
export const ROWS = 20_000;
/** Rows of a page. */
const PAGE = 25;
/** Rows that a statement may read beside those it needs: the row of a cursor, what belongs to an object, parts of an index. */
const FREE = 200;
/** Share of the rows that is few. */
const FEW = 0.02;

/** Limits of the product: FEW in platform/search/rows-store.ts, RANGES in platform/search/total.ts, FEW_SIDES in money/ledger/history.ts. */
const FEW_SEARCHED = 2_001;
const RANGES = 2;
const FEW_SIDES = 1_001;
/** Rows of the largest segment of the search index in this test. */
export const SEGMENT_ROWS = 4_000;

/** Rows that a count may read for each that it counts: of the balance history, a line and its journal. */
const READ_PER_MATCH: Record<string, number> = { '/balance/history': 2 };
/** Rows that a search may read for each that it compares: of a customer, its row and its texts. */
const READ_PER_SEARCHED: Record<string, number> = { '/customers': 2 };
/** Rows that a page may read beside the usual: of the balance history, a page of each bucket, currency and side is merged. */
const MERGED: Record<string, number> = { '/balance/history': 500 };

/** Counts that read more than what they count, with the reason and the cost, by route and choice. */
const COUNTS_ALL: Record<string, string> = {
  '/balance/history {"kind":"common"}':
    'nearly every journal is of a captured payment, so that all are read and the others left out: a third more than are counted',
};

/** A query of a list, as far as its bounds depend on it. */
export interface Asked {
  route: string;
  /** Choice of each filter; the search is one of them. */
  choice: Record<string, string>;
  /** Whether the list is of one object, such as a customer: that is a filter too. */
  is_owned: boolean;
  is_second_page: boolean;
  /** Rows that fit each filter alone, in the whole team. */
  matches: readonly number[];
  /** Rows of the list without filters. */
  all: number;
}

export const isTotal = ({ text }: Sql) => /^\s*select count\(\*\) as total from\b/.test(text);

/** Returns the rows that a statement of a list may read. */
export function boundOf(statement: Sql, asked: Asked): { bound: number; what: string } {
  const { text } = statement;
  const { route, choice } = asked;
  if (isTotal(statement)) return { what: 'total', bound: FREE + PAGE + counted(asked) * (READ_PER_MATCH[route] ?? 1) };
  if ('search' in choice) {
    const each = READ_PER_SEARCHED[route] ?? 1;
    // The number of rows of each condition, up to the limit.
    const conditions = text.match(/\) few\b/g)?.length ?? 0;
    if (conditions > 0) return { what: 'search: few', bound: FREE + conditions * FEW_SEARCHED * each };
    if (/\bcounted\.count\b/.test(text)) return { what: 'search: count', bound: FREE + RANGES * SEGMENT_ROWS * each };
    const compared = Object.keys(choice).length > 1 || asked.is_owned ? FEW_SEARCHED : 0;
    return { what: 'search: page', bound: FREE + 2 * PAGE * each + compared };
  }
  if (/\bas sides\b/.test(text)) return { what: 'few sides', bound: FREE + FEW_SIDES };
  return { what: 'page', bound: pageBound(asked) };
}

/** Returns the rows that a page may read without filters: of a total that is kept, the newest rows. */
export const unfilteredBound = FREE + PAGE;

/**
 * Returns the rows that a page may read, however many the team has. Of k filters that each leave the share p, a page is found in the order of
 * one of them after `PAGE / p ** (k - 1)` rows, and among all rows of one in `p * ROWS`: the worst share is the one where both are equal. More
 * than three filters need no more here.
 */
function pageBound({ route, choice, is_owned, is_second_page }: Asked): number {
  const filters = Math.min(3, Math.max(1, Object.keys(choice).length + (is_owned ? 1 : 0)));
  const rows = is_second_page ? 2 * PAGE : PAGE;
  return FREE + Math.ceil(rows ** (1 / filters) * ROWS ** (1 - 1 / filters)) + (MERGED[route] ?? 0);
}

/**
 * Returns the rows that a total may count: those of its filter; of several, those of the narrowest when they are few. PostgreSQL compares costs:
 * of filters that many rows fit, it may read the one whose rows lie together, or the entries of all of them.
 */
function counted({ route, choice, matches, all }: Asked): number {
  if (matches.length === 0 || `${route} ${JSON.stringify(choice)}` in COUNTS_ALL) return all;
  const narrowest = Math.min(...matches);
  return narrowest <= ROWS * FEW ? narrowest : matches.reduce((sum, rows) => sum + rows, 0);
}
