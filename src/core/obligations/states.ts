export const RETURN_STATES = ['owed', 'refunding', 'paying_out', 'waiting', 'overpaid', 'returned', 'resolved'] as const;

export type ReturnState = (typeof RETURN_STATES)[number];

export const RETURN_TRIGGERS = [
  /** a refund at the provider of the capture was started */
  'refund_begun',
  /** a payout to the payer was started */
  'payout_begun',
  /** the refund or payout under way provably moved no money: it is in suspense again */
  'way_failed',
  /** the payer has the money */
  'went_back',
  /** neither refund nor payout is possible */
  'no_way_left',
  /** the payer has the money a second time: the refund that had failed succeeded after all */
  'went_back_twice',
  /** a person makes the service try payouts again */
  'retried',
  /** a person resolved it, with evidence */
  'resolved',
] as const;

export type ReturnTrigger = (typeof RETURN_TRIGGERS)[number];

const TABLE: Record<ReturnState, Partial<Record<ReturnTrigger, ReturnState>>> = {
  owed: {
    refund_begun: 'refunding',
    payout_begun: 'paying_out',
    went_back: 'returned',
    no_way_left: 'waiting',
    resolved: 'resolved',
  },
  // A refund that the previous version sent as a payout continues as one.
  refunding: { way_failed: 'owed', went_back: 'returned', payout_begun: 'paying_out' },
  paying_out: { way_failed: 'owed', went_back: 'returned', went_back_twice: 'overpaid' },
  waiting: { went_back: 'returned', retried: 'owed', resolved: 'resolved' },
  overpaid: { resolved: 'resolved' },
  // The two terminal states are left only when a refund that was reported as failed succeeds later.
  returned: { went_back_twice: 'overpaid' },
  resolved: { went_back_twice: 'overpaid' },
};

/** Returns the state after the trigger, or null when the trigger changes nothing in this state. */
export function nextReturnState(state: ReturnState, trigger: ReturnTrigger): ReturnState | null {
  return TABLE[state][trigger] ?? null;
}

/** Whether the return is closed: none of its money is in suspense or on its way, and nothing has to be resolved. */
export function isClosed(state: ReturnState): boolean {
  return state === 'returned' || state === 'resolved';
}
