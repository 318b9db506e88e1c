/** Statuses of a payment (docs/contract/states.md). Terminal statuses have no transitions. */
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

/** Triggers of a payment's state transitions. */
export const PAYMENT_TRIGGERS = [
  /** a charge was submitted to a provider */
  'submitted',
  /** a tranche was captured, others are still to come */
  'part_captured',
  /** the whole amount is captured */
  'captured',
  /** the provider reports that the money did not move */
  'declined',
  /** the charge was cancelled: by the payer at the provider or on the hosted page, also before the provider had it, or manually at the provider */
  'payer_cancelled',
  /** DELETE /payments/{id} */
  'merchant_cancelled',
  /** the payment window is over and no attempt is under way */
  'window_elapsed',
  'part_refunded',
  'fully_refunded',
] as const;

export type PaymentTrigger = (typeof PAYMENT_TRIGGERS)[number];

/** Statuses reached by a transition: a payment starts pending and never returns to it. */
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
  // A declined or rejected later tranche leaves the payment partial: captured money stays, and the payer can continue.
  partial: { captured: 'succeeded', part_captured: 'partial', window_elapsed: 'expired' },
  succeeded: { part_refunded: 'partially_refunded', fully_refunded: 'refunded' },
  partially_refunded: { part_refunded: 'partially_refunded', fully_refunded: 'refunded' },
  failed: {},
  cancelled: {},
  expired: {},
  refunded: {},
};

/** Returns the status after the trigger, or null when the trigger changes nothing in this status. */
export function nextStatus(status: PaymentStatus, trigger: PaymentTrigger): ReachedStatus | null {
  return TABLE[status][trigger] ?? null;
}

/** Whether only a refund can still change the payment. */
export function isFinal(status: PaymentStatus): boolean {
  return !['pending', 'processing', 'partial'].includes(status);
}

/** Whether the payment ended unpaid: money captured for it afterwards is returned to the payer. */
export function isUnpaid(status: PaymentStatus): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'expired';
}
