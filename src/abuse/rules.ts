import { unreachable } from '../kit/errors.ts';
import { wireFromMinor } from '../kit/money.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What the rules let through. The reasons: docs/decisions/0040-abuse-rules.md. */
export const LIMITS = {
  /** Charges of one payer by one team; sliding. */
  payer: { most: 6, window_ms: 10 * MINUTE_MS, most_a_day: 30 },
  /** Charges of one team in each ten minutes by the clock: so many times those of its busiest, at least a floor. */
  team: { floor: 300, times: 5, window_ms: 10 * MINUTE_MS },
  /** Amounts: so many times what 99 in 100 of the team's payments did not exceed, once there are enough of them. */
  amount: { times: 5, payments: 100 },
} as const;

/** What is usual is looked up in so much of the past. Of the last day nothing: an attack would soon be usual. */
export const HISTORY = {
  amounts_ms: 30 * DAY_MS,
  paces_from_ms: 8 * DAY_MS,
  paces_to_ms: DAY_MS,
  made_every_ms: 3_600_000,
} as const;

export const BLOCK_KINDS = ['payer', 'email', 'customer', 'address'] as const;

export type BlockKind = (typeof BLOCK_KINDS)[number];

/** Why a charge was refused, with the figures: ids and numbers, nothing of the payer. Amounts are text, since it is kept as JSON. */
export type Refusal =
  | { rule: 'block'; figures: { block: string; kind: BlockKind } }
  | { rule: 'amount'; figures: { amount_minor: string; currency: string; high_minor: string; payments: number } }
  | { rule: 'payer_velocity'; figures: { most: number; minutes: number } }
  | { rule: 'team_velocity'; figures: { most: number; busiest: number } };

/**
 * Whether the refusal ends the payment, as a decline does: what would be refused again tomorrow. Too many charges are too many now;
 * the payment can be paid later.
 */
export function endsPayment({ rule }: Refusal): boolean {
  switch (rule) {
    case 'block':
    case 'amount':
      return true;
    case 'payer_velocity':
    case 'team_velocity':
      return false;
    default:
      return unreachable(rule);
  }
}

/** A refusal in one sentence, for operators. */
export function explainRefusal(refusal: Refusal): string {
  switch (refusal.rule) {
    case 'block':
      return `the block ${refusal.figures.block} names its ${refusal.figures.kind}`;
    case 'amount': {
      const { amount_minor, currency, high_minor, payments } = refusal.figures;
      const [amount, high] = [amount_minor, high_minor].map((minor) => wireFromMinor(BigInt(minor)));
      return (
        `${amount} ${currency} is more than ${LIMITS.amount.times} times ${high} ${currency}, ` +
        `which 99 in 100 of the team's last ${payments} payments did not exceed`
      );
    }
    case 'payer_velocity': {
      const { most, minutes } = refusal.figures;
      return `the payer had been charged ${most} times in ${minutes} minutes, the most that is let through`;
    }
    case 'team_velocity': {
      const { most, busiest } = refusal.figures;
      const { floor, times } = LIMITS.team;
      return (
        `the team had charged ${most} times in these ten minutes, the most that is let through ` +
        `(${times} times its busiest of the week before, ${busiest}; at least ${floor})`
      );
    }
    default:
      return unreachable(refusal);
  }
}
