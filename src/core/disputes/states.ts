export const DISPUTE_STATUSES = ['needs_response', 'under_review', 'won', 'lost', 'closed'] as const;

export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export const DISPUTE_TRIGGERS = [
  /** the merchant sent evidence */
  'evidence_sent',
  /** the merchant accepts the dispute as lost */
  'accepted',
  'provider_decided_won',
  'provider_decided_lost',
  /** the payer withdrew the dispute */
  'withdrawn',
] as const;

export type DisputeTrigger = (typeof DISPUTE_TRIGGERS)[number];

const TABLE: Record<DisputeStatus, Partial<Record<DisputeTrigger, DisputeStatus>>> = {
  needs_response: {
    evidence_sent: 'under_review',
    accepted: 'lost',
    provider_decided_won: 'won',
    provider_decided_lost: 'lost',
    withdrawn: 'closed',
  },
  under_review: { accepted: 'lost', provider_decided_won: 'won', provider_decided_lost: 'lost', withdrawn: 'closed' },
  won: {},
  lost: {},
  closed: {},
};

/** Returns the status after the trigger, or null when the trigger changes nothing in this status. */
export function nextDisputeStatus(status: DisputeStatus, trigger: DisputeTrigger): DisputeStatus | null {
  return TABLE[status][trigger] ?? null;
}
