import type { PayoutOutcome, Preparation, Reading, RefundOutcome, Submission } from '../../providers/contract.ts';
import type { Reason } from '../../providers/reasons.ts';

/** What an answer says about the provider's health. */
export interface Finding {
  /** A technical failure: no answer, or one that blames the provider or operator. A payer's decline is none. */
  failed: boolean;
  /** It could not tell how something is getting on. */
  unreadable: boolean;
  ended: 'succeeded' | 'unsuccessful' | null;
}

const ANSWERED: Finding = { failed: false, unreadable: false, ended: null };
const FAILED: Finding = { ...ANSWERED, failed: true };
const UNREADABLE: Finding = { ...ANSWERED, unreadable: true };
const SUCCEEDED: Finding = { ...ANSWERED, ended: 'succeeded' };
const UNSUCCESSFUL: Finding = { ...ANSWERED, ended: 'unsuccessful' };

/** By these the provider says that it or the operator is in trouble, not the payer. */
const THEIRS: ReadonlySet<Reason> = new Set(['channel_unavailable', 'provider_error']);

/** Thrown against the contract: as if there had been no answer. */
export const BROKEN = FAILED;

/** @returns null when nothing was tried yet: only the step after it shows whether the provider works */
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

export function ofSubmission(submission: Submission): Finding {
  switch (submission.kind) {
    case 'accepted':
    case 'duplicate':
      return ANSWERED;
    case 'succeeded':
      return SUCCEEDED;
    case 'refused':
      return declined(submission.reason);
    case 'unavailable':
    case 'unknown':
      return FAILED;
  }
}

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
    case 'expired':
      return UNSUCCESSFUL;
    case 'unreadable':
      return UNREADABLE;
  }
}

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
    // Our own float was empty: the provider works.
    case 'unfunded':
      return UNSUCCESSFUL;
    case 'unavailable':
    case 'unknown':
      return FAILED;
  }
}

export function ofRefund(outcome: RefundOutcome): Finding {
  return outcome.kind === 'failed' ? declined(outcome.reason) : ofPayout(outcome);
}

/** A look that brought nothing is no failure to start something. */
export function asRead(finding: Finding): Finding {
  return finding === FAILED ? UNREADABLE : finding;
}

function declined(reason: Reason): Finding {
  return THEIRS.has(reason) ? { ...UNSUCCESSFUL, failed: true } : UNSUCCESSFUL;
}
