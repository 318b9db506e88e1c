import { type Exploration, explore as exploreAny } from '../explore.ts';
import { OPEN, type Payment, type Rules, stepsOf, type World } from './world.ts';

/** Returns a world in which payments were collected and nothing was released. @param shares units of each */
export function startOf(shares: readonly number[]): World {
  const payments = shares.map((share) => ({ share, pending: share, released: false, refunds: [], disputes: [] }));
  return { payments, available: 0, credit: 0, disputed: 0, clearing: 0, withdrawn: 0, gone: 0, reading: null };
}

export function explore(start: World, depth: number, rules: Rules, visit?: (world: World) => void): Exploration {
  const model = {
    steps: (world: World) => stepsOf(world, rules),
    broken: brokenIn,
    key: (world: World) => JSON.stringify(world),
  };
  return exploreAny(model, start, depth, visit);
}

/** Returns the invariant that a world breaks, or null. */
export function brokenIn({ payments, available, credit, disputed, clearing, withdrawn, gone }: World): string | null {
  if (available < 0 || credit > 0) return `${available} is available, and ${-credit} is advanced`;
  if (available > 0 && credit < 0) return 'money is available while an advance is owed';
  for (const [p, payment] of payments.entries()) {
    const { share, pending, released } = payment;
    if (pending < 0 || pending > share) return `payment ${p} has ${pending} of ${share} pending`;
    if (released && pending > 0) return `payment ${p} is released and has money pending`;
    if (taken(payment) > share) return `payment ${p}: ${taken(payment)} of ${share} are taken`;
  }
  const claims = (of: (payment: Payment) => number) => payments.reduce((sum, payment) => sum + of(payment), 0);
  const open = claims(({ disputes }) => unitsOf(disputes, ({ status }) => OPEN.includes(status)));
  if (disputed !== open) return `${disputed} are set aside for open disputes of ${open}`;
  const moving = claims(({ refunds }) => unitsOf(refunds, ({ status, draw }) => status === 'pending' && draw !== null));
  if (clearing !== moving) return `${clearing} are on the way for refunds of ${moving}`;
  const left = claims(
    ({ refunds, disputes }) => unitsOf(refunds, isSucceeded) + unitsOf(disputes, ({ status }) => status === 'lost'),
  );
  if (gone !== left) return `${gone} left for refunds and lost disputes of ${left}`;
  const total = claims(({ pending }) => pending) + available + credit + disputed + clearing + withdrawn + gone;
  const captured = claims(({ share }) => share);
  return total === captured ? null : `the books hold ${total} of ${captured}`;
}

function isSucceeded({ status }: { status: string }): boolean {
  return status === 'succeeded';
}

function unitsOf(claims: Payment['refunds'], which: (claim: Payment['refunds'][number]) => boolean): number {
  return claims.filter(which).reduce((sum, { units }) => sum + units, 0);
}

/** What refunds and disputes have taken, or may take, from a payment. */
function taken({ refunds, disputes }: Payment): number {
  const kept = unitsOf(disputes, ({ status }) => status !== 'won' && status !== 'closed');
  return kept + unitsOf(refunds, ({ status }) => status !== 'failed');
}
