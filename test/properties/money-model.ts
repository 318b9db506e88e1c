/**
 * The formulas of money as docs/contract/money.md states them, without code of the program: fees, splits, and who gives how much of what is drawn.
 * Amounts are in hundredths.
 */

/** Part of one party; `account_id` is '' for the team. */
export interface ModelShare {
  account_id: string;
  amount_minor: bigint;
}

/** A payment of which refunds and disputes take: its amount, what the payer was charged, and what each party received, the team first. */
interface ModelSplitPayment {
  amount: bigint;
  charged: bigint;
  shares: readonly ModelShare[];
}

/** The team's part of a split payment: percent, or major units. */
export interface ModelSplit {
  type: 'percentage' | 'fixed';
  value: number;
}

/** Currencies of the lanes, with the smallest amount that moves. */
const SMALLEST: Record<string, bigint> = { XAF: 100n, NGN: 1n };

export function smallestOf(currency: string): bigint {
  const smallest = SMALLEST[currency];
  if (smallest === undefined) throw new Error(`the model does not know ${currency}`);
  return smallest;
}

/**
 * A fee by its rate, half up to the smallest amount.
 * @param rate in hundredths of a percent
 */
export function modelFee(rate: number, amount_minor: bigint, currency: string): bigint {
  const smallest = smallestOf(currency);
  return nearest(amount_minor * BigInt(rate), 10_000n * smallest) * smallest;
}

/** The team's part first, down to the smallest amount and at most all; the rest is the subaccount's. */
export function modelShares(net_minor: bigint, currency: string, account_id: string | null, split: ModelSplit): ModelShare[] {
  if (account_id === null) return [{ account_id: '', amount_minor: net_minor }];
  const smallest = smallestOf(currency);
  const value = BigInt(split.value.toFixed(2).replace('.', ''));
  const exact = split.type === 'fixed' ? value : (net_minor * value) / 10_000n;
  const team = exact >= net_minor ? net_minor : exact - (exact % smallest);
  return [
    { account_id: '', amount_minor: team },
    { account_id, amount_minor: net_minor - team },
  ];
}

/**
 * What the team and at most one subaccount have given once `total_minor` has been drawn. Of the payment's amount, which a full refund returns, the
 * subaccount gives what it received and the team the rest; of a part of it as much of each, the team's to the nearest smallest amount, half up.
 * The team alone gives what the payer was charged beyond the amount.
 */
export function givenOf(total_minor: bigint, payment: ModelSplitPayment, currency: string): bigint[] {
  const { amount, charged, shares } = payment;
  const [, other, third] = shares;
  if (third) throw new Error('the model knows one or two parties');
  if (!other) return [total_minor];
  const beyond = total_minor <= amount ? 0n : total_minor < charged ? total_minor - amount : charged - amount;
  const smallest = smallestOf(currency);
  const mine = nearest((total_minor - beyond) * (amount - other.amount_minor), amount * smallest) * smallest;
  return [mine + beyond, total_minor - beyond - mine];
}

/** Largest Mobile Money charge of the lanes' channels: cm.mtn in XAF, ng.mtn in NGN. */
const LARGEST_CHARGE: Record<string, bigint> = { XAF: 50_000_000n, NGN: 100_000_000n };

export function largestChargeOf(currency: string): bigint {
  const largest = LARGEST_CHARGE[currency];
  if (largest === undefined) throw new Error(`the model does not know ${currency}`);
  return largest;
}

/**
 * The next charge for what is left to collect: all of it, or the smallest part of which as few charges as possible make up the rest. A part
 * is a multiple of 5 units, else of one unit, where the rest is one, else of the smallest amount.
 */
export function modelTranche(left_minor: bigint, currency: string): bigint {
  const largest = largestChargeOf(currency);
  const step = [500n, 100n].find((one) => left_minor % one === 0n) ?? smallestOf(currency);
  if (left_minor <= largest) return left_minor;
  for (let charges = 2n; ; charges++) {
    let part = left_minor / charges;
    while (part * charges < left_minor || part % step !== 0n) part++;
    if (part <= largest) return part;
  }
}

/** The integer nearest to a quotient; the larger of two that are as near. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
