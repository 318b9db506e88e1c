import { type Exploration, explore as exploreAny } from '../explore.ts';
import { aDayLater, nodeSteps, stepsOf } from './steps.ts';
import {
  BOUNDED,
  hasNews,
  isClosed,
  isFresh,
  isOpen,
  isOver,
  isSameSubmission,
  needsWorker,
  type Node,
  type Read,
  refsOf,
  type Return,
  type Rules,
  timesPaid,
  type Way,
  wayOf,
  type World,
} from './world.ts';

export function explore(start: World, depth: number, rules: Rules, visit?: (world: World) => void): Exploration {
  const quiet = new Map<string, string | null>();
  const model = {
    steps: (world: World) => stepsOf(world, rules),
    broken: (world: World) => brokenIn(world) ?? brokenWhenQuiet(world, rules, quiet),
    key: keyOf,
  };
  return exploreAny(model, start, depth, visit);
}

/** Nodes are alike, and of times only what has passed since matters, so worlds that differ only in that are one. */
export function keyOf(world: World): string {
  const { row, nodes, now, used, broken } = world;
  const doing = nodes.map((node) => nodeKey(world, node)).sort();
  const budget = BOUNDED.map((kind) => used[kind]).join('');
  const { state, current, manual, tried, resent, dispatched, spent, late, times, recheck, step, updated } = row;
  const flags = [tried, resent, late, recheck, step !== null, isOver(updated, now)].map(Number).join('');
  const sent = dispatched === null ? '-' : Number(isFresh(dispatched, now));
  const money = `${row.hold} ${row.gone} ${row.by_hand}`;
  const ways = refsOf(row).map((ref) => wayKey(wayOf(row, ref), world));
  return `${state} ${current} ${manual} ${flags} ${sent} ${spent} ${times} ${money} ${budget}${broken ?? ''}|${ways.join('|')}/${doing.join('/')}`;
}

function wayKey(way: Way, { now }: World): string {
  const { status, part, key, sent, sends, ended, unanswered, carried, held } = way;
  const flags = [way.spent, way.resent, way.addressed, way.poll !== null, way.resolved, way.callback, way.denied]
    .map(Number)
    .join('');
  const since = [
    sent && isFresh(sent, now),
    ended && isOver(ended, now),
    unanswered && isOver(unanswered, now),
    carried && isOver(carried, now),
  ];
  return `${status} ${part} ${key} ${flags} ${sends} ${since.map((one) => (one === null ? '-' : Number(one))).join('')} ${held.join()}`;
}

function nodeKey(world: World, node: Node): string {
  const { row, now } = world;
  if (node.at === 'idle' || node.at === 'reports') return node.at;
  const outcome = 'outcome' in node ? node.outcome : '';
  if ('way' in node) return `${node.at} ${outcome} ${readKey(node.way, row.refund as Way)}`;
  const { known } = node;
  const { state, late, recheck, current, tried, dispatched, updated } = known;
  const news = row.claims !== known.claims ? 2 : row.step !== known.step ? 1 : 0;
  const sent = dispatched === null ? '-' : isSameSubmission(row, known) ? '=' : '!';
  const fresh = dispatched === null ? '-' : Number(isFresh(dispatched, now));
  const flags = [late, recheck, tried, isOver(updated, now), hasNews(row, known), known.refund === null].map(Number).join('');
  const own = `${node.at} ${outcome} ${state} ${current} ${flags} ${news} ${sent}${fresh}`;
  const reads = 'reads' in node ? node.reads.map((read) => seenKey(row, read, now)).join() : '';
  return node.at === 'marked' ? `${own} ${wayOf(known, current as number).key}` : `${own} ${reads}`;
}

function seenKey(row: Return, { ref, way, outcome }: Read, now: World['now']): string {
  const over = way.ended !== null && isOver(way.ended, now);
  return `${ref} ${outcome} ${way.key === wayOf(row, ref).key} ${way.resolved} ${over}`;
}

function readKey(known: Way, way: Way): string {
  const news = known.claims !== way.claims ? 2 : known.poll !== way.poll ? 1 : 0;
  return `${known.part} ${known.key === way.key} ${known.key} ${known.sent?.n === way.sent?.n} ${news} ${known.resent} ${known.sends}`;
}

/** Returns the invariant that a world breaks, or null. */
export function brokenIn({ row, broken }: World): string | null {
  if (broken) return broken;
  const { state, hold, transit, gone, refund, payouts, current, manual, step } = row;
  if (hold + transit + gone !== 1) return `the books hold ${hold} in suspense, ${transit} on its way and ${gone} gone`;
  const ways = refsOf(row).map((ref) => wayOf(row, ref));
  const open = ways.filter(isOpen);
  const expected = state === 'refunding' ? [refund] : state === 'paying_out' ? [payouts[current ?? -1]] : [];
  if (open.length !== expected.length || open.some((way, i) => way !== expected[i]))
    return `it is ${state} with ${open.length} ways open`;
  if (transit !== open.length) return `${open.length} ways are open and ${transit} units are on their way`;
  // A person may let the service try again: the refund that waits for a person becomes the payout.
  if (manual === 'pending' ? state !== 'waiting' && state !== 'owed' : state === 'waiting')
    return `it is ${state} and waits for a person: ${manual}`;
  if (gone !== timesPaid(row)) return `${gone} units are gone and it was paid ${timesPaid(row)} times`;
  if (isClosed(row) && gone !== 1) return `it is ${state} and was paid ${gone} times`;
  if (state === 'overpaid' && gone < 2) return `it is overpaid and was paid ${gone} times`;
  if (needsWorker(row) !== (step !== null)) return `it is ${state} and ${step === null ? 'nothing' : 'a worker'} looks at it`;
  if (isOpen(refund) && refund.poll === null) return 'nothing looks at the refund';
  if (ways.some((way) => way.part === 'succeeded' && way.held[way.key] !== 'paid'))
    return 'it has booked money that did not move';
  return null;
}

/** Steps that the program may need until nothing is left to do. */
const MAX_STEPS = 80;

/**
 * Returns what is wrong once every provider has decided and answers, every callback has arrived and time passes; null while a provider or a
 * node is at work.
 */
export function brokenWhenQuiet(start: World, rules: Rules, known: Map<string, string | null>): string | null {
  const ways = refsOf(start.row).map((ref) => wayOf(start.row, ref));
  // What no provider answers about for a day is left to people, and to the provider's statement.
  const lapsed = ways.some(
    ({ unanswered, part }) => unanswered !== null && part !== 'succeeded' && isOver(unanswered, start.now),
  );
  if (lapsed) return null;
  const undecided = ways.some(({ held, callback }) => callback || held.includes('wire') || held.includes('pending'));
  if (undecided || start.nodes.some(({ at }) => at !== 'idle')) return null;
  let world = start;
  const passed: string[] = [];
  let verdict: string | null | undefined;
  for (let steps = 0; verdict === undefined; steps++) {
    const idle = world.nodes[0]?.at === 'idle';
    if (idle) {
      const key = keyOf(world);
      verdict = known.get(key);
      if (verdict !== undefined) break;
      passed.push(key);
      // Waits between two steps are longer than anything that is on its way takes.
      world = { ...world, now: { ...world.now, ten: world.now.ten + 1 } };
      if (steps > MAX_STEPS / 2) world = aDayLater(world);
    }
    const step = nodeSteps({ ...world, now: { ...world.now, n: world.now.n + 1 } }, 0, rules, true)[0];
    if (!step) verdict = brokenAtRest(world);
    else if (steps > MAX_STEPS) verdict = 'it never comes to rest';
    else world = step.world;
  }
  for (const key of passed) known.set(key, verdict ?? null);
  return verdict ?? null;
}

function brokenAtRest(world: World): string | null {
  const { row } = world;
  const broken = brokenIn(world);
  if (broken) return broken;
  // What moves under a key that a newer one has replaced is shown by the provider's statement only.
  const paid = refsOf(row).filter((ref) => wayOf(row, ref).held[wayOf(row, ref).key] === 'paid');
  const moved = paid.length + row.by_hand;
  if (moved !== row.gone) return `the money has moved ${moved} times, and ${row.gone} are known`;
  const states = moved === 0 ? ['waiting'] : moved === 1 ? ['returned', 'resolved'] : ['overpaid'];
  return states.includes(row.state) ? null : `it is ${row.state} at rest, and was paid ${moved} times`;
}
