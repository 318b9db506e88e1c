import type { Call } from '../call.ts';
import type { ListBalanceHistoryQuery, RetrieveBalanceQuery } from '../generated/operations.ts';
import type { Balance, BalanceHistory } from '../generated/types.ts';
import type { AccountOptions, CallOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Balances of the team. */
export class Balances {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Returns the eight figures of one currency, up to three minutes old. */
  async retrieve(query: RetrieveBalanceQuery = {}, options?: CallOptions & AccountOptions): Promise<Balance> {
    return (await this.#call('retrieveBalance', { query }, options)).balance;
  }

  /** Returns every movement of money, newest first. */
  history(query: ListBalanceHistoryQuery = {}, options?: CallOptions & AccountOptions): List<BalanceHistory> {
    return new List((paging) => this.#call('listBalanceHistory', { query: { ...query, ...paging } }, options), query);
  }
}
