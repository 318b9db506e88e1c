import type { Call } from '../call.ts';
import type { ListLinkPaymentsQuery, ListLinksQuery } from '../generated/operations.ts';
import type { CreateLinkBody, Link, ListedPayment, UpdateLinkBody } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Payment links: URLs at which anyone can pay. They exist in live only. */
export class Links {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Creates a link. Share its `url`. */
  async create(body: CreateLinkBody, options?: CreateOptions): Promise<Link> {
    return (await this.#call('createLink', { body }, options)).link;
  }

  /** Returns the link in its current state, with the number and sum of its payments. */
  async retrieve(id: string, options?: CallOptions): Promise<Link> {
    return (await this.#call('retrieveLink', { path: { id } }, options)).link;
  }

  /** Changes the given fields. `active: false` deactivates the link. */
  async update(id: string, body: UpdateLinkBody, options?: CallOptions): Promise<Link> {
    return (await this.#call('updateLink', { path: { id }, body }, options)).link;
  }

  /** Returns links, newest first. */
  list(query: ListLinksQuery = {}, options?: CallOptions): List<Link> {
    return new List((paging) => this.#call('listLinks', { query: { ...query, ...paging } }, options), query);
  }

  /** Returns the payments made through the link, newest first. */
  payments(id: string, query: ListLinkPaymentsQuery = {}, options?: CallOptions): List<ListedPayment> {
    return new List((paging) => this.#call('listLinkPayments', { path: { id }, query: { ...query, ...paging } }, options), query);
  }
}
