import { type Exploration, explore as exploreAny } from '../explore.ts';
import { stepsOf } from './steps.ts';
import { isFinal, type Part, type Payment, type Refund, type Rules, sum, type World } from './world.ts';

/** Returns a world in which nothing was refunded. @param payments units of each tranche of each payment */
export function startOf(payments: readonly (readonly number[])[], available = sum(payments.flat()), nodes = 2): World {
  return {
    payments: payments.map((tranches) => ({ status: 'succeeded', tranches, refunded: 0, refunds: [], disputes: [] })),
    available,
    withdrawn: 0,
    nodes: Array.from({ length: nodes }, () => ({ at: 'idle' as const })),
    crashes: 0,
  };
}

export function explore(start: World, depth: number, rules: Rules, visit?: (world: World) => void): Exploration {
  const model = {
    steps: (world: World) => stepsOf(world, rules),
    broken: (world: World) => brokenIn(world, start, rules.people),
    key: keyOf,
  };
  return exploreAny(model, start, depth, visit);
}

/** Nodes are alike, so worlds that differ only in which node does what are one. */
function keyOf({ payments, available, withdrawn, nodes, crashes }: World): string {
  let key = `${available} ${withdrawn} ${crashes}`;
  for (const { status, refunds, disputes } of payments) {
    key += `|${status}`;
    for (const dispute of disputes) key += `!${dispute.status} ${dispute.units}`;
    for (const { status: state, parts, drawn, returned, due } of refunds) {
      key += `;${state} ${drawn} ${returned} ${due}`;
      for (const part of parts)
        key += `,${part.tranche} ${part.units} ${part.status} ${part.key} ${part.spent} ${part.sending} ${part.held.join(' ')}`;
    }
  }
  const doing = nodes.map((node) => Object.values(node).join(' ')).sort();
  return `${key}|${doing.join('|')}`;
}

/**
 * Returns the invariant that a world breaks, or null.
 * @param people a person may be wrong about what the provider holds; only the books are judged then
 */
export function brokenIn(world: World, start: World, people = false): string | null {
  for (const [p, payment] of world.payments.entries()) {
    const broken = brokenBooks(payment) ?? (people ? null : brokenPayment(payment));
    if (broken) return `payment ${p}: ${broken}`;
  }
  const drawn = world.payments.flatMap(({ refunds }) => refunds.filter((refund) => refund.drawn));
  const kept = sum(drawn.map((refund) => unitsOf(refund) - refund.returned));
  const disputed = world.payments.flatMap(({ disputes }) => disputes.filter(({ status }) => status !== 'won'));
  const total = world.available + world.withdrawn + kept + sum(disputed.map(({ units }) => units));
  return total === start.available ? null : `the books hold ${total} of ${start.available}`;
}

/** What holds whatever a person has reported. */
function brokenBooks({ status, tranches, refunded, refunds }: Payment): string | null {
  const captured = sum(tranches);
  const parts = refunds.flatMap((refund) => refund.parts);
  const booked = sum(parts.filter((part) => part.status === 'succeeded').map(({ units }) => units));
  if (refunded !== Math.min(booked, captured)) return `${refunded} are counted as refunded, and ${booked} were`;
  const expected = refunded === 0 ? 'succeeded' : refunded < captured ? 'partially_refunded' : 'refunded';
  if (status !== expected) return `${status} with ${refunded} of ${captured} refunded`;
  for (const [r, refund] of refunds.entries()) {
    const broken = brokenRefund(refund);
    if (broken) return `refund ${r} ${broken}`;
  }
  return null;
}

function brokenPayment({ tranches, refunds, disputes }: Payment): string | null {
  const captured = sum(tranches);
  const parts = refunds.flatMap((refund) => refund.parts);
  for (const [tranche, units] of tranches.entries()) {
    const sent = sum(parts.filter((part) => part.tranche === tranche).map((part) => part.units * paidTimes(part)));
    if (sent > units) return `${sent} of ${units} of tranche ${tranche} went back to the payer`;
  }
  const lost = sum(disputes.filter((dispute) => dispute.status === 'lost').map(({ units }) => units));
  const open = sum(disputes.filter((dispute) => dispute.status === 'needs_response').map(({ units }) => units));
  const mayMove = sum(parts.filter((part) => part.held.some(moves)).map(({ units }) => units));
  if (lost + open + mayMove > captured) return 'disputes and refunds may take more than was captured';
  for (const [r, refund] of refunds.entries()) {
    const broken = forgottenIn(refund);
    if (broken) return `refund ${r} ${broken}`;
  }
  return null;
}

function brokenRefund(refund: Refund): string | null {
  const { parts, status, returned, returns, ends, due, drawn } = refund;
  if (parts.filter((part) => part.status === 'sent').length > 1) return 'has two parts at the provider at once';
  if (ends !== (isFinal(refund) ? 1 : 0)) return `is ${status} and ended ${ends} times`;
  if (!isFinal(refund) && !due) return `is ${status} and nothing looks at it`;
  if (isFinal(refund) && parts.some((part) => part.status === 'sent')) return 'ended with a part at the provider';
  if (!drawn && parts.some((part) => part.sending > 0)) return 'was sent without its money';
  const unspent = sum(parts.filter((part) => part.status !== 'succeeded').map(({ units }) => units));
  if (status === 'succeeded' && unspent > 0) return 'succeeded in part';
  if (returns !== (status === 'failed' ? 1 : 0)) return `is ${status} and gave its money back ${returns} times`;
  if (returned !== (status === 'failed' ? unspent : 0)) return `is ${status} and gave back ${returned} of ${unspent}`;
  return null;
}

/** What the provider holds, compared with what is booked or still polled. */
function forgottenIn({ parts, due }: Refund): string | null {
  for (const part of parts) {
    if (part.status === 'succeeded' && !part.held.includes('paid')) return 'has booked money that did not move';
    // A waiting part is sent under its key, where a repetition moves nothing, unless that key is used up.
    const watched = due && (part.status === 'sent' || (part.status === 'waiting' && !part.spent));
    if (part.held.some((held, key) => moves(held) && part.status !== 'succeeded' && !(watched && key === part.key)))
      return `has a ${part.status} part that may move money, and nothing looks at it`;
    if (part.status === 'succeeded' && part.held.filter(moves).length > 1) return 'may pay a part twice';
  }
  return null;
}

function unitsOf({ parts }: Refund): number {
  return sum(parts.map(({ units }) => units));
}

function paidTimes({ held }: Part): number {
  return held.filter((one) => one === 'paid').length;
}

function moves(held: Part['held'][number]): boolean {
  return held === 'wire' || held === 'pending' || held === 'paid';
}
