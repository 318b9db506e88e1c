/** Why a payment is left as it is, with the text of the command line. */
export const REASONS = {
  not_final: 'not final',
  changed_recently: 'changed since then',
  charge_under_way: 'a charge may still move money',
  amount_unresolved: 'another amount arrived and is not resolved',
  return_open: 'money has to be returned to the payer',
  refund_open: 'a refund is under way',
  dispute_open: 'a dispute is open',
  money_pending: 'its money is not released yet',
  payer_needed: "the payer's number or address is still kept",
  in_use: 'locked by another transaction',
  not_exact: 'would not be restored exactly',
} as const;

export type Reason = keyof typeof REASONS;

/** What was done, or would be done. */
export interface Tally {
  archived: number;
  /** Archived by an earlier run. */
  before: number;
  left: Partial<Record<Reason, number>>;
  /** Bytes of the rows of the archived payments and their attempts, without indexes. */
  bytes_before: number;
  /** 0 when nothing was written. */
  bytes_after: number;
}
