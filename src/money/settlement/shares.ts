import { decimalsOf, type Minor } from '../../kit/money.ts';

/**
 * How a payment is split between a connected subaccount and the team, which is the platform of a marketplace. `value` is the
 * team's part, in percent or major units.
 */
export interface Split {
  type: 'percentage' | 'fixed';
  value: number;
}

/** The share of one party of a payment; `account_id` is '' for the team itself. */
export interface Share {
  account_id: string;
  amount_minor: Minor;
}

/**
 * Splits the amount of a payment less the fee. The team gets its part first, at most the whole amount. The subaccount gets the
 * rest, so the parts always sum to the whole.
 */
export function sharesOf(net_minor: Minor, currency: string, account_id: string | null, split: Split | null): Share[] {
  if (account_id === null) return [{ account_id: '', amount_minor: net_minor }];
  const platform = split === null ? 0n : platformPart(net_minor, currency, split);
  return [
    { account_id: '', amount_minor: platform },
    { account_id, amount_minor: net_minor - platform },
  ];
}

function platformPart(net_minor: Minor, currency: string, split: Split): Minor {
  const unit = unitOf(currency);
  // Either kind of value has at most two decimals, so hundredths are integers.
  const hundredths = BigInt(Math.round(split.value * 100));
  const exact = split.type === 'fixed' ? hundredths : (net_minor * hundredths) / 10_000n;
  const movable = (exact / unit) * unit;
  return movable > net_minor ? net_minor : movable;
}

/** Returns the smallest amount of a currency that can move, in hundredths: one franc of XAF, one hundredth of NGN. */
export function unitOf(currency: string): Minor {
  return decimalsOf(currency) === 0 ? 100n : 1n;
}

/**
 * Divides an amount in proportion to weights by the largest-remainder method, so that the parts sum to the amount.
 * Of equal remainders the first comes first: the sort is stable.
 * @param weights when all are zero, the first gets the whole amount
 * @param unit the parts are multiples of it, if the amount is
 */
export function proRata(amount_minor: Minor, weights: readonly Minor[], unit: Minor = 1n): Minor[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  if (sum === 0n) return weights.map((_, i) => (i === 0 ? amount_minor : 0n));
  const parts = weights.map((weight) => ((amount_minor * weight) / (sum * unit)) * unit);
  let rest = amount_minor - parts.reduce((total, part) => total + part, 0n);
  const byRemainder = weights
    .map((weight, i) => ({ i, remainder: (amount_minor * weight) % (sum * unit) }))
    .sort((a, b) => Number(b.remainder - a.remainder));
  for (const { i } of byRemainder) {
    const more = rest < unit ? rest : unit;
    parts[i] = (parts[i] as Minor) + more;
    rest -= more;
  }
  return parts;
}

/** What a party of a payment has to give when the whole payment goes back, and what refunds and disputes have taken from it so far. */
export interface Giver {
  weight: Minor;
  taken_minor: Minor;
}

/**
 * Divides an amount, in hundredths, so that the total, including what each party gave before, is in proportion to the weights. With many
 * small amounts, rounding alone therefore never makes a party give more than its part.
 * @param unit the parts are multiples of it, if the amount is
 * @param on_top_minor the most that the first party alone gives of a total above the sum of the weights
 * @returns the parts; none is negative, and they sum to the amount
 */
export function proRataSoFar(
  amount_minor: Minor,
  parties: readonly Giver[],
  unit: Minor = 1n,
  on_top_minor: Minor = 0n,
): Minor[] {
  const targets = givenOf(taken(parties) + amount_minor, parties, unit, on_top_minor);
  // A party that has given more than its part gives nothing now. The others share the amount in proportion to what they are behind.
  return proRata(
    amount_minor,
    parties.map(({ taken_minor }, i) => atLeastZero((targets[i] as Minor) - taken_minor)),
    unit,
  );
}

/**
 * Divides an amount that comes back, so that what the parties have given afterwards is what they would have given without it: the
 * counterpart of {@link proRataSoFar}.
 * @returns the parts; no party gets more than was taken from it, and they sum to the amount
 * @throws when less was taken than comes back
 */
export function proRataBack(amount_minor: Minor, parties: readonly Giver[], unit: Minor = 1n, on_top_minor: Minor = 0n): Minor[] {
  const left = taken(parties) - amount_minor;
  if (left < 0n) throw new RangeError('more comes back than was taken');
  const targets = givenOf(left, parties, unit, on_top_minor);
  const over = parties.map(({ taken_minor }, i) => atLeastZero(taken_minor - (targets[i] as Minor)));
  return proRata(amount_minor, over, over.every((gave) => gave % unit === 0n) ? unit : 1n);
}

/** Returns what each party has given of a total that has gone back. */
function givenOf(total: Minor, parties: readonly Giver[], unit: Minor, on_top_minor: Minor): Minor[] {
  const above = parties.reduce((rest, { weight }) => rest - weight, total);
  const alone = above < on_top_minor ? atLeastZero(above) : on_top_minor;
  const parts = proRata(
    total - alone,
    parties.map(({ weight }) => weight),
    unit,
  );
  return parts.map((part, i) => (i === 0 ? part + alone : part));
}

function taken(parties: readonly Giver[]): Minor {
  return parties.reduce((sum, { taken_minor }) => sum + taken_minor, 0n);
}

function atLeastZero(amount_minor: Minor): Minor {
  return amount_minor > 0n ? amount_minor : 0n;
}
