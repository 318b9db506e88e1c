/** What a merchant does with an order. */
export type Plan = 'keep' | 'cancel' | 'refund' | 'refund in part' | 'pay out';

/** A refund or a payout that a merchant requested. */
export interface Requested {
  kind: 'refund' | 'payout';
  amount: number;
  /** Ids in all answers of 2xx: more than one is a defect. */
  ids: Set<string>;
  answered: boolean;
}

/** What a merchant knows of one order. */
export interface Order {
  reference: string;
  team_id: string;
  amount: number;
  plan: Plan;
  /** Ids of the payment in all answers of 2xx: more than one is a defect. */
  ids: Set<string>;
  /** Whether the creation was answered. */
  created: boolean;
  /** Whether the charge was answered with success or "under way". */
  charged: boolean;
  /** Whether the cancellation was answered. */
  cancelled: boolean;
  /** Null: nothing was requested, by plan or because the payment had not succeeded when the load ended. */
  outgoing: Requested | null;
  /** Answers that no client should get. */
  wrong: string[];
}

/**
 * Plans of ten orders in a row of one merchant, and of the next ten. More is collected than leaves, and payouts stay well below the 20
 * that a team may request in a minute.
 */
const PLANS: readonly Plan[] = [
  ...(['keep', 'keep', 'cancel', 'keep', 'refund', 'keep', 'pay out', 'keep', 'keep', 'keep'] as const),
  ...(['keep', 'keep', 'cancel', 'keep', 'refund in part', 'keep', 'pay out', 'keep', 'keep', 'keep'] as const),
];

/**
 * Returns the order that is sent as the n-th of all. Merchants take turns.
 * @param merchant index of the merchant, which shifts its plans so that every plan is used at every moment
 * @param turn number of earlier orders of the merchant
 */
export function orderOf(reference: string, team_id: string, number: number, merchant: number, turn: number): Order {
  return {
    ...{ reference, team_id, amount: 1_000 + (number % 40) * 100 },
    ...{ plan: PLANS[(merchant + turn) % PLANS.length] as Plan, ids: new Set<string>() },
    ...{ created: false, charged: false, cancelled: false, outgoing: null, wrong: [] },
  };
}

/** Returns the refund or payout that an order leads to; null for the other plans. */
export function requestedOf({ plan, amount }: Pick<Order, 'plan' | 'amount'>): Requested | null {
  const of = (kind: Requested['kind'], share: number) => ({
    ...{ kind, amount: amount * share },
    ...{ ids: new Set<string>(), answered: false },
  });
  if (plan === 'refund') return of('refund', 1);
  if (plan === 'refund in part') return of('refund', 0.5);
  return plan === 'pay out' ? of('payout', 0.5) : null;
}
