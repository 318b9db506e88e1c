import type { EntryKind } from './book.ts';

/** What becomes of something, before the provider puts it in its own words. */
export type Fate =
  | 'succeeds'
  | 'insufficient_funds'
  | 'declined'
  | 'times_out'
  | 'payer_refuses'
  | 'recipient_unregistered'
  | 'invalid_recipient'
  | 'refund_fails';

/** By the last six digits, as in the orchestrator's sandbox. */
const FATES: Record<EntryKind, Record<string, Fate>> = {
  collect: { '000001': 'insufficient_funds', '000002': 'declined', '000003': 'times_out', '000004': 'payer_refuses' },
  payout: { '000001': 'recipient_unregistered', '000002': 'invalid_recipient' },
  refund: { '000009': 'refund_fails' },
};

export function fateOf(kind: EntryKind, msisdn: string): Fate {
  return FATES[kind][msisdn.slice(-6)] ?? 'succeeds';
}

/** An amount as providers write it: whole units, or at most two decimals after a point. */
export function minorOf(text: unknown): bigint | null {
  const parts = typeof text === 'string' ? /^(0|[1-9]\d{0,17})(?:\.(\d{1,2}))?$/.exec(text) : null;
  return parts ? BigInt(parts[1] as string) * 100n + BigInt((parts[2] ?? '').padEnd(2, '0')) : null;
}

/** Hundredths as whole units, with two decimals where asked for. */
export function amountText(amount_minor: bigint, decimals: 0 | 2): string {
  const whole = String(amount_minor / 100n);
  return decimals === 0 ? whole : `${whole}.${String(amount_minor % 100n).padStart(2, '0')}`;
}
