import { endOfDay, startOfDay } from '../../kit/list-filters.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import type { Position } from '../../kit/paging.ts';
import { allOf, type Fragment, part } from '../../kit/sql.ts';
import type { Store } from '../db/stores.ts';
import { CandidateReader, Replaced } from './candidates.ts';
import { BuildHints } from './hints.ts';
import { fewIds, type Indexed, matchingRows } from './rows-store.ts';
import { readIndex } from './search-store.ts';
import { type IdRange, type Matches, type Order, pageOf, type Searching, searched } from './search.ts';
import type { ListedTable, Searchable } from './searchable.ts';
import { countParts, KnownCounts, startOf, uncounted } from './total.ts';

/** Query of a list that can be searched. */
interface SearchQuery {
  search?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
}

export interface ListSearch<Query extends SearchQuery> {
  query: Query;
  position: Position;
  /** Returns the conditions of a query. */
  conditions(query: Query): readonly Fragment[];
  /** Groups of fields that the caller may search. Absent: all. */
  groups?: readonly number[];
}

export interface Found<Row> {
  /** In reading order. Cursor pages have one row more than requested when there is another page. */
  rows: Row[];
  /** Null for cursor pages. */
  total: number | null;
}

/** Time limit for the total of a search, with its repetitions. The running statement ends some hundred milliseconds later. */
const COUNT_LIMIT_MS = 12_000;

/** Searches the rows of a list by the index of their texts (docs/decisions/0067-search.md). */
export class ListSearcher<Row extends { id: string }> {
  readonly #searchable: Searchable;
  readonly #table: ListedTable;
  readonly #known = new KnownCounts();
  readonly #hints: BuildHints;

  constructor(searchable: Searchable, table: ListedTable) {
    this.#searchable = searchable;
    this.#table = table;
    this.#hints = new BuildHints(searchable.kind);
  }

  /** Reports the row that a request creates. */
  async creating<Made>({ store, team }: { store: Store; team: { id: bigint } }, made: Promise<Made>): Promise<Made> {
    const result = await made;
    this.#hints.created(`${team.id}`, () => store);
    return result;
  }

  /**
   * Returns the page of a search; null for a query without a search text, or a list that is so short that it is read as a whole.
   * @throws Problem 422 for a numbered page whose total takes too long
   */
  async search<Query extends SearchQuery>(store: Store, team_id: bigint, search: ListSearch<Query>): Promise<Found<Row> | null> {
    const { search: text } = search.query;
    if (!text) return null;
    this.#hints.searched(store, team_id);
    const deadline = performance.now() + COUNT_LIMIT_MS;
    try {
      return await searched(deadline, () => this.#search(store, team_id, text, deadline, search));
    } catch (error) {
      throw error instanceof Replaced && search.position.kind === 'offset' ? uncounted() : error;
    }
  }

  async #search<Query extends SearchQuery>(
    { db, environment }: Store,
    team_id: bigint,
    text: string,
    deadline: number,
    { query, position, conditions, groups = [...this.#searchable.groups.keys()] }: ListSearch<Query>,
  ): Promise<Found<Row> | null> {
    const { kind, prefix, indexed = (same: string) => [same] } = this.#searchable;
    const texts = indexed(text);
    // The text consists of accents only, and every row matches it.
    if (texts.includes('')) return null;
    const corpus = { team_id, kind };
    const index = await readIndex(db, corpus);
    if (index.segments.length === 0) return null;
    const others = conditions({ ...query, search: undefined, date_from: undefined, date_to: undefined });
    const searching: Searching = {
      ...{ db, corpus, index, prefix: idPrefix(prefix, environment) },
      candidates: new CandidateReader(db, corpus, groups, texts),
    };
    const { date_from, date_to } = query;
    const range: IdRange = {
      after: date_from ? lowestIdAt(prefix, environment, startOfDay(date_from)) : null,
      to: date_to ? lowestIdAt(prefix, environment, endOfDay(date_to)) : null,
    };
    const filters = [...conditions(query), ...(position.kind === 'offset' ? [] : placed(position))];
    const matches = matchingRows<Row>(db, this.#table, team_id, filters);
    const few = await fewIds(db, this.#table, team_id, indexedOf(others));
    if (few) return foundAmong(matches, few, position);
    if (position.kind !== 'offset') {
      const order = orderOf(position);
      const bounds = position.kind === 'older' ? { ...range, to: position.than ?? range.to } : { ...range, after: position.than };
      const rows = await pageOf(searching, matches, { order, range: bounds, skip: 0, limit: position.per_page + 1 });
      return { rows, total: null };
    }
    const counting = { range, only_text: others.length === 0, deadline };
    const known = this.#known.of(`${environment} ${team_id} ${groups.join()} ${text}`);
    const parts = await countParts(searching, matches, { ...counting, known });
    const total = parts.reduce((sum, { count }) => sum + count, 0);
    const skipped = (position.page - 1) * position.per_page;
    if (skipped >= total) return { rows: [], total };
    const { to, skip } = startOf(parts, skipped);
    const bounds = { ...range, to: to !== null && (range.to === null || to < range.to) ? to : range.to };
    const limit = Math.min(position.per_page, total - skipped);
    return { rows: await pageOf(searching, matches, { order: 'newest_first', range: bounds, skip, limit }), total };
  }
}

/** Returns the conditions that an index serves. For an equality, the index has the rows in the order of ids. Ranges are served together. */
function indexedOf(conditions: readonly Fragment[]): Indexed[] {
  const { true: ranges = [], false: equalities = [] } = Object.groupBy(conditions, ({ varies }) => `${varies}`);
  const together = ranges.length > 0 ? [{ condition: allOf(ranges), ordered: false }] : [];
  return [...equalities.map((condition) => ({ condition, ordered: true })), ...together];
}

/** Returns the page of the matches among few rows. */
async function foundAmong<Row extends { id: string }>(
  matches: Matches<Row>,
  few: readonly string[],
  position: Position,
): Promise<Found<Row>> {
  if (position.kind !== 'offset')
    return { rows: await matches.rows({ ids: few }, orderOf(position), position.per_page + 1), total: null };
  const { page, per_page } = position;
  const found = await matches.ids({ ids: few }, 'newest_first', few.length);
  const ids = found.slice((page - 1) * per_page, page * per_page);
  return { rows: ids.length > 0 ? await matches.rows({ ids }, 'newest_first', per_page) : [], total: found.length };
}

function orderOf({ kind }: Position): Order {
  return kind === 'newer' ? 'oldest_first' : 'newest_first';
}

function placed(position: Exclude<Position, { kind: 'offset' }>): Fragment[] {
  if (position.than === null) return [];
  if (position.kind === 'older') return [part`id < ${position.than}`];
  return [position.inclusive ? part`id >= ${position.than}` : part`id > ${position.than}`];
}
