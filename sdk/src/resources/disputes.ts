import type { Call } from '../call.ts';
import type { ListDisputesQuery } from '../generated/operations.ts';
import type { Dispute, SubmitDisputeEvidenceBody } from '../generated/types.ts';
import type { CallOptions } from '../options.ts';
import { carriedOut } from '../lost-answer.ts';
import { List } from '../pages.ts';

/** Disputes: payments that a payer contests. */
export class Disputes {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Returns the dispute in its current state. */
  async retrieve(id: string, options?: CallOptions): Promise<Dispute> {
    return (await this.#call('retrieveDispute', { path: { id } }, options)).dispute;
  }

  /** Submits evidence that the payment was legitimate. */
  submitEvidence(id: string, body: SubmitDisputeEvidenceBody, options?: CallOptions): Promise<Dispute> {
    return carriedOut(
      async () => (await this.#call('submitDisputeEvidence', { path: { id }, body }, options)).dispute,
      async () => {
        const dispute = await this.retrieve(id, options);
        return JSON.stringify(dispute.evidence) === JSON.stringify(body.evidence) ? dispute : null;
      },
    );
  }

  /** Accepts the dispute: the payer keeps the money. */
  accept(id: string, options?: CallOptions): Promise<Dispute> {
    return carriedOut(
      async () => (await this.#call('acceptDispute', { path: { id } }, options)).dispute,
      async () => {
        const dispute = await this.retrieve(id, options);
        return dispute.status === 'lost' ? dispute : null;
      },
    );
  }

  /** Returns disputes, newest first. */
  list(query: ListDisputesQuery = {}, options?: CallOptions): List<Dispute> {
    return new List((paging) => this.#call('listDisputes', { query: { ...query, ...paging } }, options), query);
  }
}
