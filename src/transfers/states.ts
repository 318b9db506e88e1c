/** Statuses of a transfer (docs/contract/states.md). It starts processing; the three others are terminal. */
export const TRANSFER_STATUSES = ['processing', 'succeeded', 'failed', 'cancelled'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** What can happen to a transfer. */
export const TRANSFER_TRIGGERS = [
  /** the available balance did not cover it when it was created */
  'uncovered',
  /** it is about to be handed to a provider */
  'sending',
  /** the provider provably has not taken it */
  'unsent',
  /** the provider has it, or may have it */
  'waiting',
  /** the credit is confirmed */
  'succeeded',
  /** rejected, by the provider or the operator */
  'failed',
  /** the provider itself gave it up */
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

/** The status after it, or null when the trigger changes nothing in this status. */
export function nextTransferStatus(status: TransferStatus, trigger: TransferTrigger): TransferStatus | null {
  return TABLE[status][trigger] ?? null;
}

/** Nothing can change it any more. */
export function isFinal(status: TransferStatus): boolean {
  return status !== 'processing';
}
