export const REFUND_STATUSES = ['pending', 'processing', 'succeeded', 'failed'] as const;

export type RefundStatus = (typeof REFUND_STATUSES)[number];

export const REFUND_TRIGGERS = ['sent', 'succeeded', 'failed'] as const;

export type RefundTrigger = (typeof REFUND_TRIGGERS)[number];

const TABLE: Record<RefundStatus, Partial<Record<RefundTrigger, RefundStatus>>> = {
  pending: { sent: 'processing', failed: 'failed' },
  processing: { succeeded: 'succeeded', failed: 'failed' },
  succeeded: {},
  failed: {},
};

/** Whether the status is terminal. */
export function isFinal(status: RefundStatus): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** Returns the status after the trigger, or null when the trigger changes nothing in this status. */
export function nextRefundStatus(status: RefundStatus, trigger: RefundTrigger): RefundStatus | null {
  return TABLE[status][trigger] ?? null;
}
