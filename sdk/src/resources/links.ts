import type { Call } from '../call.ts';
import type { ListLinkPaymentsQuery, ListLinksQuery } from '../generated/operations.ts';
import type { CreateLinkBody, Link, ListedPayment, UpdateLinkBody } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Payment links: addresses at which anyone can pay. Live only. */
export class Links {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Makes a link; share its `url`. */
  async create(body: CreateLinkBody, options?: CreateOptions): Promise<Link> {
    return (await this.#call('createLink', { body }, options)).link;
  }

  /** The link as it is now, with what was paid by it. */
  async retrieve(id: string, options?: CallOptions): Promise<Link> {
    return (await this.#call('retrieveLink', { path: { id } }, options)).link;
  }

  /** Changes the fields given; `active: false` switches it off. */
  async update(id: string, body: UpdateLinkBody, options?: CallOptions): Promise<Link> {
    return (await this.#call('updateLink', { path: { id }, body }, options)).link;
  }

  /** Links, newest first. */
  list(query: ListLinksQuery = {}, options?: CallOptions): List<Link> {
    return new List((paging) => this.#call('listLinks', { query: { ...query, ...paging } }, options), query);
  }

  /** Payments made through the link, newest first. */
  payments(id: string, query: ListLinkPaymentsQuery = {}, options?: CallOptions): List<ListedPayment> {
    return new List((paging) => this.#call('listLinkPayments', { path: { id }, query: { ...query, ...paging } }, options), query);
  }
}
