import assert from 'node:assert/strict';
import type { Api } from './api.ts';

/** What GET of a list returned. */
interface Listed {
  // biome-ignore lint/suspicious/noExplicitAny: the document checks the shape of each response
  items: any[];
  // biome-ignore lint/suspicious/noExplicitAny: of both kinds of pagination
  meta: any;
}

/** The list of a resource, whose items are shown by their place in the order of creation. */
export class Listing {
  readonly #api: Api;
  readonly #path: string;
  readonly #key: () => string;
  /** Oldest first. */
  readonly ids: string[] = [];

  /** @param key of the merchant whose resources the list shows */
  constructor(api: Api, path: string, key: () => string) {
    this.#api = api;
    this.#path = path;
    this.#key = key;
  }

  async list(query: Record<string, string>, key = this.#key()): Promise<Listed> {
    const { status, body } = await this.#api.call('GET', `${this.#path}?${new URLSearchParams(query)}`, { key });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  shown({ items }: Listed): number[] {
    return items.map(({ id }) => this.ids.indexOf(id));
  }

  /** Returns what a filter finds; the total must be the number of items. */
  async found(query: Record<string, string>): Promise<number[]> {
    const body = await this.list(query);
    assert.equal(body.meta.total, body.items.length);
    return this.shown(body);
  }

  /** Checks the order, that each item is as its GET returns it, and that another merchant sees none. */
  async checkItems(name: string, stranger: string): Promise<void> {
    const body = await this.list({});
    assert.deepEqual(this.shown(body), this.ids.map((_, i) => i).reverse());
    for (const item of body.items) {
      const one = await this.#api.call('GET', `${this.#path}/${item.id}`, { key: this.#key() });
      assert.deepEqual(one.body[name], item);
    }
    assert.deepEqual((await this.list({}, stranger)).items, []);
  }

  /** Checks pages by number and by cursor, of a list of three. */
  async checkPages(): Promise<void> {
    const page = await this.list({ per_page: '2', page: '2' });
    assert.deepEqual([this.shown(page), page.meta.total, page.meta.last_page], [[0], 3, 2]);
    const first = await this.list({ per_page: '2', cursor: '' });
    assert.deepEqual([this.shown(first), first.meta.has_more], [[2, 1], true]);
    const last = await this.list({ per_page: '2', cursor: first.meta.next_cursor });
    assert.deepEqual([this.shown(last), last.meta.has_more], [[0], false]);
    assert.deepEqual(this.shown(await this.list({ per_page: '2', cursor: last.meta.prev_cursor })), [2, 1]);
  }
}
