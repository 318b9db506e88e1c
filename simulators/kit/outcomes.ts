import type { EntryKind } from './book.ts';

/** The outcome of an operation, before it is translated to the provider's codes. */
export type Outcome =
  | 'succeeds'
  | 'insufficient_funds'
  | 'declined'
  | 'times_out'
  | 'payer_refuses'
  | 'recipient_unregistered'
  | 'invalid_recipient'
  | 'refund_fails';

/** Outcomes by the last six digits, as in the orchestrator's sandbox. */
const OUTCOMES: Record<EntryKind, Record<string, Outcome>> = {
  collect: { '000001': 'insufficient_funds', '000002': 'declined', '000003': 'times_out', '000004': 'payer_refuses' },
  payout: { '000001': 'recipient_unregistered', '000002': 'invalid_recipient' },
  refund: { '000009': 'refund_fails' },
};

/** Returns the outcome of an operation with this number. */
export function outcomeOf(kind: EntryKind, msisdn: string): Outcome {
  return OUTCOMES[kind][msisdn.slice(-6)] ?? 'succeeds';
}

/**
 * Parses an amount as providers write it: whole units, or at most two decimals after a point.
 * @returns hundredths; null when it is not an amount
 */
export function minorOf(text: unknown): bigint | null {
  const parts = typeof text === 'string' ? /^(0|[1-9]\d{0,17})(?:\.(\d{1,2}))?$/.exec(text) : null;
  return parts ? BigInt(parts[1] as string) * 100n + BigInt((parts[2] ?? '').padEnd(2, '0')) : null;
}

/** Formats hundredths as whole units, with two decimals where required. */
export function amountText(amount_minor: bigint, decimals: 0 | 2): string {
  const whole = String(amount_minor / 100n);
  return decimals === 0 ? whole : `${whole}.${String(amount_minor % 100n).padStart(2, '0')}`;
}
