import type { CursorMeta, ListMeta } from './generated/types.ts';

/** One page of a list, as the service answers it. */
export interface Page<T> {
  items: T[];
  meta: ListMeta;
}

/** How a list is asked for: by page, or by cursor. */
export interface Paging {
  per_page?: number | undefined;
  page?: number | undefined;
  cursor?: string | undefined;
}

/**
 * A list that fetches itself while it is read, newest first. Nothing is sent before it is read; what is added meanwhile
 * makes it neither skip nor repeat.
 *
 * ```ts
 * for await (const payment of pirogue.payments.list({ status: 'succeeded' })) …
 * ```
 */
export class List<T> implements AsyncIterable<T> {
  readonly #fetch: (paging: Paging) => Promise<Page<T>>;
  readonly #start: Paging;

  /** @param start where to begin; empty: at the newest */
  constructor(fetchPage: (paging: Paging) => Promise<Page<T>>, start: Paging) {
    this.#fetch = fetchPage;
    this.#start = start;
  }

  /** One page: the one asked for by `page` or `cursor`, else the first, whose `meta` then tells the total. */
  page(): Promise<Page<T>> {
    return this.#fetch({});
  }

  /** Page after page. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const { page, cursor } = this.#start;
    // An empty cursor begins at the newest.
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

  /** All of them, or the first so many. */
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
