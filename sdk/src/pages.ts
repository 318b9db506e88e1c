import type { CursorMeta, ListMeta } from './generated/types.ts';

/** One page of a list, as the service returns it. */
export interface Page<T> {
  items: T[];
  meta: ListMeta;
}

/** Position in a list: a page number or a cursor. */
export interface Paging {
  per_page?: number | undefined;
  page?: number | undefined;
  cursor?: string | undefined;
}

/**
 * A list that fetches its pages while it is iterated, newest first. No request is sent before that. Items added during the
 * iteration cause neither gaps nor repetitions.
 *
 * ```ts
 * for await (const payment of pirogue.payments.list({ status: 'succeeded' })) …
 * ```
 */
export class List<T> implements AsyncIterable<T> {
  readonly #fetch: (paging: Paging) => Promise<Page<T>>;
  readonly #start: Paging;

  /**
   * Creates a list.
   * @param start where to begin; empty: at the newest
   */
  constructor(fetchPage: (paging: Paging) => Promise<Page<T>>, start: Paging) {
    this.#fetch = fetchPage;
    this.#start = start;
  }

  /** Returns one page: the one selected by `page` or `cursor`, else the first, whose `meta` then contains the total. */
  page(): Promise<Page<T>> {
    return this.#fetch({});
  }

  /** Iterates over the pages. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const { page, cursor } = this.#start;
    // An empty cursor begins at the newest item.
    let paging: Paging = page === undefined && cursor === undefined ? { cursor: '' } : {};
    for (;;) {
      const found = await this.#fetch(paging);
      yield found;
      if (!hasMore(found.meta)) return;
      paging = { page: undefined, cursor: found.meta.next_cursor };
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Returns all items, or the first `limit` ones. */
  async toArray({ limit = Number.POSITIVE_INFINITY }: { limit?: number } = {}): Promise<T[]> {
    const all: T[] = [];
    if (limit <= 0) return all;
    for await (const item of this) {
      all.push(item);
      if (all.length >= limit) break;
    }
    return all;
  }
}

function hasMore(meta: ListMeta): boolean {
  if ('has_more' in meta) return (meta as CursorMeta).has_more;
  return meta.current_page < meta.last_page;
}
