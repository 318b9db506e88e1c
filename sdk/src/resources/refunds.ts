import type { Call } from '../call.ts';
import type { ListRefundsQuery } from '../generated/operations.ts';
import type { CreateRefundBody, Refund } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Refunds: money returned to the payer. */
export class Refunds {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Refunds the `amount`, or everything that is not refunded yet. */
  async create(body: CreateRefundBody, options?: CreateOptions): Promise<Refund> {
    return (await this.#call('createRefund', { body }, options)).refund;
  }

  /** Returns the refund in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<Refund> {
    return (await this.#call('retrieveRefund', { path: { id } }, options)).refund;
  }

  /** Returns refunds, newest first. */
  list(query: ListRefundsQuery = {}, options?: CallOptions): List<Refund> {
    return new List((paging) => this.#call('listRefunds', { query: { ...query, ...paging } }, options), query);
  }
}
