import type { ApprovalRow } from './schema.ts';

/**
 * State of an approval. `approved`: decided, and neither done nor failed yet. `lapsed`: approved, but not done before it expired.
 */
export const APPROVAL_STATES = ['open', 'expired', 'approved', 'lapsed', 'done', 'failed', 'rejected', 'withdrawn'] as const;

export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** Returns the state of an approval when it was read. */
export function approvalState({ decision, outcome, over }: Pick<ApprovalRow, 'decision' | 'outcome' | 'over'>): ApprovalState {
  if (decision === null) return over ? 'expired' : 'open';
  if (decision !== 'approved') return decision;
  if (outcome !== null) return outcome;
  return over ? 'lapsed' : 'approved';
}
