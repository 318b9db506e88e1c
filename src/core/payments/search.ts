import type { Store } from '../../platform/db/stores.ts';
import { CandidateReader } from '../../platform/search/candidates.ts';
import { BuildHints } from '../../platform/search/hints.ts';
import { readIndex } from '../../platform/search/search-store.ts';
import { type IdRange, pageOf, type Searching, searched } from '../../platform/search/search.ts';
import { countParts, KnownCounts, startOf } from '../../platform/search/total.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import type { Position } from '../../kit/paging.ts';
import { type Fragment, part } from '../../kit/sql.ts';
import { endOfDay, startOfDay } from '../../kit/list-filters.ts';
import { belongingTo, filterConditions, type PaymentsOf } from './list-store.ts';
import type { ListedRow } from './present.ts';
import type { ListPaymentsQuery } from './schema.ts';
import { areFew, GROUPS, matchingPayments, SEARCHABLE_PAYMENTS } from './search-store.ts';

/** A list of payments that contain a text. */
export interface PaymentSearch {
  query: ListPaymentsQuery;
  by: keyof typeof GROUPS;
  of: PaymentsOf | undefined;
  filters: Fragment[];
  position: Position;
}

export interface FoundPayments {
  /** In reading order. Cursor pages have one row more than requested when there is another page. */
  rows: ListedRow[];
  /** Null for cursor pages. */
  total: number | null;
}

/** Time for the total of a search. The statement under way ends some hundred milliseconds later. */
const COUNT_LIMIT_MS = 12_000;

/** Searches payments by the index of their texts (docs/decisions/0067-search.md). */
export class PaymentSearcher {
  readonly #known = new KnownCounts();
  readonly #hints = new BuildHints(SEARCHABLE_PAYMENTS.kind);

  /** Returns null when the list is so short that it is read as a whole. */
  search(store: Store, team_id: bigint, search: PaymentSearch): Promise<FoundPayments | null> {
    this.#hints.searched(store, team_id);
    return searched(() => this.#search(store, team_id, search));
  }

  async #search({ db, environment }: Store, team_id: bigint, search: PaymentSearch): Promise<FoundPayments | null> {
    const { query, by, of, filters, position } = search;
    const corpus = { team_id, kind: SEARCHABLE_PAYMENTS.kind };
    const index = await readIndex(db, corpus);
    if (index.segments.length === 0) return null;
    if (of && (await areFew(db, team_id, belongingTo(of)))) return null;
    const text = query.search ?? '';
    const searching: Searching = {
      ...{ db, corpus, index, prefix: idPrefix('trx', environment) },
      candidates: new CandidateReader(db, corpus, GROUPS[by], text),
    };
    const { date_from, date_to } = query;
    const range: IdRange = {
      after: date_from ? lowestIdAt('trx', environment, startOfDay(date_from)) : null,
      to: date_to ? lowestIdAt('trx', environment, endOfDay(date_to)) : null,
    };
    if (position.kind !== 'offset') {
      const order = position.kind === 'older' ? 'newest_first' : 'oldest_first';
      const matches = matchingPayments(db, team_id, [...filters, ...placed(position)]);
      const bounds = position.kind === 'older' ? { ...range, to: position.than ?? range.to } : { ...range, after: position.than };
      const rows = await pageOf(searching, matches, { order, range: bounds, skip: 0, limit: position.per_page + 1 });
      return { rows, total: null };
    }
    const { search: _, date_from: __, date_to: ___, ...others } = query;
    const only_text = filterConditions(environment, others, by, of).length === 0;
    const matches = matchingPayments(db, team_id, filters);
    const known = this.#known.of(`${environment} ${team_id} ${by} ${text}`);
    const parts = await countParts(searching, matches, {
      ...{ range, only_text, known },
      deadline: performance.now() + COUNT_LIMIT_MS,
    });
    const total = parts.reduce((sum, { count }) => sum + count, 0);
    const skipped = (position.page - 1) * position.per_page;
    if (skipped >= total) return { rows: [], total };
    const { to, skip } = startOf(parts, skipped);
    const bounds = { ...range, to: to !== null && (range.to === null || to < range.to) ? to : range.to };
    const limit = Math.min(position.per_page, total - skipped);
    return { rows: await pageOf(searching, matches, { order: 'newest_first', range: bounds, skip, limit }), total };
  }
}

function placed(position: Exclude<Position, { kind: 'offset' }>): Fragment[] {
  if (position.than === null) return [];
  if (position.kind === 'older') return [part`id < ${position.than}`];
  return [position.inclusive ? part`id >= ${position.than}` : part`id > ${position.than}`];
}
