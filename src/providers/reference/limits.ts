import { must } from '../../kit/errors.ts';
import { type Currency, decimalsOf, type Minor } from '../../kit/money.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';

/** Limits of one charge on a channel in one currency, in hundredths. */
export interface Limits {
  min_minor: Minor;
  max_minor: Minor;
  /** Amounts must be multiples of this step: 100 where only whole units can be moved. */
  step_minor: Minor;
}

/** Limits published for a channel, in major units. */
export interface PublishedLimits {
  max: number;
  /** Set only where it differs from the currency's minimum. */
  min?: number;
  /** Set only where it is coarser than the currency's own step. */
  step?: number;
}

/** One minimum for each currency, and a maximum for each of its kinds of channel. */
type Defaults = { floor: number } & Record<'card' | 'bank', number> & { mobile_money?: number };

/**
 * Limits in major units that apply where none are published for a channel. The minimums and card maximums
 * of XOF, XAF, CDF and GNF are CinetPay's for the currency; the RWF minimum is pawaPay's sample. The others are round
 * numbers: minimums below and maximums above ordinary payments, because a provider with stricter limits rejects the
 * payment itself.
 */
const CURRENCY_DEFAULTS: Record<Currency, Defaults> = {
  XAF: { floor: 100, mobile_money: 500_000, card: 1_500_000, bank: 50_000_000 },
  XOF: { floor: 100, mobile_money: 1_500_000, card: 2_000_000, bank: 50_000_000 },
  NGN: { floor: 50, mobile_money: 1_000_000, card: 10_000_000, bank: 50_000_000 },
  GHS: { floor: 1, mobile_money: 10_000, card: 50_000, bank: 500_000 },
  KES: { floor: 1, mobile_money: 150_000, card: 1_000_000, bank: 10_000_000 },
  UGX: { floor: 500, mobile_money: 5_000_000, card: 20_000_000, bank: 200_000_000 },
  RWF: { floor: 100, mobile_money: 2_000_000, card: 5_000_000, bank: 50_000_000 },
  TZS: { floor: 500, mobile_money: 5_000_000, card: 20_000_000, bank: 200_000_000 },
  CDF: { floor: 100, mobile_money: 2_000_000, card: 2_000_000, bank: 100_000_000 },
  GNF: { floor: 1_000, mobile_money: 1_500_000, card: 15_000_000, bank: 500_000_000 },
  ZAR: { floor: 1, card: 200_000, bank: 5_000_000 },
  ZMW: { floor: 1, mobile_money: 10_000, card: 200_000, bank: 2_000_000 },
  MAD: { floor: 1, card: 100_000, bank: 1_000_000 },
  EGP: { floor: 1, card: 500_000, bank: 5_000_000 },
  USD: { floor: 0.5, mobile_money: 3_000, card: 10_000, bank: 100_000 },
  EUR: { floor: 0.5, card: 10_000, bank: 100_000 },
  GBP: { floor: 0.3, card: 10_000, bank: 100_000 },
};

/** Returns the limits published for the channel, completed with the defaults of the currency. */
export function limitsFor(kind: ChannelKind, currency: Currency, published?: PublishedLimits): Limits {
  const defaults = CURRENCY_DEFAULTS[currency];
  const finest = decimalsOf(currency) === 0 ? 1 : 0.01;
  return {
    min_minor: minor(published?.min ?? defaults.floor),
    max_minor: minor(published?.max ?? must(defaults[kind], `${currency} has no ${kind} channel`)),
    step_minor: minor(published?.step ?? finest),
  };
}

function minor(major: number): Minor {
  return BigInt(Math.round(major * 100));
}
