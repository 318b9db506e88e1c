import type { Config, FeeRates } from '../../platform/config/config.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';
import type { Minor } from '../../kit/money.ts';
import { type Channel, limitsOf } from '../../providers/reference/channels.ts';
import { maxChargeOf } from '../../providers/reference/largest.ts';
import { feeOf } from '../../money/fees/fees.ts';
import { totalOf } from '../payments/present.ts';
import type { PaymentRow } from '../payments/schema.ts';

/**
 * Returns the amount that one charge on the channel would collect now, in hundredths.
 * @param most_minor the largest tranche of the provider accounts; when omitted, that of the channel
 */
export function trancheOf({ fees }: Pick<Config, 'fees'>, payment: PaymentRow, channel: Channel, most_minor?: Minor): Minor {
  return nextTranche(totalOn(fees, payment, channel.kind) - payment.captured_minor, channel, payment.currency, most_minor);
}

/**
 * Returns the amount that the payer is charged in total on a kind of channel, in hundredths. The fee is fixed by the first charge,
 * so that the tranches sum to one total.
 */
export function totalOn(fees: FeeRates, payment: PaymentRow, kind: ChannelKind): Minor {
  const { status, amount_minor, currency } = payment;
  return totalOf(status === 'pending' ? { ...payment, fee_minor: feeOf(fees, kind, amount_minor, currency) } : payment);
}

/** Multiples that providers take where the channel itself is finer (whole units; CinetPay: of 5), the coarsest first. */
const ROUND: readonly Minor[] = [5_00n, 1_00n];

/**
 * Returns the next tranche of the amount left to collect, in hundredths. Tranches are nearly equal. Each is at most the limit, a multiple
 * of the channel's step, and as round as the amount, so that a provider that takes the amount takes its tranches. The tranche is computed
 * from what is left, so a payer may continue days later or on another channel.
 * @returns the whole amount left when one charge can collect it
 */
export function nextTranche(left_minor: Minor, channel: Channel, currency: string, most_minor?: Minor): Minor {
  const limit_minor = maxChargeOf(channel, currency);
  const max_minor = most_minor !== undefined && most_minor < limit_minor ? most_minor : limit_minor;
  if (channel.kind !== 'mobile_money' || left_minor <= max_minor) return left_minor;
  const finest = limitsOf(channel, currency)?.step_minor ?? 1n;
  const step = ROUND.find((one) => one % finest === 0n && left_minor % one === 0n && one <= max_minor) ?? finest;
  const highest = (max_minor / step) * step;
  const count = divideUp(left_minor, highest);
  return divideUp(divideUp(left_minor, count), step) * step;
}

function divideUp(a: Minor, b: Minor): Minor {
  return (a + b - 1n) / b;
}
