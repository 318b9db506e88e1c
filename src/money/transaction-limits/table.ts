import { type Currency, isCurrency, type Minor } from '../../kit/money.ts';

export type Direction = 'payment' | 'transfer';

/** Transaction limits of a team in one direction and one currency, in hundredths. */
export interface TransactionLimits {
  per_transaction_minor: Minor;
  daily_minor: Minor;
  monthly_minor: Minor;
}

/** Equivalents of 500,000 XAF in major units: a fixed table, not an exchange rate (docs/decisions/0023-ceilings.md). */
const UNITS: Record<Currency, number> = {
  XAF: 500_000,
  XOF: 500_000,
  NGN: 1_200_000,
  GHS: 10_000,
  KES: 110_000,
  UGX: 3_000_000,
  RWF: 1_200_000,
  TZS: 2_000_000,
  CDF: 2_000_000,
  GNF: 7_000_000,
  ZAR: 15_000,
  ZMW: 20_000,
  MAD: 8_000,
  EGP: 40_000,
  USD: 800,
  EUR: 750,
  GBP: 650,
};

/** Limits of level 1, in units. */
const SHARES = {
  payment: { per_transaction: 1, daily: 4, monthly: 40 },
  transfer: { per_transaction: 1, daily: 2, monthly: 20 },
} as const;

/** Multiples of the limits of level 1, by verification level. Level 4 has no limits. */
const TIMES = [0, 1, 5, 25] as const;

/**
 * Returns the transaction limits of a verification level.
 * @returns null when there are none; all zero for a team that is not verified
 */
export function transactionLimitsOf(level: number, direction: Direction, currency: string): TransactionLimits | null {
  const times = TIMES[level];
  if (times === undefined) return null;
  const unit_minor = isCurrency(currency) ? BigInt(UNITS[currency] * times) * 100n : 0n;
  const { per_transaction, daily, monthly } = SHARES[direction];
  return {
    per_transaction_minor: unit_minor * BigInt(per_transaction),
    daily_minor: unit_minor * BigInt(daily),
    monthly_minor: unit_minor * BigInt(monthly),
  };
}
