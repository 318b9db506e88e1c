import type { Call } from '../call.ts';
import type { ListRefundsQuery } from '../generated/operations.ts';
import type { CreateRefundBody, Refund } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Refunds: money that goes back to the payer. */
export class Refunds {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Gives back the `amount`, or all that is left. */
  async create(body: CreateRefundBody, options?: CreateOptions): Promise<Refund> {
    return (await this.#call('createRefund', { body }, options)).refund;
  }

  /** The refund as it is now. */
  async retrieve(id: string, options?: CallOptions): Promise<Refund> {
    return (await this.#call('retrieveRefund', { path: { id } }, options)).refund;
  }

  /** Refunds, newest first. */
  list(query: ListRefundsQuery = {}, options?: CallOptions): List<Refund> {
    return new List((paging) => this.#call('listRefunds', { query: { ...query, ...paging } }, options), query);
  }
}
