import type { FeeRates } from '../../platform/config/config.ts';
import { feeOf } from '../../money/fees/fees.ts';
import { totalOn } from '../../core/charge/tranches.ts';
import { totalOf } from '../../core/payments/present.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import type { Minor } from '../../kit/money.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';
import { type Channel, channelsFor, checkAmount } from '../../providers/reference/channels.ts';
import { detectChannel, parsePhone } from '../../providers/reference/phones.ts';

/** One payment method, with every channel that can take this payment, the likely country first. */
export interface MethodOption {
  kind: ChannelKind;
  channels: Channel[];
  /**
   * The channel to preselect. Null when the payer has to choose, and for mobile money, which is detected from the number
   * (guess.ts).
   */
  proposed: Channel | null;
  /** The fee added to the amount. Null when the merchant bears it, or when the total already includes it. */
  fee_minor: Minor | null;
  total_minor: Minor;
  /** The country of the number that the merchant provided, if it is known and has such channels. ISO 3166-1 alpha-2. */
  home: string | undefined;
}

const KINDS: readonly ChannelKind[] = ['mobile_money', 'card', 'bank'];

/**
 * Returns the payment methods that can take this payment.
 * @param rates fees by kind of channel, the same for all channels of a kind
 */
export function methodOptionsFor(payment: PaymentRow, rates: FeeRates): MethodOption[] {
  const { amount_minor, currency } = payment;
  const left_minor = leftOf(payment);
  const all = channelsFor({ currency }).filter(
    (channel) => checkAmount(channel, currency, totalOn(rates, payment, channel.kind) - payment.captured_minor) === null,
  );
  const home = countryOf(payment.phone, all);
  return KINDS.flatMap((kind) => {
    const channels = homeFirst(
      all.filter((channel) => channel.kind === kind),
      home,
    );
    if (channels.length === 0) return [];
    const fee_minor = bearsFee(payment) ? feeOf(rates, kind, amount_minor, currency) : null;
    const total_minor = left_minor + (fee_minor ?? 0n);
    const proposed = kind === 'mobile_money' ? null : propose(channels, home);
    const isThere = channels.some(({ country }) => country === home);
    return [{ kind, channels, proposed, fee_minor, total_minor, home: isThere ? home : undefined }];
  });
}

/**
 * Returns the amount still to be paid: the total less the captured tranches. The total includes the fee once the first charge fixed it.
 */
export function leftOf(payment: PaymentRow): Minor {
  return totalOf(payment) - payment.captured_minor;
}

/** Returns whether the choice of the payment method determines a fee. The first charge fixes the fee. */
function bearsFee({ bearer, status }: PaymentRow): boolean {
  return bearer === 'customer' && status === 'pending';
}

/**
 * Returns the country of the phone number that the merchant provided. A national number can fit several countries; one where its
 * operator prefix is known is preferred.
 */
function countryOf(phone: string | null, channels: Channel[]): string | undefined {
  if (!phone) return undefined;
  const fitting = [...new Set(channels.map((channel) => channel.country))].flatMap((country) => {
    const number = parsePhone(phone, country);
    return number ? [{ country, channel: detectChannel(number.e164) }] : [];
  });
  return (fitting.find(({ channel }) => channel && channels.includes(channel)) ?? fitting[0])?.country;
}

function homeFirst(channels: Channel[], country: string | undefined): Channel[] {
  const isHome = (channel: Channel) => channel.country === country;
  return [...channels.filter(isHome), ...channels.filter((channel) => !isHome(channel))];
}

/** Returns the channel to preselect for banks and cards, for which the country is enough. */
function propose(channels: Channel[], country: string | undefined): Channel | null {
  const oneCountry = channels.every((channel) => channel.country === channels[0]?.country);
  return (oneCountry ? channels[0] : channels.find((channel) => channel.country === country)) ?? null;
}
