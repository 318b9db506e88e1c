import { CURRENCIES, type Currency, isCurrency, type Minor, wireFromMinor } from '../../kit/money.ts';
import { type Channel, CHANNELS, limitsOf } from './channels.ts';

/** Maximum amount of one Mobile Money charge in CFA francs, in hundredths: 500,000 francs (docs/contract/money.md). */
const MAX_CFA_CHARGE: Minor = 50_000_000n;

/**
 * Maximum number of tranches for which a payment may be created. Each needs a confirmation of the payer; with 100 of them no channel's
 * largest amount is below that of a bank transfer in its currency (docs/decisions/0082-hints.md).
 */
export const MAX_TRANCHES = 100n;

/** Returns the maximum amount of one charge of the channel, in hundredths. */
export function maxChargeOf(channel: Channel, currency: string): Minor {
  const channel_minor = limitsOf(channel, currency)?.max_minor ?? MAX_CFA_CHARGE;
  const cfa = channel.kind === 'mobile_money' && (currency === 'XAF' || currency === 'XOF');
  return cfa && channel_minor > MAX_CFA_CHARGE ? MAX_CFA_CHARGE : channel_minor;
}

const largest = new Map(CURRENCIES.map((currency) => [currency, largestIn(currency)]));

function largestIn(currency: Currency): Minor | null {
  const amounts = CHANNELS.flatMap((channel) => {
    const step = limitsOf(channel, currency)?.step_minor;
    if (step === undefined) return [];
    const charge = (maxChargeOf(channel, currency) / step) * step;
    return channel.kind === 'mobile_money' ? charge * MAX_TRANCHES : charge;
  });
  return amounts.reduce<Minor | null>((most, amount) => (most === null || amount > most ? amount : most), null);
}

/** Returns the largest payment that any channel collects in the currency, in hundredths; null for a currency without channels. */
export function largestOf(currency: string): Minor | null {
  return isCurrency(currency) ? (largest.get(currency) ?? null) : null;
}

/** Returns the reason why no channel can collect so large a payment, as the message under `errors.amount`; null when one can. */
export function checkLargest(currency: string, amount_minor: Minor): string | null {
  const most = largestOf(currency);
  if (most === null || amount_minor <= most) return null;
  return `must be at most ${wireFromMinor(most)} ${currency}, the largest amount that any channel takes`;
}

const steps = new Map<string, Minor[]>(
  CURRENCIES.map((currency) => [
    currency,
    [...new Set(CHANNELS.flatMap((channel) => limitsOf(channel, currency)?.step_minor ?? []))],
  ]),
);

/** Returns whether the amount is a multiple of the step of some channel; true for a currency without channels. */
export function isOnAStep(currency: string, amount_minor: Minor): boolean {
  const own = steps.get(currency) ?? [];
  return own.length === 0 || own.some((step) => amount_minor % step === 0n);
}
