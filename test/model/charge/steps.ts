import type { Step as AnyStep } from '../explore.ts';
import {
  type Attempt,
  afterReading,
  afterResolution,
  afterResponse,
  afterWindow,
  type Held,
  isOpen,
  isUnderWay,
  type Node,
  type Payment,
  type Reading,
  type Response,
  type Rules,
  type World,
} from './world.ts';

type Step = AnyStep<World>;

const IDLE: Node = { at: 'idle' };
const FRESH: Attempt = {
  ...{ status: 'created', marked: false, watched: false, owed: false, held: 'absent', told: false },
  ...{ lapsed: false, aside: false, resolved: null, known: false },
};

/** What can come of a request that leaves: what the provider holds then, and the response that the node gets. */
const SENDING: readonly { held: Held; response: Response }[] = [
  { held: 'absent', response: 'unavailable' },
  { held: 'wire', response: 'lost' },
  { held: 'pending', response: 'accepted' },
  { held: 'pending', response: 'lost' },
  { held: 'paid', response: 'paid' },
  { held: 'paid', response: 'lost' },
  { held: 'refused', response: 'refused' },
  { held: 'refused', response: 'lost' },
];
const SENDING_OTHER: typeof SENDING = [
  { held: 'other', response: 'other' },
  { held: 'other', response: 'lost' },
];

/** Returns every step that is possible in a world. */
export function stepsOf(world: World, rules: Rules): Step[] {
  return [
    ...world.nodes.flatMap((node, n) => nodeSteps(world, node, n, rules)),
    ...world.payments.flatMap((payment, p) => outsideSteps(world, payment, p, rules)),
  ];
}

/** Returns the world with a node, a payment or both replaced. */
function put(world: World, change: { n?: number; node?: Node; p?: number; payment?: Payment; crashes?: number }): World {
  const { n, node, p, payment, crashes = world.crashes } = change;
  return {
    crashes,
    nodes: node === undefined ? world.nodes : world.nodes.map((old, i) => (i === n ? node : old)),
    payments: payment === undefined ? world.payments : world.payments.map((old, i) => (i === p ? payment : old)),
  };
}

function held(payment: Payment, index: number, now: Held): Payment {
  return { ...payment, attempts: payment.attempts.map((attempt, i) => (i === index ? { ...attempt, held: now } : attempt)) };
}

function nodeSteps(world: World, node: Node, n: number, rules: Rules): Step[] {
  if (node.at === 'idle') return world.payments.flatMap((payment, p) => idleSteps(world, payment, n, p, rules));
  const { payment: p, attempt: a } = node;
  const payment = world.payments[p] as Payment;
  const attempt = payment.attempts[a] as Attempt;
  const name = (what: string) => `node ${n}: ${what} payment ${p} attempt ${a}`;
  const steps: Step[] = [];
  if (world.crashes < rules.crashes)
    steps.push({ name: name('dies at'), world: put(world, { n, node: IDLE, crashes: world.crashes + 1 }) });
  switch (node.at) {
    case 'begun': {
      const may =
        rules.planted === 'no_mark' || (attempt.status === 'created' && ['pending', 'partial'].includes(payment.status));
      const marked = { ...payment, attempts: payment.attempts.map((old, i) => (i === a ? { ...old, marked: true } : old)) };
      steps.push(
        may
          ? { name: name('marks'), world: put(world, { n, node: { at: 'marked', payment: p, attempt: a }, p, payment: marked }) }
          : { name: name('may not send'), world: put(world, { n, node: { ...node, at: 'answered', response: 'unavailable' } }) },
      );
      break;
    }
    case 'marked':
      for (const { held: now, response } of rules.endings ? [...SENDING, ...SENDING_OTHER] : SENDING) {
        const sent = put(world, {
          n,
          node: { at: 'answered', payment: p, attempt: a, response },
          p,
          payment: held(payment, a, now),
        });
        steps.push({ name: name(`sends (${now}, ${response})`), world: sent });
      }
      break;
    case 'answered': {
      const after = afterResponse(payment, a, node.response, rules);
      steps.push({ name: name(`applies ${node.response} to`), world: put(world, { n, node: IDLE, p, payment: after }) });
      break;
    }
    case 'polled': {
      // A poll from before the mark says nothing about a request that may have left since.
      const reading = node.reading === 'absent_long' && attempt.marked && !node.marked ? 'absent' : node.reading;
      const after = afterReading(payment, a, reading, rules);
      steps.push({ name: name(`applies reading ${node.reading} to`), world: put(world, { n, node: IDLE, p, payment: after }) });
      break;
    }
  }
  return steps;
}

function idleSteps(world: World, payment: Payment, n: number, p: number, rules: Rules): Step[] {
  const steps: Step[] = [];
  const busy = payment.attempts.some(
    rules.planted === 'charges_beside_unknown' ? ({ status }) => status === 'created' : isUnderWay,
  );
  if (['pending', 'partial'].includes(payment.status) && !payment.over && !busy && payment.attempts.length < rules.attempts) {
    const begun = { ...payment, attempts: [...payment.attempts, FRESH] };
    const node: Node = { at: 'begun', payment: p, attempt: payment.attempts.length };
    steps.push({ name: `node ${n}: begins a charge of payment ${p}`, world: put(world, { n, node, p, payment: begun }) });
  }
  for (const [a, attempt] of payment.attempts.entries()) {
    if (!isUnderWay(attempt)) continue;
    for (const reading of readings(world, attempt, p, a, rules)) {
      const node: Node = { at: 'polled', payment: p, attempt: a, reading, marked: attempt.marked };
      steps.push({ name: `node ${n}: polls payment ${p} attempt ${a}: ${reading}`, world: put(world, { n, node }) });
    }
  }
  return steps;
}

/** Returns what a poll can report now. A request arrives within the grace period, so a late "absent" means that none is on the wire. */
function readings(world: World, attempt: Attempt, p: number, a: number, rules: Rules): Reading[] {
  const { held: now } = attempt;
  if (now !== 'absent' && now !== 'wire') return [now];
  const sender = world.nodes.some((node) => node.at === 'marked' && node.payment === p && node.attempt === a);
  const over = now === 'absent' && (rules.longPauses || !sender);
  return over ? ['absent', 'absent_long'] : ['absent'];
}

/**
 * Returns as what a person can resolve an attempt, who sees what the provider holds. While a request may be about to leave, or is on its way,
 * nobody can know. About another amount a person decides once it is set aside.
 */
function resolutions(world: World, { held: now, aside, known }: Attempt, p: number, a: number): ('succeeded' | 'failed')[] {
  const isSent = world.nodes.some(
    ({ at, ...node }) => (at === 'begun' || at === 'marked') && 'payment' in node && node.payment === p && node.attempt === a,
  );
  if (isSent || now === 'wire' || now === 'pending') return [];
  if (now === 'paid') return ['succeeded'];
  if (now === 'other') return aside || known ? ['succeeded', 'failed'] : [];
  return ['failed'];
}

/** Steps of the world around: requests arrive, payers decide, callbacks come, windows elapse, merchants cancel. */
function outsideSteps(world: World, payment: Payment, p: number, rules: Rules): Step[] {
  const steps: Step[] = [];
  const add = (name: string, after: Payment) => {
    if (after !== payment) steps.push({ name: `payment ${p}: ${name}`, world: put(world, { p, payment: after }) });
  };
  for (const [a, attempt] of payment.attempts.entries()) {
    if (attempt.held === 'wire') {
      add(`the request of attempt ${a} arrives`, held(payment, a, 'pending'));
      add(`the request of attempt ${a} is refused`, held(payment, a, 'refused'));
    }
    if (attempt.held === 'pending') {
      add(`the payer pays attempt ${a}`, held(payment, a, 'paid'));
      add(`the payer refuses attempt ${a}`, held(payment, a, 'refused'));
      if (rules.endings) {
        add(`the payer pays another amount for attempt ${a}`, held(payment, a, 'other'));
        add(`the payer cancels attempt ${a}`, held(payment, a, 'cancelled'));
        add(`attempt ${a} lapses`, held(payment, a, 'lapsed'));
      }
    }
    if (rules.endings)
      for (const as of resolutions(world, attempt, p, a)) {
        const after = afterResolution(payment, a, as, rules);
        if (after) add(`a person resolves attempt ${a} as ${as}`, after);
      }
    if (rules.callbacks && (attempt.held === 'paid' || attempt.held === 'other') && !attempt.told) {
      const after = afterReading(payment, a, attempt.held, rules);
      const attempts = after.attempts.map((old, i) => (i === a ? { ...old, told: true } : old));
      add(`a callback reports attempt ${a} as paid`, { ...after, attempts });
    }
  }
  if (!payment.over && ['pending', 'processing', 'partial'].includes(payment.status))
    add('the window elapses', { ...payment, over: true });
  if (payment.over && ['pending', 'partial'].includes(payment.status)) add('expires', afterWindow(payment));
  if (payment.status === 'pending' && !payment.attempts.some(isOpen)) add('is cancelled', { ...payment, status: 'cancelled' });
  return steps;
}
