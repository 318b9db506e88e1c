/** Statuses of a transfer (docs/contract/states.md). It starts processing; the three others are terminal. */
export const TRANSFER_STATUSES = ['processing', 'succeeded', 'failed', 'cancelled'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** Triggers of a transfer's state transitions. */
export const TRANSFER_TRIGGERS = [
  /** the available balance did not cover it when it was created */
  'uncovered',
  /** it is about to be submitted to a provider */
  'sending',
  /** the provider provably has not taken it */
  'unsent',
  /** the provider has it, or may have it */
  'waiting',
  /** the credit is confirmed */
  'succeeded',
  /** rejected by the provider or the operator */
  'failed',
  /** cancelled by the provider itself */
  'cancelled',
] as const;

export type TransferTrigger = (typeof TRANSFER_TRIGGERS)[number];

const TABLE: Record<TransferStatus, Partial<Record<TransferTrigger, TransferStatus>>> = {
  processing: {
    uncovered: 'failed',
    sending: 'processing',
    unsent: 'processing',
    waiting: 'processing',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  succeeded: {},
  failed: {},
  cancelled: {},
};

/** Returns the status after the trigger, or null when the trigger changes nothing in this status. */
export function nextTransferStatus(status: TransferStatus, trigger: TransferTrigger): TransferStatus | null {
  return TABLE[status][trigger] ?? null;
}

/** Whether the status is terminal. */
export function isFinal(status: TransferStatus): boolean {
  return status !== 'processing';
}
