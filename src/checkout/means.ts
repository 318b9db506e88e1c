import { feeOf, type FeeRates } from '../payments/fees.ts';
import { totalOf } from '../payments/present.ts';
import type { PaymentRow } from '../payments/schema.ts';
import type { Minor } from '../kit/money.ts';
import type { ChannelKind } from '../providers/contract.ts';
import { type Channel, channelsFor, checkAmount } from '../reference/channels.ts';
import { detectChannel, parsePhone } from '../reference/phones.ts';

/** One way to pay, with every channel that can take this payment, the likely country first. */
export interface Means {
  kind: ChannelKind;
  channels: Channel[];
  /** The one to propose; null when the payer has to choose. */
  proposed: Channel | null;
  /** What comes on top; null when the merchant bears it, or when it is in the total already. */
  fee_minor: Minor | null;
  total_minor: Minor;
}

const KINDS: readonly ChannelKind[] = ['mobile_money', 'card', 'bank'];

/** How this payment can be paid. @param rates fees by kind, which are the same for all channels of a kind */
export function meansFor(payment: PaymentRow, rates: FeeRates): Means[] {
  const { amount_minor, currency } = payment;
  const left_minor = leftOf(payment);
  const fits = (channel: Channel) => checkAmount(channel, currency, totalOf(payment)) === null;
  const all = channelsFor({ currency, amount_minor: left_minor }).filter(fits);
  const guess = guessFrom(payment.phone, all);
  return KINDS.flatMap((kind) => {
    const channels = homeFirst(
      all.filter((channel) => channel.kind === kind),
      guess?.country,
    );
    if (channels.length === 0) return [];
    const fee_minor = bearsFee(payment) ? feeOf(rates, kind, amount_minor, currency) : null;
    const total_minor = left_minor + (fee_minor ?? 0n);
    return [{ kind, channels, proposed: propose(kind, channels, guess), fee_minor, total_minor }];
  });
}

/** What is still to be paid: all of it, or what the pieces that landed leave; the fee of the first charge is in it. */
export function leftOf(payment: PaymentRow): Minor {
  return totalOf(payment) - payment.captured_minor;
}

/** Whether choosing decides a fee: the first charge fixes it. */
function bearsFee({ bearer, status }: PaymentRow): boolean {
  return bearer === 'customer' && status === 'pending';
}

interface Guess {
  country: string;
  channel: Channel | null;
}

/** Country and operator of the number the merchant gave. A national number fits several countries: a known prefix decides. */
function guessFrom(phone: string | null, channels: Channel[]): Guess | null {
  if (!phone) return null;
  let fallback: Guess | null = null;
  for (const country of new Set(channels.map((channel) => channel.country))) {
    const number = parsePhone(phone, country);
    const channel = number && detectChannel(number.e164);
    if (channel && channels.includes(channel)) return { country, channel };
    if (number) fallback ??= { country, channel: null };
  }
  return fallback;
}

function homeFirst(channels: Channel[], country: string | undefined): Channel[] {
  const isHome = (channel: Channel) => channel.country === country;
  return [...channels.filter(isHome), ...channels.filter((channel) => !isHome(channel))];
}

/** The operator of the number. For banks and cards the country is enough; operators the payer has to know. */
function propose(kind: ChannelKind, channels: Channel[], guess: Guess | null): Channel | null {
  if (guess?.channel && channels.includes(guess.channel)) return guess.channel;
  const oneCountry = channels.every((channel) => channel.country === channels[0]?.country);
  const home = oneCountry ? channels : channels.filter((channel) => channel.country === guess?.country);
  return home.length === 1 || kind !== 'mobile_money' ? (home[0] ?? null) : null;
}
