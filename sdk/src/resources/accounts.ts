import type { Call } from '../call.ts';
import type { ListAccountsQuery } from '../generated/operations.ts';
import type { Account, CreateAccountBody, Onboarding, UpdateAccountBody } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { List } from '../pages.ts';

/** Accounts: the connected accounts of a marketplace (`/subaccounts` is the same). */
export class Accounts {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Connects an account. */
  async create(body: CreateAccountBody, options?: CreateOptions): Promise<Account> {
    return (await this.#call('createAccount', { body }, options)).account;
  }

  /** Returns the account in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<Account> {
    return (await this.#call('retrieveAccount', { path: { id } }, options)).account;
  }

  /** Changes the given fields. */
  async update(id: string, body: UpdateAccountBody, options?: CallOptions): Promise<Account> {
    return (await this.#call('updateAccount', { path: { id }, body }, options)).account;
  }

  /** Replaces all fields. Absent fields are removed, also `split` (the platform then gets no share) and `settlement`: `update` changes some. */
  async replace(id: string, body: CreateAccountBody, options?: CallOptions): Promise<Account> {
    return (await this.#call('replaceAccount', { path: { id }, body }, options)).account;
  }

  /** Deactivates an account: it takes no new payments. */
  async deactivate(id: string, options?: CallOptions): Promise<Account> {
    return (await this.#call('deactivateAccount', { path: { id } }, options)).account;
  }

  /** Reactivates an account: it takes payments again. */
  async reactivate(id: string, options?: CallOptions): Promise<Account> {
    return (await this.#call('reactivateAccount', { path: { id } }, options)).account;
  }

  /** Creates an onboarding link, for the owner of the account to provide the details for verification. */
  async onboarding(id: string, options?: CallOptions): Promise<Onboarding> {
    return (await this.#call('createAccountOnboarding', { path: { id } }, options)).onboarding;
  }

  /** Returns accounts, newest first. */
  list(query: ListAccountsQuery = {}, options?: CallOptions): List<Account> {
    return new List((paging) => this.#call('listAccounts', { query: { ...query, ...paging } }, options), query);
  }
}
