import { replaced, type Step as AnyStep } from '../explore.ts';
import { nextOf } from '../machines.ts';

/*
 * A small model of the books around disputes: the retained share of each payment and its release, refunds and disputes that draw
 * money from what is pending, from what is available and from an advance of the platform, and what goes back. Every step but those
 * of planted defects is one transaction under the lock of its payment. Amounts are units. Nothing here is imported from src.
 */

/** From where a claim was drawn. */
export interface Draw {
  pending: number;
  available: number;
  credit: number;
}

/** A refund or a dispute. A refund without a draw waits for money. */
export interface Claim {
  units: number;
  status: string;
  draw: Draw | null;
}

export interface Payment {
  share: number;
  pending: number;
  released: boolean;
  refunds: readonly Claim[];
  disputes: readonly Claim[];
}

export interface World {
  payments: readonly Payment[];
  available: number;
  /** Zero or below: what the platform has advanced. */
  credit: number;
  disputed: number;
  clearing: number;
  withdrawn: number;
  gone: number;
  /** A node has read what is pending and will release that much. Only a planted defect does this. */
  reading: { payment: number; units: number } | null;
}

export interface Rules {
  refunds: number;
  disputes: number;
  withdrawals: number;
  planted?:
    | 'releases_without_lock'
    | 'returns_to_released'
    | 'repays_nothing'
    | 'decides_twice'
    | 'disputes_refunded_money'
    | 'refunds_disputed_money'
    | 'loses_and_returns'
    | undefined;
}

export const OPEN = ['needs_response', 'under_review'];

type Step = AnyStep<World>;

export function putPayment(world: World, p: number, change: Partial<Payment>): World {
  return { ...world, payments: replaced(world.payments, p, { ...(world.payments[p] as Payment), ...change }) };
}

/** Repays advances from what is available. */
function repaid(world: World, rules: Rules): World {
  const units = rules.planted === 'repays_nothing' ? 0 : Math.min(-world.credit, world.available);
  return { ...world, available: world.available - units, credit: world.credit + units };
}

/** Draws units: first what is pending, then what is available, then an advance up to the cap; null: not covered. */
export function drawn(world: World, p: number, units: number, cap: number): { world: World; draw: Draw } | null {
  const payment = world.payments[p] as Payment;
  const pending = Math.min(units, payment.pending);
  const available = Math.min(units - pending, world.available);
  const credit = units - pending - available;
  if (credit > 0 && credit - world.credit > cap) return null;
  const after = putPayment(world, p, { pending: payment.pending - pending });
  return {
    world: { ...after, available: world.available - available, credit: world.credit - credit },
    draw: { pending, available, credit },
  };
}

/** Returns drawn money: what was pending is pending again unless it was released since; the rest is available. */
export function givenBack(world: World, p: number, { pending, available, credit }: Draw, rules: Rules): World {
  const payment = world.payments[p] as Payment;
  const waits = payment.released && rules.planted !== 'returns_to_released' ? 0 : pending;
  const after = putPayment(world, p, { pending: payment.pending + waits });
  const arrived = pending - waits + available + credit;
  // Nothing is repaid when nothing became available.
  return arrived === 0 ? after : repaid({ ...after, available: after.available + arrived }, rules);
}

export function release(world: World, p: number, rules: Rules, units = (world.payments[p] as Payment).pending): World {
  return repaid({ ...putPayment(world, p, { pending: 0, released: true }), available: world.available + units }, rules);
}

export function lostOf({ disputes }: Payment): number {
  return disputes.reduce((lost, { status, units }) => lost + (status === 'lost' ? units : 0), 0);
}

export function leftOf(payment: Payment): number {
  return payment.refunds.reduce(
    (left, { status, units }) => left - (status === 'failed' ? 0 : units),
    payment.share - lostOf(payment),
  );
}

export function isDisputed({ disputes }: Payment): boolean {
  return disputes.some(({ status }) => OPEN.includes(status));
}

/** Opens a dispute, or returns null when the payment cannot be disputed. The platform advances what is not covered. */
export function disputed(world: World, p: number, rules: Rules): World | null {
  const payment = world.payments[p] as Payment;
  const units = rules.planted === 'disputes_refunded_money' ? payment.share : leftOf(payment);
  if (isDisputed(payment) || units <= 0) return null;
  const { world: after, draw } = drawn(world, p, units, Number.POSITIVE_INFINITY) as { world: World; draw: Draw };
  const disputes = [...payment.disputes, { units, status: 'needs_response', draw }];
  return putPayment({ ...after, disputed: after.disputed + units }, p, { disputes });
}

/** Changes a dispute, or returns null when its status does not allow it. */
export function changed(world: World, p: number, d: number, trigger: string, rules: Rules): World | null {
  const payment = world.payments[p] as Payment;
  const dispute = payment.disputes[d] as Claim;
  const again = rules.planted === 'decides_twice' && dispute.status === 'won';
  const status = again ? 'won' : nextOf('dispute', dispute.status, trigger);
  if (status === null) return null;
  const after = putPayment(world, p, { disputes: replaced(payment.disputes, d, { ...dispute, status }) });
  if (OPEN.includes(status)) return after;
  const ended = { ...after, disputed: after.disputed - dispute.units };
  const lost = status === 'lost' ? { ...ended, gone: ended.gone + dispute.units } : ended;
  return status === 'lost' && rules.planted !== 'loses_and_returns' ? lost : givenBack(lost, p, dispute.draw as Draw, rules);
}

/** Draws the money of a refund, or leaves it waiting. */
export function covered(world: World, p: number, r: number): World {
  const payment = world.payments[p] as Payment;
  const refund = payment.refunds[r] as Claim;
  const taken = drawn(world, p, refund.units, 0);
  if (!taken) return world;
  const refunds = replaced(payment.refunds, r, { ...refund, draw: taken.draw });
  return putPayment({ ...taken.world, clearing: taken.world.clearing + refund.units }, p, { refunds });
}

export function ended(world: World, p: number, r: number, status: 'succeeded' | 'failed', rules: Rules): World {
  const payment = world.payments[p] as Payment;
  const refund = payment.refunds[r] as Claim;
  const after = putPayment(world, p, { refunds: replaced(payment.refunds, r, { ...refund, status }) });
  const out = { ...after, clearing: after.clearing - refund.units };
  return status === 'succeeded' ? { ...out, gone: out.gone + refund.units } : givenBack(out, p, refund.draw as Draw, rules);
}

/** Returns every step that is possible in a world. */
export function stepsOf(world: World, rules: Rules): Step[] {
  const steps: Step[] = [];
  const add = (name: string, after: World | null) => {
    if (after !== null && after !== world) steps.push({ name, world: after });
  };
  if (world.withdrawn < rules.withdrawals && world.available > 0)
    add('the merchant withdraws one unit', { ...world, available: world.available - 1, withdrawn: world.withdrawn + 1 });
  if (world.reading)
    add('the pending money is released', { ...release(world, world.reading.payment, rules, world.reading.units), reading: null });
  for (const [p, payment] of world.payments.entries()) {
    if (!payment.released && rules.planted === 'releases_without_lock' && !world.reading)
      add(`what is pending of payment ${p} is read`, { ...world, reading: { payment: p, units: payment.pending } });
    else if (!payment.released && !world.reading) add(`payment ${p} is released`, release(world, p, rules));
    if (payment.disputes.length < rules.disputes) add(`payment ${p} is disputed`, disputed(world, p, rules));
    for (const d of payment.disputes.keys())
      for (const trigger of ['evidence_sent', 'accepted', 'provider_decided_won', 'withdrawn'])
        add(`dispute ${d} of payment ${p}: ${trigger}`, changed(world, p, d, trigger, rules));
    const free = (!isDisputed(payment) && lostOf(payment) === 0) || rules.planted === 'refunds_disputed_money';
    if (free && payment.refunds.length < rules.refunds && leftOf(payment) > 0) {
      const refunds = [...payment.refunds, { units: 1, status: 'pending', draw: null }];
      add(`one unit of payment ${p} is refunded`, covered(putPayment(world, p, { refunds }), p, refunds.length - 1));
    }
    for (const [r, refund] of payment.refunds.entries()) {
      if (refund.status !== 'pending') continue;
      if (refund.draw === null) add(`refund ${r} of payment ${p} is covered`, covered(world, p, r));
      else
        for (const status of ['succeeded', 'failed'] as const)
          add(`refund ${r} of payment ${p} ${status}`, ended(world, p, r, status, rules));
    }
  }
  return steps;
}
