import { decimalsOf, type Minor } from '../../kit/money.ts';
import type { ChannelKind } from '../../providers/adapters/contract.ts';

/** Fee rates in hundredths of a percent (basis points): 200 is 2 %. Integers, because a fee is exact. */
export type FeeRates = Record<ChannelKind | 'transfer', number>;

/** Returns the fee in hundredths of the currency, rounded half up to the smallest amount the currency can move. */
export function feeOf(rates: FeeRates, kind: keyof FeeRates, amount: Minor, currency: string): Minor {
  const unit = decimalsOf(currency) === 0 ? 100n : 1n;
  const exact = amount * BigInt(rates[kind]);
  const divisor = 10_000n * unit;
  return ((exact + divisor / 2n) / divisor) * unit;
}
