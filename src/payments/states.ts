/** Statuses of a payment (docs/contract/states.md); terminal statuses have no transitions. */
export const PAYMENT_STATUSES = [
  'pending',
  'processing',
  'partial',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
  'refunded',
  'partially_refunded',
] as const;

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What can happen to a payment. */
export const PAYMENT_TRIGGERS = [
  /** a charge was handed to a provider */
  'submitted',
  /** a tranche landed, others are still to come */
  'part_captured',
  /** the whole amount has landed */
  'captured',
  /** the provider says the money did not move */
  'declined',
  /** the payer refused at the provider */
  'payer_cancelled',
  /** DELETE /payments/{id} */
  'merchant_cancelled',
  /** the window is over and nothing is under way */
  'window_elapsed',
  'part_refunded',
  'fully_refunded',
] as const;

export type PaymentTrigger = (typeof PAYMENT_TRIGGERS)[number];

/** A payment starts pending and never comes back to it. */
export type ReachedStatus = Exclude<PaymentStatus, 'pending'>;

const TABLE: Record<PaymentStatus, Partial<Record<PaymentTrigger, ReachedStatus>>> = {
  pending: {
    submitted: 'processing',
    part_captured: 'partial',
    declined: 'failed',
    merchant_cancelled: 'cancelled',
    window_elapsed: 'expired',
  },
  processing: {
    part_captured: 'partial',
    captured: 'succeeded',
    declined: 'failed',
    payer_cancelled: 'cancelled',
    window_elapsed: 'expired',
  },
  // A declined or refused later piece leaves it partial: what has landed stays, and the payer can go on.
  partial: { captured: 'succeeded', part_captured: 'partial', window_elapsed: 'expired' },
  succeeded: { part_refunded: 'partially_refunded', fully_refunded: 'refunded' },
  partially_refunded: { part_refunded: 'partially_refunded', fully_refunded: 'refunded' },
  failed: {},
  cancelled: {},
  expired: {},
  refunded: {},
};

/** The status after it, or null when the trigger changes nothing in this status. */
export function nextStatus(status: PaymentStatus, trigger: PaymentTrigger): ReachedStatus | null {
  return TABLE[status][trigger] ?? null;
}

/** Nothing but a refund can change it any more. */
export function isFinal(status: PaymentStatus): boolean {
  return !['pending', 'processing', 'partial'].includes(status);
}

/** Ended without its money: what comes for it afterwards goes back. */
export function isUnpaid(status: PaymentStatus): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'expired';
}
