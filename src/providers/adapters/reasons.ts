/**
 * Reasons why no money moved: a closed list (docs/contract/errors.md). `payer`: the payer can correct the cause.
 * `retry`: one more attempt may succeed. `permanent`: every attempt fails in the same way until something changes.
 */
const REASONS = {
  insufficient_funds: {
    remedy: 'payer',
    message: 'There is not enough money on the account.',
  },
  wrong_pin: { remedy: 'payer', message: 'The PIN was wrong.' },
  authorization_timeout: {
    remedy: 'payer',
    message: 'The payment was not confirmed in time.',
  },
  payer_declined: {
    remedy: 'payer',
    message: 'The payment was refused on the phone.',
  },
  limit_exceeded: {
    remedy: 'payer',
    message: 'The payment is above the limit of the account.',
  },
  authentication_failed: { remedy: 'payer', message: 'The card could not be verified.' },
  card_declined: { remedy: 'payer', message: 'The bank declined the card.' },
  expired_card: { remedy: 'payer', message: 'The card has expired.' },
  channel_unavailable: {
    remedy: 'retry',
    message: 'This payment method is not available at the moment.',
  },
  operator_declined: { remedy: 'retry', message: 'The operator declined the payment.' },
  provider_error: {
    remedy: 'retry',
    message: 'The payment could not be made. No money was taken.',
  },
  invalid_number: {
    remedy: 'permanent',
    message: 'The number cannot be used for this payment.',
  },
  payer_not_registered: {
    remedy: 'permanent',
    message: 'There is no account on this number.',
  },
  fraud_blocked: { remedy: 'permanent', message: 'The payment was refused.' },
  duplicate_transaction: { remedy: 'permanent', message: 'This payment was already made.' },
  unknown: { remedy: 'retry', message: 'The payment was not made.' },
} as const;

export type Reason = keyof typeof REASONS;

export const REASON_CODES = Object.keys(REASONS) as Reason[];

/** Returns whether the text is a known failure reason. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}

/** Returns who or what can correct the cause. */
export function remedyOf(reason: Reason): 'payer' | 'retry' | 'permanent' {
  return REASONS[reason].remedy;
}

/** Returns the text for the payer in the language of the API, English. The pages have it in each of their languages. */
export function payerMessage(reason: Reason): string {
  return REASONS[reason].message;
}
