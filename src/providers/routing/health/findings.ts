import type { PayoutOutcome, Preparation, Reading, RefundOutcome, Submission } from '../../adapters/contract.ts';
import type { Reason } from '../../adapters/reasons.ts';

/** The meaning of a call's result for the provider's health. */
export interface Finding {
  /**
   * A technical failure: no response, or one that reports a problem of the provider or operator. A payer's decline is
   * not a failure.
   */
  failed: boolean;
  /** The status of an operation could not be read. */
  unreadable: boolean;
  ended: 'succeeded' | 'unsuccessful' | null;
  /** The payer or the operator reacted, so the operation reached them. An expired operation proves nothing. */
  reached: boolean;
}

const ANSWERED: Finding = { failed: false, unreadable: false, ended: null, reached: false };
const FAILED: Finding = { ...ANSWERED, failed: true };
const UNREADABLE: Finding = { ...ANSWERED, unreadable: true };
const SUCCEEDED: Finding = { ...ANSWERED, ended: 'succeeded', reached: true };
const UNSUCCESSFUL: Finding = { ...ANSWERED, ended: 'unsuccessful', reached: true };
const RAN_OUT: Finding = { ...UNSUCCESSFUL, reached: false };

/** Reasons that report a problem of the provider or operator, not of the payer. */
const THEIRS: ReadonlySet<Reason> = new Set(['channel_unavailable', 'provider_error']);

/** The result of a call that threw, against the contract. Equivalent to no response. */
export const BROKEN = FAILED;

/**
 * Evaluates a preparation.
 * @returns null when nothing was submitted yet: only the following step shows whether the provider works
 */
export function ofPreparation(preparation: Preparation): Finding | null {
  switch (preparation.kind) {
    case 'ready':
      return null;
    case 'refused':
      return declined(preparation.reason);
    case 'unavailable':
      return FAILED;
  }
}

/**
 * Evaluates the result of submitting a collection, or a further step of it.
 * @returns null when nothing was sent
 */
export function ofSubmission(submission: Submission): Finding | null {
  switch (submission.kind) {
    case 'accepted':
      return submission.code_first ? null : ANSWERED;
    case 'duplicate':
      return ANSWERED;
    case 'succeeded':
      return SUCCEEDED;
    case 'refused':
      return declined(submission.reason);
    case 'unavailable':
      return submission.input_rejected ? ANSWERED : FAILED;
    case 'unknown':
      return FAILED;
  }
}

/** Evaluates a reading of a collection. */
export function ofReading(reading: Reading): Finding {
  switch (reading.kind) {
    case 'pending':
    case 'not_found':
      return ANSWERED;
    case 'succeeded':
      return SUCCEEDED;
    case 'failed':
      return declined(reading.reason);
    case 'cancelled':
      return UNSUCCESSFUL;
    case 'expired':
      return RAN_OUT;
    case 'unreadable':
      return UNREADABLE;
  }
}

/** Evaluates the status of a payout. */
export function ofPayout({ kind }: Pick<PayoutOutcome, 'kind'>): Finding {
  switch (kind) {
    case 'pending':
    case 'not_found':
      return ANSWERED;
    case 'succeeded':
      return SUCCEEDED;
    case 'failed':
    case 'cancelled':
      return UNSUCCESSFUL;
    // Our own float was insufficient. The provider works.
    case 'unfunded':
      return UNSUCCESSFUL;
    case 'unavailable':
    case 'unknown':
      return FAILED;
  }
}

/** Evaluates the status of a refund. */
export function ofRefund(outcome: RefundOutcome): Finding {
  return outcome.kind === 'failed' ? declined(outcome.reason) : ofPayout(outcome);
}

/** Converts the result of a submission to that of a read: a failed read is not a failed submission. */
export function asRead(finding: Finding): Finding {
  return finding === FAILED ? UNREADABLE : finding;
}

function declined(reason: Reason): Finding {
  return THEIRS.has(reason) ? { ...UNSUCCESSFUL, failed: true, reached: false } : UNSUCCESSFUL;
}
