import type { End } from './book.ts';
import type { Random } from './contract.ts';

/** How often things go wrong in a world: every probability below is multiplied by it. 0: never. */
export interface Weather {
  storm: number;
}

/** What becomes of a request on its way to the provider and back. */
export type Passage =
  /** It arrives, and its answer comes back. */
  | 'answered'
  /** It arrives, and the answer is lost. */
  | 'lost'
  /** It never arrives. */
  | 'vanished'
  /** It arrives some time after its sender has given up. */
  | 'delayed'
  /** The provider does not take it, and says so. */
  | 'unavailable'
  /** The provider takes it, and says that it does not: against its contract. */
  | 'denied'
  /** It is refused in the answer. */
  | 'refused';

/** Reasons of failed payouts. */
const PAYEE_REASONS = ['invalid_recipient', 'recipient_unregistered', null] as const;

const PAYER_REASONS = ['insufficient_funds', 'wrong_pin', 'payer_declined', 'limit_exceeded', 'operator_declined'] as const;

/** Draws by weight; the first member takes what the others leave of 1. */
export function draw<T>(random: Random, usual: T, others: readonly (readonly [T, number])[]): T {
  let point = random.next();
  for (const [member, weight] of others) {
    if (point < weight) return member;
    point -= weight;
  }
  return usual;
}

export function passageOf(random: Random, { storm }: Weather): Passage {
  return draw<Passage>(random, 'answered', [
    ['lost', 0.03 * storm],
    ['vanished', 0.02 * storm],
    ['delayed', 0.01 * storm],
    ['unavailable', 0.04 * storm],
    ['denied', 0.01 * storm],
    ['refused', 0.04 * storm],
  ]);
}

/** What becomes of a further step of a payer. What its provider says of it is decided by the code. */
export function passageOfStep(random: Random, { storm }: Weather): Passage {
  return draw<Passage>(random, 'answered', [
    ['lost', 0.08 * storm],
    ['vanished', 0.04 * storm],
    ['delayed', 0.03 * storm],
    ['unavailable', 0.08 * storm],
  ]);
}

/** Most payers confirm soon, some only after the payment window. */
const PATIENCES_MS = [...Array<number>(17).fill(60_000), 600_000, 600_000, 10_800_000];

export interface Plan {
  end: End;
  after_ms: number;
  reason: string | null;
  /** Milliseconds after the end. */
  late_after_ms: number | null;
}

/** How a collection ends that the provider has taken. */
export function planOfCollection(random: Random, { storm }: Weather): Plan {
  const end = draw<End>(random, 'succeeded', [
    ['failed', 0.07 * storm],
    ['cancelled', 0.02 * storm],
    ['expired', 0.02 * storm],
  ]);
  const late = end !== 'succeeded' && random.chance(0.08 * storm);
  return {
    end,
    after_ms: random.chance(0.4) ? 0 : 2_000 + random.int(random.pick(PATIENCES_MS)),
    reason: random.pick(PAYER_REASONS),
    late_after_ms: late ? 1_000 + random.int(3_600_000) : null,
  };
}

/**
 * How a refund or payout ends.
 * @param isPayout only payouts are cancelled
 * @param replays whether its provider gives a repeated key the first answer again: only then it may say in the answer to a submission
 *   that the float is empty
 */
export function planOfPayment(random: Random, { storm }: Weather, isPayout: boolean, replays: boolean): Plan {
  const end = draw<End>(random, 'succeeded', [
    ['failed', 0.08 * storm],
    ['unfunded', 0.03 * storm],
    ...(isPayout ? ([['cancelled', 0.02 * storm]] as const) : []),
  ]);
  const at_once = (end !== 'unfunded' || replays) && random.chance(0.5);
  const after_ms = at_once ? 0 : 1_000 + random.int(120_000);
  const late = (end === 'failed' || end === 'cancelled') && random.chance(0.15 * storm);
  const reason = isPayout ? random.pick(PAYEE_REASONS) : 'operator_declined';
  return { end, after_ms, reason, late_after_ms: late ? 1_000 + random.int(3_600_000) : null };
}
