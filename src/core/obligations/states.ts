import type { ReturnRow } from './schema.ts';

export const RETURN_STATES = ['owed', 'refunding', 'paying_out', 'waiting', 'overpaid', 'returned', 'resolved'] as const;

export type ReturnState = (typeof RETURN_STATES)[number];

export const RETURN_TRIGGERS = [
  /** a refund at the provider of the capture was started */
  'refund_started',
  /** a payout to the payer was started */
  'payout_started',
  /** the refund or payout under way provably moved no money: it is in suspense again */
  'way_failed',
  /** the payer has the money */
  'returned_to_payer',
  /** neither refund nor payout is possible */
  'options_exhausted',
  /** the money has left suspense more than once: a refund that had failed succeeded after all */
  'returned_twice',
  /** a person makes the service try payouts again */
  'retried',
  /** a person resolved it, with evidence */
  'resolved',
] as const;

export type ReturnTrigger = (typeof RETURN_TRIGGERS)[number];

const TABLE: Record<ReturnState, Partial<Record<ReturnTrigger, ReturnState>>> = {
  owed: {
    refund_started: 'refunding',
    payout_started: 'paying_out',
    returned_to_payer: 'returned',
    options_exhausted: 'waiting',
    returned_twice: 'overpaid',
    resolved: 'resolved',
  },
  // A refund that the previous version sent as a payout continues as one.
  refunding: { way_failed: 'owed', returned_to_payer: 'returned', payout_started: 'paying_out' },
  paying_out: { way_failed: 'owed', returned_to_payer: 'returned', returned_twice: 'overpaid' },
  waiting: { returned_to_payer: 'returned', returned_twice: 'overpaid', retried: 'owed', resolved: 'resolved' },
  overpaid: { resolved: 'resolved' },
  // The two terminal states are left only when a refund that was reported as failed succeeds later.
  returned: { returned_twice: 'overpaid' },
  resolved: { returned_twice: 'overpaid' },
};

/** Returns the state after the trigger, or null when the trigger changes nothing in this state. */
export function nextReturnState(state: ReturnState, trigger: ReturnTrigger): ReturnState | null {
  return TABLE[state][trigger] ?? null;
}

/** Whether the return is closed: none of its money is in suspense or on its way, and nothing has to be resolved. */
export function isClosed(state: ReturnState): boolean {
  return state === 'returned' || state === 'resolved';
}

/** Whether the worker advances the return: it is neither closed nor waits for a person. */
function isAdvanced(state: ReturnState): boolean {
  return state === 'owed' || state === 'refunding' || state === 'paying_out';
}

/**
 * Whether the worker has to process a return. It advances an open return, polls in any state after a callback, and closes one that waits
 * for a person although a refund was done after all.
 */
export function needsWorker({ state, recheck, late_refund }: Pick<ReturnRow, 'state' | 'recheck' | 'late_refund'>): boolean {
  return isAdvanced(state) || recheck || (late_refund && state === 'waiting');
}

/**
 * Returns how many times the money of a return has left suspense: to the payer or, when a person decided so, to the merchant;
 * less what was put back. Processes of the previous version did not count it, so the state of the row determines the minimum.
 */
export function timesPaid(row: Pick<ReturnRow, 'state' | 'late_refund' | 'times_paid'>): number {
  const least = row.state === 'overpaid' ? 2 : isClosed(row.state) || row.late_refund ? 1 : 0;
  return Math.max(row.times_paid, least);
}

/**
 * Returns the trigger that ends a return.
 * @param times_paid how many times its money has left suspense
 */
export function endTrigger(times_paid: number): 'returned_to_payer' | 'returned_twice' {
  return times_paid > 1 ? 'returned_twice' : 'returned_to_payer';
}
