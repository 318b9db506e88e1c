import type { Call } from '../call.ts';
import type { ListTransfersQuery } from '../generated/operations.ts';
import type { CreateTransferBody, Transfer } from '../generated/types.ts';
import type { AccountOptions, CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Transfers: outgoing money. */
export class Transfers {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Pays out from the available balance of the team, or of the `account`. Check `status`: with too little balance it is `failed`
   * at once.
   */
  async create(body: CreateTransferBody, options?: CreateOptions & AccountOptions): Promise<Transfer> {
    return (await this.#call('createTransfer', { body }, options)).transfer;
  }

  /** Returns the transfer in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<Transfer> {
    return (await this.#call('retrieveTransfer', { path: { id } }, options)).transfer;
  }

  /** Returns transfers, newest first. */
  list(query: ListTransfersQuery = {}, options?: CallOptions): List<Transfer> {
    return new List((paging) => this.#call('listTransfers', { query: { ...query, ...paging } }, options), query);
  }
}
