import type { Call } from '../call.ts';
import type { ListBeneficiariesQuery } from '../generated/operations.ts';
import type { Beneficiary, CreateBeneficiaryBody, ReplaceBeneficiaryBody, UpdateBeneficiaryBody } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { List } from '../pages.ts';

/** Beneficiaries: saved recipients of transfers. */
export class Beneficiaries {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Saves a recipient for transfers. */
  async create(body: CreateBeneficiaryBody, options?: CreateOptions): Promise<Beneficiary> {
    return (await this.#call('createBeneficiary', { body }, options)).beneficiary;
  }

  /** Returns the beneficiary in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<Beneficiary> {
    return (await this.#call('retrieveBeneficiary', { path: { id } }, options)).beneficiary;
  }

  /** Changes the given fields. Channel, country and currency cannot change. */
  async update(id: string, body: UpdateBeneficiaryBody, options?: CallOptions): Promise<Beneficiary> {
    return (await this.#call('updateBeneficiary', { path: { id }, body }, options)).beneficiary;
  }

  /** Replaces all fields. Absent fields become null. */
  async replace(id: string, body: ReplaceBeneficiaryBody, options?: CallOptions): Promise<Beneficiary> {
    return (await this.#call('replaceBeneficiary', { path: { id }, body }, options)).beneficiary;
  }

  /** Deletes the beneficiary. Transfers to it remain. */
  delete(id: string, options?: CallOptions): Promise<Deleted> {
    return deleted(id, async () => (await this.#call('deleteBeneficiary', { path: { id } }, options)).beneficiary);
  }

  /** Returns beneficiaries, newest first. */
  list(query: ListBeneficiariesQuery = {}, options?: CallOptions): List<Beneficiary> {
    return new List((paging) => this.#call('listBeneficiaries', { query: { ...query, ...paging } }, options), query);
  }
}
