import { decimalsOf, type Minor } from '../../kit/money.ts';
import type { FeeRates } from '../../platform/config/config.ts';

/** Returns the fee in hundredths of the currency, rounded half up to the smallest amount the currency can move. */
export function feeOf(rates: FeeRates, kind: keyof FeeRates, amount: Minor, currency: string): Minor {
  const unit = decimalsOf(currency) === 0 ? 100n : 1n;
  const exact = amount * BigInt(rates[kind]);
  const divisor = 10_000n * unit;
  return ((exact + divisor / 2n) / divisor) * unit;
}
