import { isCurrency } from '../../../kit/money.ts';
import type { FloatReading, WalletBalance } from '../contract.ts';
import { balanceOf } from './amounts.ts';

// Shared by the adapters whose provider returns a list of wallets: flutterwave and pawapay.

/** One wallet as the provider reports it. */
type Reported = Pick<WalletBalance, 'use' | 'area'> & { currency: unknown; amount: unknown };

/**
 * Returns the balances of several wallets. A wallet that is omitted counts as closed, and its last balance is deleted. So an amount
 * that cannot be parsed makes the whole reading unreadable. Only wallets in unknown currencies are omitted for that.
 */
export function heldIn(wallets: readonly Reported[]): FloatReading {
  const floats: WalletBalance[] = [];
  for (const { currency, amount, ...rest } of wallets) {
    if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) continue;
    const amount_minor = balanceOf(amount);
    if (amount_minor !== null) floats.push({ currency, amount_minor, ...rest });
    else if (isCurrency(currency)) return { kind: 'unreadable', message: `a balance in ${currency} without a legible amount` };
  }
  return { kind: 'held', floats };
}
