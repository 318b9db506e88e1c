import { unreachable } from '../../kit/errors.ts';
import { wireFromMinor } from '../../kit/money.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Limits of the fraud rules. The reasons are in docs/decisions/0040-abuse-rules.md. */
export const LIMITS = {
  /** Maximum charges of one payer by one team, in a sliding window and in a day. */
  payer: { max: 6, window_ms: 10 * MINUTE_MS, max_per_day: 30 },
  /**
   * Maximum charges of one team in each clock-aligned window of ten minutes: a multiple of its busiest window, but at least a
   * floor.
   */
  team: { floor: 300, times: 5, window_ms: 10 * MINUTE_MS },
  /** Maximum amount: a multiple of the 99th percentile of the team's payments, once there are enough of them. */
  amount: { times: 5, payments: 100 },
} as const;

/**
 * Periods from which usual figures are computed, and their interval. The last day is excluded from the pace: an attack would
 * otherwise become usual.
 */
export const HISTORY = {
  amounts_ms: 30 * DAY_MS,
  paces_from_ms: 8 * DAY_MS,
  paces_to_ms: DAY_MS,
  made_every_ms: 3_600_000,
} as const;

export const BLOCK_KINDS = ['payer', 'email', 'customer', 'address'] as const;

export type BlockKind = (typeof BLOCK_KINDS)[number];

/**
 * Why a charge was rejected, with the figures: ids and numbers, without data of the payer. Amounts are strings, because they
 * are stored as JSON.
 */
export type Refusal =
  | { rule: 'block'; figures: { block: string; kind: BlockKind } }
  | { rule: 'amount'; figures: { amount_minor: string; currency: string; high_minor: string; payments: number } }
  | { rule: 'payer_velocity'; figures: { most: number; minutes: number } }
  | { rule: 'team_velocity'; figures: { most: number; busiest: number } };

/**
 * Whether the rejection ends the payment, as a decline does: it would be rejected again tomorrow. Too many charges is a
 * temporary condition, so the payment can still be paid later.
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

/** Explains a rejection in one sentence, for operators. */
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
      return `the payer had been charged ${most} times in ${minutes} minutes, the maximum allowed`;
    }
    case 'team_velocity': {
      const { most, busiest } = refusal.figures;
      const { floor, times } = LIMITS.team;
      return (
        `the team had charged ${most} times in these ten minutes, the maximum allowed ` +
        `(${times} times its busiest of the week before, ${busiest}; at least ${floor})`
      );
    }
    default:
      return unreachable(refusal);
  }
}
