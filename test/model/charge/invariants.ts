import { type Exploration, explore as exploreAny } from '../explore.ts';
import { stepsOf } from './steps.ts';
import { type Attempt, isOpen, type Rules, type World } from './world.ts';

/** Returns a world in which nothing has happened. @param totals units of each payment */
export function startOf(totals: readonly number[], nodes = 2): World {
  const payment = (total: number) => ({ status: 'pending', total, kept: 0, over: false, attempts: [] });
  return { payments: totals.map(payment), nodes: Array.from({ length: nodes }, () => ({ at: 'idle' as const })), crashes: 0 };
}

/** Explores charging under the rules. */
export function explore(depth: number, rules: Rules, start = startOf([1, 2]), visit?: (world: World) => void): Exploration {
  const model = {
    steps: (world: World) => stepsOf(world, rules),
    broken: (world: World) => brokenIn(world, rules),
    key: keyOf,
  };
  return exploreAny(model, start, depth, visit);
}

/** Nodes are alike, so worlds that differ only in which node does what are one. */
function keyOf({ payments, nodes, crashes }: World): string {
  let key = String(crashes);
  for (const { status, kept, over, attempts } of payments) {
    key += `|${status} ${kept} ${over}`;
    for (const { status: state, marked, watched, owed, held, told, lapsed, aside, resolved, known } of attempts)
      key += `,${state} ${marked} ${watched} ${owed} ${held} ${told} ${lapsed} ${aside} ${resolved} ${known}`;
  }
  const doing = nodes.map((node) => Object.values(node).join(' ')).sort();
  return `${key}|${doing.join('|')}`;
}

/** Returns the invariant that a world breaks, or null. */
export function brokenIn({ payments, nodes }: World, { callbacks, longPauses }: Rules): string | null {
  for (const [p, payment] of payments.entries()) {
    const { attempts, kept, total, status } = payment;
    const booked = attempts.filter((attempt) => attempt.status === 'succeeded');
    if (attempts.filter(isOpen).length > 1) return `payment ${p} has two open attempts`;
    if (booked.some(({ held, resolved }) => held !== 'paid' && !(held === 'other' && resolved)))
      return `payment ${p} has booked money that did not move`;
    if (kept > total) return `payment ${p} keeps more than its amount`;
    if (kept + booked.filter(({ owed }) => owed).length !== booked.length)
      return `payment ${p}: money that is neither kept nor owed`;
    if ((status === 'succeeded') !== (kept === total)) return `payment ${p} is ${status} with ${kept} of ${total}`;
    if (['pending', 'processing', 'failed', 'cancelled', 'expired'].includes(status) && kept > 0)
      return `payment ${p} is ${status} and keeps money`;
    for (const [a, attempt] of attempts.entries()) {
      if (attempt.aside && attempt.held !== 'other') return `payment ${p} attempt ${a}: an amount is set aside that did not move`;
      if (attempt.told && attempt.status !== 'succeeded' && !isDecided(attempt))
        return `payment ${p} attempt ${a} was reported as paid and is ${attempt.status}`;
      if (callbacks) continue;
      const mine = nodes.some((node) => node.at !== 'idle' && node.payment === p && node.attempt === a);
      const polled = isOpen(attempt) || attempt.watched;
      const moves = ['paid', 'other', 'pending', 'wire'].includes(attempt.held);
      if (moves && attempt.status !== 'succeeded' && !isDecided(attempt) && !polled && !mine)
        return `payment ${p} attempt ${a} is ${attempt.status}, moves money, and nothing looks at it`;
    }
    const mayMove = attempts.filter(
      (attempt) =>
        attempt.status !== 'succeeded' &&
        attempt.resolved === null &&
        ['wire', 'pending', 'paid', 'other'].includes(attempt.held),
    ).length;
    if (mayMove > 1 && !longPauses) return `payment ${p} is charged at two providers at once`;
  }
  return null;
}

/** Whether another amount than the requested one waits for a decision, or a person has decided about it. */
function isDecided({ held, aside, known }: Attempt): boolean {
  return held === 'other' && (aside || known);
}
