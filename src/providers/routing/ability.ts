import { wireFromMinor } from '../../kit/money.ts';
import type { Offer, Provider } from '../adapters/contract.ts';
import type { RouteRequest } from './schema.ts';

/** The offers of each list, by channel, because a list of an aggregator has more than a hundred. */
const INDEXED = new WeakMap<readonly Offer[], Map<string, Offer[]>>();

type Wanted = Pick<RouteRequest, 'operation' | 'channel' | 'currency' | 'amount_minor' | 'whole_minor'>;

/** Returns the reason why the provider cannot accept the request, or null when it can. */
export function inability(provider: Provider, wanted: Wanted): string | null {
  if (wanted.operation === 'payout' && !provider.payouts) return 'it does not pay out';
  if (isClosed(provider, wanted)) return `${wanted.channel.id} is closed there at the moment`;
  const offers = offersFor(provider, wanted);
  if (offers === null) return null;
  let objection: string | null = null;
  for (const offer of offers) {
    objection = amountObjection(offer, wanted);
    if (objection === null) return null;
  }
  return objection ?? notOffered(wanted);
}

/** Returns the offers of the provider for the request, whatever its amount. Null: it accepts any amount. */
export function offersFor(provider: Provider, { operation, channel, currency }: Wanted): Offer[] | null {
  if (operation === 'payout' && !provider.payouts?.reaches(channel.id, currency)) return [];
  const offers = provider.offers();
  if (offers === null) return null;
  return (
    indexOf(offers)
      .get(channel.id)
      ?.filter((offer) => offer.currency === currency && offer.operations.includes(operation)) ?? []
  );
}

function indexOf(offers: readonly Offer[]): Map<string, Offer[]> {
  let index = INDEXED.get(offers);
  if (!index) {
    index = Map.groupBy(offers, ({ channel }) => channel);
    INDEXED.set(offers, index);
  }
  return index;
}

/** Returns whether the provider would accept the request if the operator of the channel were not closed at the moment. */
export function isClosed(provider: Provider, { operation, channel, currency }: Wanted): boolean {
  return provider.isClosed?.(operation, channel.id, currency) ?? false;
}

/** Returns whether the provider collects on the channel, in any currency and amount. */
export function collectsOn(provider: Provider, channelId: string): boolean {
  const offers = provider.offers();
  return offers === null || offers.some(({ channel, operations }) => channel === channelId && operations.includes('collect'));
}

function notOffered({ operation, channel, currency }: Wanted): string {
  return `it does not offer ${operation === 'payout' ? 'payouts on ' : ''}${channel.id} in ${currency}`;
}

function amountObjection({ min_minor, max_minor, step_minor }: Offer, wanted: Wanted): string | null {
  const { amount_minor, whole_minor = amount_minor, currency } = wanted;
  if (min_minor !== null && amount_minor < min_minor) return `amount below ${wireFromMinor(min_minor)} ${currency}`;
  if (max_minor !== null && amount_minor > max_minor) return `amount above ${wireFromMinor(max_minor)} ${currency}`;
  if (step_minor !== null && (amount_minor % step_minor !== 0n || whole_minor % step_minor !== 0n)) {
    return `amount not a multiple of ${wireFromMinor(step_minor)} ${currency}`;
  }
  return null;
}
