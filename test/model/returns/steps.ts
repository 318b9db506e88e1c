import { replaced, type Step as AnyStep } from '../explore.ts';
import * as change from './changes.ts';
import { answers, holds, readsOf, spend, withReports, type Working } from './calls.ts';
import { nameOf, personSteps } from './people.ts';
import {
  type At,
  type Bounded,
  failedOf,
  hasNews,
  type Held,
  isFresh,
  isOpen,
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

type Step = AnyStep<World>;

const IDLE: Node = { at: 'idle' };

/** What the provider does with what it has. It may carry out what it had refused, or called unpaid for good. */
const LATER: Partial<Record<Held, readonly [Held, Bounded?][]>> = {
  wire: [['pending']],
  pending: [['paid'], ['refused'], ['unfunded']],
  refused: [['pending', 'lies']],
  unfunded: [['pending', 'lies']],
};

/** Returns every step that is possible in a world. */
export function stepsOf(world: World, rules: Rules): Step[] {
  const now = { ...world.now, n: world.now.n + 1 };
  const next = { ...world, now };
  const may = (kind: Bounded) => world.used[kind] < rules.bounds[kind];
  const people = may('people') ? personSteps(world.row, now, rules) : [];
  return [
    ...next.nodes.flatMap((_, n) => nodeSteps(next, n, rules)),
    ...refsOf(next.row).flatMap((ref) => providerSteps(next, ref, rules)),
    ...people.map(({ name, world: row }) => ({ name, world: { ...spend(next, 'people'), row } })),
    ...(may('tens') ? [{ name: 'ten minutes pass', world: { ...spend(next, 'tens'), now: { ...now, ten: now.ten + 1 } } }] : []),
    ...(may('days') ? [{ name: 'a day passes', world: aDayLater(spend(next, 'days')) }] : []),
  ];
}

export function aDayLater(world: World): World {
  const { day, ten, n } = world.now;
  return { ...world, now: { day: day + 1, ten: ten + 1, n } };
}

function put(world: World, n: number, node: Node, row: Return = world.row): World {
  return { ...world, row, nodes: replaced(world.nodes, n, node) };
}

/**
 * Returns the steps of a node.
 * @param calm the only step that it does when nothing goes wrong any more
 */
export function nodeSteps(world: World, n: number, rules: Rules, calm = false): Step[] {
  const node = world.nodes[n] as Node;
  const left = (kind: Bounded) => !calm && world.used[kind] < rules.bounds[kind];
  const steps = node.at === 'idle' ? claims(world, n) : work({ world, n, rules, calm, left }, node);
  if (calm) return steps.slice(0, 1);
  // Before it commits anything and after it has, a node that dies is like one that has not begun.
  const mayDie = ['marked', 'answered', 'reports', 'refund marked', 'refund answered'].includes(node.at) && left('crashes');
  const crash = !mayDie ? [] : [{ name: 'dies', world: put(spend(world, 'crashes'), n, IDLE) }];
  return [...steps, ...crash].map((step) => ({ ...step, name: `node ${n}: ${step.name}` }));
}

/** The refund worker looks at an open refund, and the worker of returns at a return that is due. */
function claims(world: World, n: number): Step[] {
  const { row, now } = world;
  const steps: Step[] = [];
  if (isOpen(row.refund) && row.refund.poll !== null) {
    const way = { ...row.refund, poll: now.n, claims: now.n };
    steps.push({ name: 'claims the refund', world: put(world, n, { at: 'refund claimed', way }, { ...row, refund: way }) });
  }
  if (row.step !== null) {
    const known = { ...row, step: now.n, claims: now.n };
    steps.push({ name: 'claims the return', world: put(world, n, { at: 'claimed', known }, known) });
  }
  return steps;
}

function work(at: Working, node: Exclude<Node, { at: 'idle' }>): Step[] {
  const { world, n, rules } = at;
  const { row, now } = world;
  const ends = (name: string, after: Return): Step[] => [{ name, world: put(world, n, IDLE, after) }];
  switch (node.at) {
    case 'claimed':
      return begins(at, node.known);
    case 'rechecks': {
      const reported = withReports(row, node.known, node.reads, now);
      const after = change.rechecked(reported, node.known, node.reads, now, rules.planted);
      return after ? ends('applies what it has read', after) : goesOn(at, node.known);
    }
    case 'proves':
      return proved(at, node.known, node.reads[0] as Read);
    case 'looks':
      return lookedAt(at, node.known, node.reads);
    case 'polled':
      return polled(at, node.known, node.outcome);
    case 'marked':
      return answers(at, node.known.current as number, wayOf(node.known, node.known.current as number)).map(
        ([outcome, name, after]) => ({ name, world: put(after, n, { at: 'answered', known: node.known, outcome }) }),
      );
    case 'answered':
      return applies(at, node.known, 'submit', node.outcome);
    case 'reports':
      return ends('reports that the provider has it', change.payoutCalledBack(row, false, now));
    default:
      return refundWork(at, node);
  }
}

function begins(at: Working, known: Return): Step[] {
  const { world, n } = at;
  const unfinished = known.state === 'owed' || known.state === 'waiting' || known.state === 'paying_out';
  const closed = known.late && unfinished ? change.closedLate(world.row, known, world.now) : null;
  if (closed) return [{ name: 'closes it after a late refund', world: put(world, n, IDLE, closed) }];
  if (!known.recheck) return goesOn(at, known);
  return readsOf(at, failedOf(world.row), known).map(([reads, after]) => ({
    name: `reads ${reads.map(({ ref, outcome }) => `${nameOf(ref)} (${outcome})`).join(', ') || 'nothing'}`,
    world: put(after, n, { at: 'rechecks', known, reads }),
  }));
}

/** Does what the state of the return asks for. */
function goesOn(at: Working, known: Return): Step[] {
  const { world, n, left } = at;
  const { row, now } = world;
  const ends = (name: string, after: Return, kind?: Bounded): Step => ({ name, world: put(spend(world, kind), n, IDLE, after) });
  switch (known.state) {
    case 'owed':
      if (known.refund === null) return [ends('starts a refund', change.refundStarted(row, known, now))];
      return readsOf(at, ['refund'], known).map(([reads, after]) => ({
        name: `reads the refund before another way (${reads[0]?.outcome})`,
        world: put(after, n, { at: 'proves', known, reads }),
      }));
    case 'refunding':
      return [ends('looks at the refund', change.refundLookedAt(row, known, now))];
    case 'paying_out': {
      const ref = known.current as number;
      const way = wayOf(row, ref);
      // Another worker has sent it since: the row that was read names no account.
      const isUnaddressed = way.part !== 'waiting' && wayOf(known, ref).part === 'waiting';
      if (isUnaddressed) return [ends('knows no account', change.postponed(row, known, now))];
      if (way.part !== 'waiting')
        return readsOf(at, [ref], known, true).map(([reads, after]) => ({
          name: `polls payout ${ref} (${reads[0]?.outcome})`,
          world: put(after, n, { at: 'polled', known, outcome: (reads[0] as Read).outcome }),
        }));
      if (known.dispatched) return [ends('counts the payout as sent', change.countedAsSent(row, known, now))];
      const gives = left('closed')
        ? [ends('gives the payout up: no account can pay', change.payoutGivenUp(row, known, now), 'closed')]
        : [];
      if (known.tried) return [ends('tries the account again later', change.triedAgain(row, known, now)), ...gives];
      return [...marks(at, known), ...gives];
    }
    default:
      return [ends('has nothing to do', row)];
  }
}

function marks({ world, n, rules, calm }: Working, known: Return): Step[] {
  const ref = known.current as number;
  if (!calm && wayOf(world.row, ref).sends >= rules.sendings) return [{ name: 'sends no more', world: put(world, n, IDLE) }];
  const after = change.payoutMarked(world.row, known, world.now, rules.planted);
  if (!after) return [{ name: 'does not send', world: put(world, n, IDLE) }];
  const marked = {
    ...world,
    broken: world.broken ?? unreadBefore(world, refsOf(after)) ?? mayBePaidBeside(world, ref) ?? carriedBeside(world, ref),
  };
  return [{ name: `marks payout ${ref}`, world: put(marked, n, { at: 'marked', known: after }, after) }];
}

/** Nothing is sent when the payer has the money, or while a provider may carry out another way that nobody has denied since. */
function mayBePaidBeside({ row }: World, ref: Ref): string | null {
  if (row.gone > 0) return 'money is sent although the payer has it';
  const moves = (way: Way) => ['wire', 'pending', 'paid'].includes(way.held[way.key] as Held);
  const other = refsOf(row).find((one) => {
    const way = wayOf(row, one);
    return one !== ref && moves(way) && !way.denied && way.unanswered === null;
  });
  return other === undefined ? null : `money is sent while ${nameOf(other)} may move it, too`;
}

/** What its provider last reported as carried out is followed by nothing, until it has been unreadable for a day. */
function carriedBeside({ row, now }: World, ref: Ref): string | null {
  const other = refsOf(row).find((one) => {
    const { carried, part } = wayOf(row, one);
    return one !== ref && part !== 'succeeded' && carried !== null && !isOver(carried, now);
  });
  return other === undefined ? null : `money is sent although ${nameOf(other)} is carried out`;
}

/** After a callback, what it is about is read before anything is sent, for a day at least. */
function unreadBefore({ row, now }: World, refs: readonly Ref[]): string | null {
  const unread = refs.find((ref) => {
    const { unanswered, part } = wayOf(row, ref);
    return unanswered !== null && part !== 'succeeded' && !isOver(unanswered, now);
  });
  return unread === undefined ? null : `money is sent although a callback about ${nameOf(unread)} is unanswered`;
}

function proved(at: Working, known: Return, read: Read): Step[] {
  const { way, outcome } = read;
  const { world, n, rules } = at;
  const { now } = world;
  // What it carries out is not sent another way for a day, like what it has called back about.
  const isCurrent = outcome === 'pending' && world.row.state === known.state && !hasNews(world.row, known);
  const unanswered = world.row.refund?.unanswered ?? now;
  const row = isCurrent
    ? withReports(withWay(world.row, 'refund', { unanswered, denied: false }), known, [read], now)
    : world.row;
  const ends = (name: string, after: Return, kind?: Bounded): Step => ({ name, world: put(spend(world, kind), n, IDLE, after) });
  const isProved = ['refused', 'unfunded', 'absent', 'absent_long'].includes(outcome) || (outcome === 'unknown' && way.resolved);
  if (outcome === 'paid')
    return [ends('books the late refund', change.afterRefund(row, 'refund', way, 'paid', now, rules.planted))];
  if (!isProved && rules.planted !== 'refund_not_proved') {
    const isKept = outcome === 'pending' && way.resolved && rules.planted !== 'pending_forgotten';
    const kept = isKept ? { recheck: true, updated: now } : {};
    if (isOver(way.ended as At, now)) return [ends('leaves the doubt to a person', change.leftToPerson(row, known, now, kept))];
    return [ends('doubts the refund', change.postponed(row, known, now, kept))];
  }
  if (known.current !== null) return [ends('leaves it to a person', change.leftToPerson(row, known, now))];
  const failed = failedOf(row).filter((ref) => ref !== 'refund');
  const next = { ...at, world: { ...world, row } };
  if (failed.length === 0) return lookedAt(next, known, []);
  return readsOf(next, failed, known).map(([reads, after]) => ({
    name: `reads the payouts before another (${reads.map((read) => read.outcome).join(', ')})`,
    world: put(after, n, { at: 'looks', known, reads }),
  }));
}

/** Starts a payout, unless one that had failed is done or carried out. */
function lookedAt({ world, n, left }: Working, known: Return, reads: readonly Read[]): Step[] {
  const { now } = world;
  const row = withReports(world.row, known, reads, now);
  const ends = (name: string, after: Return, kind?: Bounded): Step => ({ name, world: put(spend(world, kind), n, IDLE, after) });
  if (reads.some(({ outcome }) => outcome === 'pending' || outcome === 'paid'))
    return [ends('has the payouts read again', change.postponed(row, known, now, { recheck: true, updated: now }))];
  const gives = left('closed') ? [ends('leaves it to a person', change.leftToPerson(row, known, now), 'closed')] : [];
  return [ends('starts a payout', change.payoutStarted(row, known, now)), ...gives];
}

function polled(at: Working, known: Return, outcome: Outcome): Step[] {
  const { world, n } = at;
  if (outcome !== 'absent_long') return applies(at, known, 'read', outcome);
  if (!known.late || at.rules.planted === 'sends_after_late_refund') return marks(at, known);
  return [{ name: 'ends the payout', world: put(world, n, IDLE, change.payoutNotNeeded(world.row, known, world.now)) }];
}

function applies({ world, n, rules }: Working, known: Return, call: 'submit' | 'read', outcome: Outcome): Step[] {
  const after = change.afterPayout(world.row, known, call, outcome, world.now, rules.planted);
  const reports = !after && (outcome === 'paid' || outcome === 'pending');
  const node: Node = reports ? { at: 'reports' } : IDLE;
  return [{ name: `applies ${outcome} to the payout`, world: put(world, n, node, after ?? world.row) }];
}

function refundWork(at: Working, node: Extract<Node, { way: Way }>): Step[] {
  const { world, n, rules, calm } = at;
  const { row, now } = world;
  const ends = (name: string, after = row): Step[] => [{ name, world: put(world, n, IDLE, after) }];
  const to = (name: string, outcome: Outcome, way: Way, after: World): Step => ({
    name,
    world: put(after, n, { at: 'refund answered', way, outcome }),
  });
  switch (node.at) {
    case 'refund claimed': {
      if (node.way.part === 'sent')
        return readsOf(at, ['refund'], row).map(([reads, after]) => {
          const { outcome } = reads[0] as Read;
          return to(`polls the refund (${outcome})`, outcome, node.way, after);
        });
      if (!calm && node.way.sends >= rules.sendings) return ends('sends the refund no more');
      const after = change.refundMarked(row, now);
      if (!after) return ends('may not send the refund');
      const marked = { ...world, broken: world.broken ?? unreadBefore(world, ['refund']) };
      return [{ name: 'marks the refund', world: put(marked, n, { at: 'refund marked', way: after.refund as Way }, after) }];
    }
    case 'refund marked': {
      // It checks the time right before it sends.
      if (!isFresh(node.way.sent, now)) return [to('is too late to send the refund', 'unavailable', node.way, world)];
      return answers(at, 'refund', node.way).map(([outcome, name, after]) => to(name, outcome, node.way, after));
    }
    case 'refund answered': {
      // That a second submission was turned away proves nothing about the first one.
      const outcome = node.outcome === 'unavailable' && node.way.resent ? 'unknown' : node.outcome;
      return ends(`applies ${outcome} to the refund`, change.afterRefund(row, 'refund', node.way, outcome, now, rules.planted));
    }
  }
}

function providerSteps(world: World, ref: Ref, rules: Rules): Step[] {
  const way = wayOf(world.row, ref);
  const held = way.held[way.key] as Held;
  const may = (kind?: Bounded) => kind === undefined || world.used[kind] < rules.bounds[kind];
  const steps = (LATER[held] ?? [])
    .filter(([now, kind]) => may(kind) && (now !== 'unfunded' || way.key < rules.keys - 1))
    // Once a newer key is to be sent, a callback about the earlier one is not read.
    .map(([now, kind]) => ({ name: `${nameOf(ref)} is ${now}`, world: holds(spend(world, kind), ref, way.key, now) }));
  const called = (name: string, kind?: Bounded): Step => {
    const row = change.calledBack(world.row, ref, world.now, rules.planted);
    const told = withWay(row, ref, { callback: false, unanswered: way.part === 'succeeded' ? null : world.now });
    return { name, world: { ...spend(world, kind), row: told } };
  };
  if (way.callback) steps.push(called(`the callback about ${nameOf(ref)} arrives`));
  else if (way.sent !== null && may('strays')) steps.push(called(`a needless callback about ${nameOf(ref)} arrives`, 'strays'));
  return steps;
}
