import assert from 'node:assert/strict';
import * as change from './changes.ts';
import { type Called, Run, shapeOf, storedOf } from './code.ts';
import { keyOf } from './invariants.ts';
import { endedByHand, recordedLate, resolved, retried } from './people.ts';
import { nodeSteps } from './steps.ts';
import {
  type At,
  failedOf,
  isFresh,
  isOver,
  type Node,
  type Outcome,
  type Read,
  type Ref,
  refsOf,
  type Return,
  type Rules,
  type Way,
  wayOf,
  withWay,
  type World,
} from './world.ts';

/* Runs what a node, a callback or a person does in a world both in the model and in the program. */

class Stop extends Error {}

/** What was compared. */
export type Counts = Record<'steps' | 'answers' | 'callbacks' | 'decisions' | 'skipped', number>;

/** Returns a world without what the program cannot see, with at most one busy node: what the program makes of it depends on no more. */
export function bare(world: World, node: Node): World {
  const unheld = (way: Way): Way => ({
    ...way,
    ...{ held: way.held.map(() => 'absent' as const), callback: false, unanswered: null, denied: true, carried: null, sends: 0 },
  });
  const { refund, payouts } = world.row;
  const row = { ...world.row, refund: refund && unheld(refund), payouts: payouts.map(unheld), by_hand: 0 };
  const used = Object.fromEntries(Object.keys(world.used).map((kind) => [kind, 0])) as World['used'];
  return { ...world, row, nodes: [node], used, broken: null };
}

export { keyOf };

async function stopped(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Stop)) throw error;
  });
}

/** Compares the next step of the only node of a world. */
export async function compareNode(world: World, rules: Rules, counts: Counts): Promise<void> {
  const node = world.nodes[0] as Node;
  const after = { ...world, now: { ...world.now, n: world.now.n + 1 } };
  const steps = nodeSteps(after, 0, {
    ...rules,
    sendings: 99,
    bounds: { ...rules.bounds, closed: 1, crashes: 0, lags: 0, unread: 0 },
  });
  for (const step of steps) {
    const shown = `${step.name} of ${keyOf(world)}`;
    const canPay = !/no account can pay|leaves it to a person/.test(step.name) || world.used.closed === step.world.used.closed;
    switch (node.at) {
      case 'idle':
      case 'marked':
      case 'refund marked':
        continue;
      case 'claimed':
        await compareClaimed(world, node.known, step.world, canPay, shown, counts);
        continue;
      case 'refund claimed':
      case 'refund answered':
        await compareRefund(world, node, step.world, shown, counts);
        continue;
      case 'reports': {
        const run = new Run(world.row, world);
        await run.reports();
        counts.callbacks++;
        assert.deepEqual(run.shape(world.row), shapeOf(step.world.row, world.row), shown);
        continue;
      }
      default:
        await compareAnswer(world, node, step.world, canPay, shown, counts);
    }
  }
}

async function compareRefund(
  world: World,
  node: Extract<Node, { way: Way }>,
  after: World,
  shown: string,
  counts: Counts,
): Promise<void> {
  const run = new Run(world.row, world);
  if (node.at === 'refund claimed') {
    if (node.way.part === 'sent') return;
    await run.refundMarked();
    counts.steps++;
  } else if (node.at === 'refund answered') {
    const outcome = node.outcome === 'unavailable' && node.way.resent ? 'unknown' : node.outcome;
    await run.afterRefund(node.way, outcome === 'absent' ? 'unknown' : outcome);
    counts.answers++;
  }
  assert.deepEqual(run.shape(world.row), shapeOf(after.row, world.row), shown);
}

/** What a node does that has claimed the return: until it calls a provider, or to the end. */
async function compareClaimed(
  world: World,
  known: Return,
  after: World,
  canPay: boolean,
  shown: string,
  counts: Counts,
): Promise<void> {
  const node = after.nodes[0] as Node;
  const sends = node.at === 'marked';
  const wanted = 'reads' in node ? node.reads.filter(({ outcome }) => outcome !== 'none').map(({ ref }) => ref) : [];
  const asked: Ref[] = node.at === 'polled' ? [known.current as number] : wanted;
  const called: Called = (call) => {
    if (call === 'submit' || asked.length === 0) throw new Stop();
    return 'unknown';
  };
  const run = new Run(world.row, world, called, canPay);
  await stopped(run.advance(known));
  counts.steps++;
  const calls = run.calls.slice(0, sends ? 1 : asked.length);
  assert.deepEqual(calls.toSorted(), (sends ? [`submit ${known.current}`] : asked.map((ref) => `read ${ref}`)).toSorted(), shown);
  if (asked.length === 0) assert.equal(run.calls.length, calls.length, shown);
  // After a reading the program goes on; what it makes of the answer is compared with the answer.
  if (asked.length === 0 && node.at !== 'rechecks') assert.deepEqual(run.shape(world.row), shapeOf(after.row, world.row), shown);
}

/** The last step of a node that has an answer: the rows become what they are now when the program hears it. */
async function compareAnswer(
  world: World,
  node: Extract<Node, { at: 'rechecks' | 'proves' | 'looks' | 'polled' | 'answered' }>,
  after: World,
  canPay: boolean,
  shown: string,
  counts: Counts,
): Promise<void> {
  const { row } = world;
  const { known } = node;
  const ref = known.current as number;
  const told: Pick<Read, 'ref' | 'outcome'>[] = 'reads' in node ? [...node.reads] : [{ ref, outcome: node.outcome }];
  const before = 'reads' in node ? asRead(known, row, node.reads) : node.at === 'answered' ? asUnsent(known) : known;
  if (!isReachable(node, before, world.now)) return void counts.skipped++;
  const times = {
    now: world.now,
    fresh: freshness(world.now, before, told),
    ...(node.at === 'answered' && { mark: known.step as number }),
  };
  const calls = told
    .filter(({ outcome }) => outcome !== 'none')
    .map(({ ref: of }) => `${node.at === 'answered' ? 'submit' : 'read'} ${of}`);
  const next_node = after.nodes[0] as Node;
  // Of payouts that no account was given the program asks nobody, and goes on at once.
  const isUnasked = next_node.at === 'looks' && next_node.reads.every(({ outcome }) => outcome === 'none');
  if (calls.length === 0 || isUnasked) return void counts.skipped++;
  let next: Outcome | null = null;
  const called: Called = (call, of, memory) => {
    const name = `${call} ${of}`;
    if (node.at === 'answered' && call === 'read') return 'absent_long';
    const at = calls.indexOf(name);
    if (at < 0) {
      if (node.at === 'looks' && of === 'refund') return 'refused';
      if (next_node.at === 'looks') throw new Stop();
      if (call === 'submit') throw new Stop();
      if (of === ref) next = 'unknown';
      return 'unknown';
    }
    calls.splice(at, 1);
    if (calls.length === 0) {
      memory.stored = storedOf(row, times);
      memory.moved = {};
    }
    return (told.find((one) => one.ref === of) as Read).outcome;
  };
  const run = new Run(before, times, called, canPay);
  await stopped(run.advance(node.at === 'answered' ? before : known));
  // The payout under way was polled as well, without an answer.
  const expected = next === null ? after.row : (change.afterPayout(row, known, 'read', 'unknown', after.now) ?? row);
  counts.answers++;
  assert.equal(calls.length, 0, `not asked: ${calls} ${shown}`);
  assert.deepEqual(run.shape(row), shapeOf(reported(expected, after), row), shown);
}

/** An answer that came too late is reported in the same run of the program. */
function reported(row: Return, after: World): Return {
  return after.nodes[0]?.at === 'reports' ? change.payoutCalledBack(row, false, after.now) : row;
}

/** The return with what was read of its ways. */
function asRead(known: Return, { refund, payouts }: Return, reads: readonly Read[]): Return {
  return reads.reduce((row, { ref, way }) => withWay(row, ref, way), { ...known, refund, payouts });
}

/** The return before the payout was marked. */
function asUnsent(known: Return): Return {
  const dispatched = known.resent ? { day: -9, ten: -9, n: -1 } : null;
  return {
    ...withWay(known, known.current as number, { part: known.resent ? 'sent' : 'waiting' }),
    dispatched,
    resent: false,
    tried: false,
  };
}

/** Whether the program comes to this answer from the rows before. */
function isReachable(node: Extract<Node, { known: Return }>, before: Return, now: At): boolean {
  const { known } = node;
  const failed = failedOf(before);
  const unfinished = known.state === 'owed' || known.state === 'waiting' || known.state === 'paying_out';
  if (node.at === 'rechecks') {
    const same = failed.length === node.reads.length && failed.every((ref, i) => ref === node.reads[i]?.ref);
    return same && !(known.late && unfinished && change.closedLate(before, known, now) !== null);
  }
  if (node.at === 'looks') {
    const payouts = failed.filter((ref) => ref !== 'refund');
    return payouts.length === node.reads.length && payouts.every((ref, i) => ref === node.reads[i]?.ref);
  }
  // What had failed could not be read before.
  return node.at !== 'polled' || !known.recheck || (failed.length > 0 && !isOver(known.updated, now));
}

/** "Not found" is early or late as it was when the provider was asked. */
function freshness(now: At, before: Return, told: readonly Pick<Read, 'ref' | 'outcome'>[]): (sent: At) => boolean {
  const asked = told.map(({ ref, outcome }) => {
    const isLatest = ref !== 'refund' && ref === before.current && before.dispatched !== null;
    return { n: (isLatest ? before.dispatched : wayOf(before, ref).sent)?.n, outcome };
  });
  return (sent) => {
    const one = asked.find(({ n, outcome }) => n === sent.n && (outcome === 'absent' || outcome === 'absent_long'));
    return one === undefined ? isFresh(sent, now) : one.outcome === 'absent';
  };
}

/** Compares what callbacks and people change in a world. */
export async function compareEvents(world: World, counts: Counts): Promise<void> {
  const { row } = world;
  const now = { ...world.now, n: world.now.n + 1 };
  const shown = (what: string) => `${what} of ${keyOf(world)}`;
  for (const ref of refsOf(row).filter((one) => wayOf(row, one).sent !== null)) {
    const run = new Run(row, world);
    await run.calledBack(ref);
    counts.callbacks++;
    assert.deepEqual(run.shape(row), shapeOf(change.calledBack(row, ref, now), row), shown(`callback about ${ref}`));
  }
  const people: [Parameters<Run['person']>[0], Ref, Return | null][] = [
    ['resolves', 'refund', resolved(row, now)],
    ['retries', 'refund', retried(row, now)],
    ...refsOf(row).flatMap((ref): [Parameters<Run['person']>[0], Ref, Return | null][] => [
      ['reports', ref, recordedLate(row, ref, now)],
      ['ends', ref, endedByHand(row, ref, now)],
    ]),
  ];
  for (const [what, ref, expected] of people) {
    const run = new Run(row, world);
    const may = await run.person(what, ref);
    counts.decisions++;
    assert.equal(may, expected !== null, shown(`${what} ${ref}`));
    // The evidence of a decision about what left too often is kept with a way that is not read again.
    const told = (shape: object) => (what === 'resolves' ? JSON.stringify(shape).replaceAll(/"resolved":\w+/g, '') : shape);
    if (expected) assert.deepEqual(told(run.shape(row)), told(shapeOf(expected, row)), shown(`${what} ${ref}`));
  }
}
