import type { Call } from '../call.ts';
import type { ListBeneficiariesQuery } from '../generated/operations.ts';
import type { Beneficiary, CreateBeneficiaryBody, ReplaceBeneficiaryBody, UpdateBeneficiaryBody } from '../generated/types.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { type Deleted, deleted } from '../lost-answer.ts';
import { List } from '../pages.ts';

/** Beneficiaries: whom you pay out to. */
export class Beneficiaries {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Keeps a recipient for transfers. */
  async create(body: CreateBeneficiaryBody, options?: CreateOptions): Promise<Beneficiary> {
    return (await this.#call('createBeneficiary', { body }, options)).beneficiary;
  }

  /** The beneficiary as it is now. */
  async retrieve(id: string, options?: CallOptions): Promise<Beneficiary> {
    return (await this.#call('retrieveBeneficiary', { path: { id } }, options)).beneficiary;
  }

  /** Changes the fields given. Channel, country and currency stay. */
  async update(id: string, body: UpdateBeneficiaryBody, options?: CallOptions): Promise<Beneficiary> {
    return (await this.#call('updateBeneficiary', { path: { id }, body }, options)).beneficiary;
  }

  /** Changes all fields; what is left out becomes null. */
  async replace(id: string, body: ReplaceBeneficiaryBody, options?: CallOptions): Promise<Beneficiary> {
    return (await this.#call('replaceBeneficiary', { path: { id }, body }, options)).beneficiary;
  }

  /** Forgets the beneficiary; transfers to it stay. */
  delete(id: string, options?: CallOptions): Promise<Deleted> {
    return deleted(id, async () => (await this.#call('deleteBeneficiary', { path: { id } }, options)).beneficiary);
  }

  /** Beneficiaries, newest first. */
  list(query: ListBeneficiariesQuery = {}, options?: CallOptions): List<Beneficiary> {
    return new List((paging) => this.#call('listBeneficiaries', { query: { ...query, ...paging } }, options), query);
  }
}
