export const RETURN_STATES = ['owed', 'refunding', 'paying_out', 'waiting', 'overpaid', 'returned', 'resolved'] as const;

export type ReturnState = (typeof RETURN_STATES)[number];

export const RETURN_TRIGGERS = [
  /** a refund at the provider of the capture was begun */
  'refund_begun',
  /** a payout to the payer was begun */
  'payout_begun',
  /** the refund or payout under way provably moved no money: it is in suspense again */
  'way_failed',
  /** the payer has the money */
  'went_back',
  /** neither refund nor payout is possible */
  'no_way_left',
  /** the payer has the money a second time: the refund that had failed was done after all */
  'went_back_twice',
  /** a person lets the service try payouts again */
  'retried',
  /** a person decided, with evidence */
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
  // A refund that the version before sent as a payout goes on as one.
  refunding: { way_failed: 'owed', went_back: 'returned', payout_begun: 'paying_out' },
  paying_out: { way_failed: 'owed', went_back: 'returned', went_back_twice: 'overpaid' },
  waiting: { went_back: 'returned', retried: 'owed', resolved: 'resolved' },
  overpaid: { resolved: 'resolved' },
  // Only a refund that was reported as failed and done later leads out of the two ends.
  returned: { went_back_twice: 'overpaid' },
  resolved: { went_back_twice: 'overpaid' },
};

/** The state after it, or null when the trigger changes nothing in this state. */
export function nextReturnState(state: ReturnState, trigger: ReturnTrigger): ReturnState | null {
  return TABLE[state][trigger] ?? null;
}

/** No money of it is in suspense or on its way, and nobody has to decide anything. */
export function isClosed(state: ReturnState): boolean {
  return state === 'returned' || state === 'resolved';
}
