import { replaced } from '../explore.ts';
import { nameOf } from './people.ts';
import {
  type At,
  type Bounded,
  hasNews,
  type Held,
  isFresh,
  isWithAccount,
  type Outcome,
  type Read,
  type Ref,
  type Return,
  type Rules,
  type Way,
  wayOf,
  withWay,
  type World,
} from './world.ts';

/* The possible results of a call to a provider. */

/** A possible result of a request: what the provider then holds, its answer, and the bounded event that it counts as. */
type Answer = [Held, Outcome, Bounded?];

/** Possible results for a key that the provider has not seen. */
const FIRST: readonly Answer[] = [
  ['refused', 'refused'],
  ['pending', 'pending'],
  ['paid', 'paid'],
  ['absent', 'unavailable', 'unclear'],
  ['absent', 'unknown', 'unclear'],
  ['wire', 'unknown', 'unclear'],
  ['unfunded', 'unfunded', 'unclear'],
  ['pending', 'unavailable', 'lies'],
];

/** The answer for a repeated key: the present state of the same operation. */
const REPEATED: Record<Exclude<Held, 'absent'>, Outcome> = {
  ...{ wire: 'unknown', pending: 'pending', paid: 'paid', refused: 'refused', unfunded: 'unknown' },
};

export interface Working {
  world: World;
  n: number;
  rules: Rules;
  calm: boolean;
  left: (kind: Bounded) => boolean;
}

export function spend(world: World, kind: Bounded | undefined): World {
  return kind === undefined ? world : { ...world, used: { ...world.used, [kind]: world.used[kind] + 1 } };
}

/** Submits a way. Returns the possible answers, each with the world after it. */
export function answers({ world, rules, calm, left }: Working, ref: Ref, way: Way): [Outcome, string, World][] {
  const held = wayOf(world.row, ref).held[way.key] as Held;
  const possible: readonly Answer[] =
    held !== 'absent' ? [[held, REPEATED[held]], ...(left('unread') ? [[held, 'unknown', 'unread'] as Answer] : [])] : FIRST;
  return possible
    .filter(
      ([now, , kind]) => (kind === undefined || left(kind)) && (now !== 'unfunded' || held === now || way.key < rules.keys - 1),
    )
    .slice(0, calm ? 1 : undefined)
    .map(([now, outcome, kind]) => {
      const after = holds(spend(world, kind), ref, way.key, now);
      const row = withWay(after.row, ref, { denied: ['refused', 'unfunded', 'unavailable'].includes(outcome) });
      return [outcome, `sends ${nameOf(ref)} (${now}, ${outcome})`, { ...after, row }];
    });
}

export function holds(world: World, ref: Ref, key: number, now: Held): World {
  const way = wayOf(world.row, ref);
  // A provider that moves the money calls back.
  const callback = way.callback || (now === 'paid' && way.held[key] !== 'paid');
  return { ...world, row: withWay(world.row, ref, { held: replaced(way.held, key, now), callback }) };
}

/** Polls ways. Returns the possible results. A definite answer also settles earlier callbacks. */
export function readsOf({ world, rules, left }: Working, refs: readonly Ref[], known: Return, isPoll = false): [Read[], World][] {
  let found: [Read[], World][] = [[[], world]];
  for (const ref of refs) {
    const way = wayOf(world.row, ref);
    const isLatest = ref !== 'refund' && ref === known.current && known.dispatched !== null;
    const fresh = isFresh(isLatest ? known.dispatched : way.sent, world.now);
    const held = way.held[way.key] as Held;
    const absent: Outcome = fresh && rules.planted !== 'early_absent_is_answer' ? 'absent' : 'absent_long';
    const truth: Outcome = held === 'absent' || held === 'wire' ? absent : held;
    found = found.flatMap(([reads, before]) => {
      // A payout that was sent to no account cannot be polled while the present one is with no account either.
      const isNowhere = ref !== 'refund' && !way.addressed && !isWithAccount(known);
      const outcomes: [Outcome, Bounded?][] = isNowhere ? [['none']] : [[truth]];
      if (left('unread') && outcomes[0]?.[0] !== 'none') outcomes.push([isPoll ? 'unavailable' : 'unknown', 'unread']);
      // A provider that has shown a way keeps showing it.
      const mayLag = fresh && (way.denied || way.part !== 'failed') && (truth === 'pending' || truth === 'paid');
      if (mayLag && left('lags')) outcomes.push([absent, 'lags']);
      return outcomes
        .filter(([, kind]) => kind === undefined || before.used[kind] < rules.bounds[kind])
        .map(([outcome, kind]): [Read[], World] => {
          // Money that has moved is no answer until it is booked.
          const isDefinite = ['refused', 'unfunded', 'absent_long'].includes(outcome);
          const unanswered = isDefinite ? null : way.unanswered;
          const carried = isDefinite || outcome === 'paid' ? null : way.carried;
          const row = withWay(before.row, ref, { unanswered, denied: isDefinite || way.denied, carried });
          return [[...reads, { ref, way, outcome }], { ...spend(before, kind), row }];
        });
    });
  }
  return found;
}

/** Returns the return with the ways that its providers report as carried out, unless a callback has made it due again. */
export function withReports(row: Return, known: Return, reads: readonly Read[], now: At): Return {
  if (row.state !== known.state || hasNews(row, known)) return row;
  const carried = reads.filter(({ outcome }) => outcome === 'pending');
  return carried.reduce((so_far, { ref }) => withWay(so_far, ref, { carried: now }), row);
}
