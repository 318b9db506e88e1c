import { must } from '../kit/errors.ts';
import { type Currency, decimalsOf, type Minor } from '../kit/money.ts';
import type { ChannelKind } from '../providers/contract.ts';

/** What one charge may be on a channel in one currency, in hundredths. */
export interface Limits {
  min_minor: Minor;
  max_minor: Minor;
  /** Amounts are multiples of it: 100 where only whole amounts move. */
  step_minor: Minor;
}

/** Major units. */
export interface PublishedLimits {
  max: number;
  /** Only where it is not the currency's floor. */
  min?: number;
  /** Only where it is coarser than the currency's own. */
  step?: number;
}

/** One floor for each currency, and a ceiling for each kind of channel it has. */
type Defaults = { floor: number } & Record<'card' | 'bank', number> & { mobile_money?: number };

/**
 * Operator defaults, major units: they hold where nobody publishes a channel's own. Floors and card ceilings of XOF,
 * XAF, CDF and GNF are CinetPay's for the currency, the RWF floor is pawaPay's sample. The others are round numbers:
 * floors below and ceilings above ordinary payments, because a provider that allows less refuses for itself.
 */
const OPERATOR_DEFAULTS: Record<Currency, Defaults> = {
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

/** What is published for the channel, and the operator's defaults for the rest. */
export function limitsFor(kind: ChannelKind, currency: Currency, published?: PublishedLimits): Limits {
  const defaults = OPERATOR_DEFAULTS[currency];
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
