import type { Call } from '../call.ts';
import type { ListTransfersQuery } from '../generated/operations.ts';
import type { CreateTransferBody, Transfer } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Transfers: money that goes out. */
export class Transfers {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Pays out from the available balance. Look at `status`: without enough balance it is `failed` at once. */
  async create(body: CreateTransferBody, options?: CreateOptions): Promise<Transfer> {
    return (await this.#call('createTransfer', { body }, options)).transfer;
  }

  /** The transfer as it is now. */
  async retrieve(id: string, options?: CallOptions): Promise<Transfer> {
    return (await this.#call('retrieveTransfer', { path: { id } }, options)).transfer;
  }

  /** Transfers, newest first. */
  list(query: ListTransfersQuery = {}, options?: CallOptions): List<Transfer> {
    return new List((paging) => this.#call('listTransfers', { query: { ...query, ...paging } }, options), query);
  }
}
