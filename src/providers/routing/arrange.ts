import type { Cost } from '../provider-accounts/schema.ts';
import type { Way } from './rules.ts';
import { type Account, BUILT_IN, type Considered, type RouteRequest, type Weight } from './schema.ts';

/** An account that can accept the request. */
export interface Able {
  account: Account;
  entry: Considered;
}

/**
 * Orders the accounts by the rule and records the reasons.
 * @param way null: in the order in which they were added
 */
export function arrange(way: Way | null, able: Able[], request: RouteRequest, draw: number): Able[] {
  switch (way?.kind) {
    case 'order':
      return inOrder(way.names, able);
    case 'share':
      return drawn(way.weights, able, draw);
    case 'least_cost':
      return cheapestFirst(able, request);
    case undefined:
      for (const { account, entry } of able) {
        entry.why =
          account.provider.account_id === BUILT_IN ? 'it comes with the sandbox' : 'in the order in which accounts were added';
      }
      return able;
  }
}

function inOrder(names: readonly string[], able: Able[]): Able[] {
  return names.flatMap((name, i) => {
    const found = able.find(({ account }) => account.name === name);
    if (found) found.entry.why = `number ${i + 1} in the rule`;
    return found ?? [];
  });
}

/**
 * Draws the first account by weight. The share of an excluded account is divided among the others by their weights.
 * The others follow by descending weight.
 */
function drawn(weights: readonly Weight[], able: Able[], draw: number): Able[] {
  const sharing = weights.flatMap(({ name, weight }) => {
    const found = able.find(({ account }) => account.name === name);
    return found ? [{ ...found, weight }] : [];
  });
  const sum = sharing.reduce((total, { weight }) => total + weight, 0);
  for (const { entry, weight } of sharing) entry.why = `it takes ${weight} in ${sum}`;
  let rest = draw * sum;
  const first = sharing.findIndex(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
  const others = sharing.filter((_, i) => i !== first).sort((a, b) => b.weight - a.weight);
  return first < 0 ? others : [sharing[first] as Able, ...others];
}

/** Sorts by cost. Accounts without a known cost come last. Equal costs keep the order in which they were added. */
function cheapestFirst(able: Able[], request: RouteRequest): Able[] {
  const priced = able.map((one) => ({ ...one, cost: costOf(one.account, request) }));
  for (const { entry, cost } of priced)
    entry.why = cost === null ? 'its cost is not known' : `it costs ${major(cost)} ${request.currency}`;
  return priced.sort((a, b) => (a.cost ?? Number.POSITIVE_INFINITY) - (b.cost ?? Number.POSITIVE_INFINITY) || 0);
}

/** Returns the cost in hundredths. A double is exact enough for comparison, and nothing is posted from it. */
function costOf({ costs }: Account, { operation, channel, amount_minor }: RouteRequest): number | null {
  const cost: Cost | undefined = costs?.[operation === 'payout' ? 'payout' : channel.kind];
  return cost ? (cost.percent_hundredths * Number(amount_minor)) / 10_000 + cost.fixed_minor : null;
}

function major(minor: number): number {
  return Math.round(minor) / 100;
}
