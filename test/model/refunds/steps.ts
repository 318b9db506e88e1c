import { replaced, type Step as AnyStep } from '../explore.ts';
import { nextOf } from '../machines.ts';
import {
  afterOutcome,
  created,
  currentPart,
  type Held,
  isBlocked,
  isRefundable,
  leftOf,
  marked,
  type Node,
  type Outcome,
  type Part,
  type Payment,
  type Refund,
  type Rules,
  sum,
  withPart,
  type World,
} from './world.ts';

type Step = AnyStep<World>;
type Working = Extract<Node, { refund: number }>;

const IDLE: Node = { at: 'idle' };

/** What can come of a request under a key that the provider has not seen: what it holds then, and the response. */
const FIRST: readonly [Held, Outcome][] = [
  ['absent', 'unavailable'],
  ['wire', 'unknown'],
  ['pending', 'pending'],
  ['pending', 'unknown'],
  ['paid', 'paid'],
  ['paid', 'unknown'],
  ['refused', 'refused'],
  ['refused', 'unknown'],
];

/** The response to a repeated key: the same operation, as it is now. */
const REPEATED: Record<Exclude<Held, 'absent'>, Outcome> = {
  wire: 'unknown',
  pending: 'pending',
  paid: 'paid',
  refused: 'refused',
  unfunded: 'unknown',
};

function repeatedBy(held: Exclude<Held, 'absent'>): [Held, Outcome][] {
  return [
    [held, REPEATED[held]],
    [held, 'unknown'],
    [held, 'unavailable'],
  ];
}

/** Returns every step that is possible in a world. */
export function stepsOf(world: World, rules: Rules): Step[] {
  return [
    ...world.nodes.flatMap((node, n) => nodeSteps(world, node, n, rules)),
    ...world.payments.flatMap((payment, p) => [
      ...merchantSteps(world, payment, p, rules),
      ...providerSteps(world, payment, p, rules),
      ...disputeSteps(world, payment, p, rules),
      ...(rules.people ? personSteps(world, payment, p, rules) : []),
    ]),
    ...(world.withdrawn < rules.withdrawals && world.available > 0
      ? [
          {
            name: 'the merchant withdraws one unit',
            world: { ...world, available: world.available - 1, withdrawn: world.withdrawn + 1 },
          },
        ]
      : []),
  ];
}

function putNode(world: World, n: number, node: Node): World {
  return { ...world, nodes: replaced(world.nodes, n, node) };
}

function putPayment(world: World, p: number, payment: Payment): World {
  return { ...world, payments: replaced(world.payments, p, payment) };
}

function putRefund(world: World, p: number, r: number, refund: Refund): World {
  const payment = world.payments[p] as Payment;
  return putPayment(world, p, { ...payment, refunds: replaced(payment.refunds, r, refund) });
}

function hold(world: World, { payment: p, refund: r, part, key }: Omit<Working, 'at'>, now: Held): World {
  const refund = (world.payments[p] as Payment).refunds[r] as Refund;
  return putRefund(world, p, r, withPart(refund, part, { held: replaced((refund.parts[part] as Part).held, key, now) }));
}

function nodeSteps(world: World, node: Node, n: number, rules: Rules): Step[] {
  if (node.at === 'idle') return idleSteps(world, n, rules);
  const dies = { name: `node ${n} dies`, world: { ...putNode(world, n, IDLE), crashes: world.crashes + 1 } };
  const crash = world.crashes < rules.crashes ? [dies] : [];
  if (node.at === 'counted') return [...crash, ...createSteps(putNode(world, n, IDLE), node.payment, node.left, rules)];
  const name = (what: string) => `node ${n}: ${what} payment ${node.payment} refund ${node.refund} part ${node.part}`;
  const steps = workSteps(world, node, n, rules);
  return [...crash, ...steps.map((step) => ({ ...step, name: name(step.name) }))];
}

function workSteps(world: World, node: Working, n: number, rules: Rules): Step[] {
  const payment = world.payments[node.payment] as Payment;
  const refund = payment.refunds[node.refund] as Refund;
  const held = (refund.parts[node.part] as Part).held[node.key] as Held;
  const { payment: p, refund: r, part, key, sending, overtaken } = node;
  const call = { payment: p, refund: r, part, key, sending, overtaken };
  switch (node.at) {
    case 'claimed': {
      if (node.polls) {
        // A pause may be longer than the grace period of "not found": the node may be late, or its request still on the way.
        const absent: Outcome[] = ['unknown', 'absent'];
        const seen: Outcome[] = held === 'absent' || held === 'wire' ? absent : [held];
        return seen.map((outcome) => ({
          name: `polls (${outcome})`,
          world: putNode(world, n, { ...call, at: 'answered', outcome }),
        }));
      }
      const after = marked(refund, part, rules);
      if (!after) return [{ name: 'may not send', world: putNode(world, n, IDLE) }];
      const sent = after.parts[part] as Part;
      const known = { key: sent.key, sending: sent.sending, overtaken: false };
      const to: Node = { at: 'marked', payment: p, refund: r, part, ...known };
      return [{ name: 'marks', world: putNode(putRefund(world, p, r, after), n, to) }];
    }
    case 'marked': {
      return (held === 'absent' ? FIRST : repeatedBy(held)).map(([now, outcome]) => ({
        name: `sends (${now}, ${outcome})`,
        world: putNode(hold(world, node, now), n, { ...call, at: 'answered', outcome }),
      }));
    }
    case 'answered': {
      const applied = withOutcome(world, p, afterOutcome(payment, r, part, node, node.outcome, rules));
      return [{ name: `applies ${node.outcome} to`, world: putNode(applied, n, IDLE) }];
    }
  }
}

/** Puts a payment after an outcome; what its refunds gave back is available. */
function withOutcome(world: World, p: number, after: Payment): World {
  const back = ({ refunds }: Payment) => sum(refunds.map(({ returned }) => returned));
  const available = world.available + back(after) - back(world.payments[p] as Payment);
  return { ...putPayment(world, p, after), available };
}

/** A person closes a part with the provider as failed, and reports as paid what was paid. */
function personSteps(world: World, payment: Payment, p: number, rules: Rules): Step[] {
  return payment.refunds.flatMap((refund, r) =>
    refund.parts.flatMap((part, i) => {
      const paid = part.held[part.key] === 'paid' && part.status !== 'succeeded' && part.sending > 0;
      const found: Outcome[] = [...(part.status === 'sent' ? (['refused'] as const) : []), ...(paid ? (['paid'] as const) : [])];
      return found.map((outcome) => ({
        name: `a person resolves payment ${p} refund ${r} part ${i} as ${outcome}`,
        world: withOutcome(world, p, afterOutcome(payment, r, i, { ...part, overtaken: false }, outcome, rules)),
      }));
    }),
  );
}

function idleSteps(world: World, n: number, rules: Rules): Step[] {
  const steps: Step[] = [];
  for (const [p, payment] of world.payments.entries()) {
    if (rules.planted === 'counts_without_lock' && isRefundable(payment) && payment.refunds.length < rules.refunds) {
      const node: Node = { at: 'counted', payment: p, left: leftOf(payment) };
      steps.push({ name: `node ${n}: counts what is left of payment ${p}`, world: putNode(world, n, node) });
    }
    for (const [r, refund] of payment.refunds.entries()) {
      const part = refund.due && refund.drawn ? currentPart(refund, rules) : null;
      if (part === null) continue;
      const { key, sending, status } = refund.parts[part] as Part;
      const polls = status === 'sent';
      if (!polls && sending >= rules.sendings) continue;
      const others = world.nodes.map((node) =>
        'refund' in node && node.payment === p && node.refund === r ? { ...node, overtaken: true } : node,
      );
      const node: Node = { at: 'claimed', payment: p, refund: r, part, polls, key, sending, overtaken: false };
      steps.push({ name: `node ${n}: claims payment ${p} refund ${r}`, world: putNode({ ...world, nodes: others }, n, node) });
    }
  }
  return steps;
}

/** Refunds are created, and those that wait for money are covered, each in one transaction under the lock of the payment. */
function merchantSteps(world: World, payment: Payment, p: number, rules: Rules): Step[] {
  const steps = rules.planted === 'counts_without_lock' ? [] : createSteps(world, p, leftOf(payment), rules);
  for (const [r, refund] of payment.refunds.entries()) {
    const units = sum(refund.parts.map((part) => part.units));
    if (refund.drawn || refund.status !== 'pending' || world.available < units) continue;
    const covered = { ...putRefund(world, p, r, { ...refund, drawn: true }), available: world.available - units };
    steps.push({ name: `payment ${p} refund ${r} is covered`, world: covered });
  }
  return steps;
}

function createSteps(world: World, p: number, left: number, rules: Rules): Step[] {
  const payment = world.payments[p] as Payment;
  const blocked = isBlocked(payment) && rules.planted !== 'refunds_despite_dispute';
  if (!isRefundable(payment) || blocked || payment.refunds.length >= rules.refunds) return [];
  const steps: Step[] = [];
  for (let units = 1; units <= left; units++) {
    const drawn = world.available >= units;
    const counted = rules.planted === 'counts_without_lock' ? { ...payment, refunds: [] } : payment;
    const refunds = [...payment.refunds, created(counted, units, drawn)];
    const after = putPayment(world, p, { ...payment, refunds });
    steps.push({
      name: `a refund of ${units} of payment ${p} is created`,
      world: drawn ? { ...after, available: after.available - units } : after,
    });
  }
  return steps;
}

/** Requests arrive; operations that the provider has accepted end. */
function providerSteps(world: World, payment: Payment, p: number, rules: Rules): Step[] {
  const NEXT: Partial<Record<Held, Held[]>> = { wire: ['pending', 'refused'], pending: ['paid', 'refused', 'unfunded'] };
  return payment.refunds.flatMap((refund, r) =>
    refund.parts.flatMap((part, i) =>
      part.held.flatMap((held, key) =>
        (NEXT[held] ?? [])
          .filter((now) => now !== 'unfunded' || key < rules.keys - 1)
          .map((now) => ({
            name: `payment ${p} refund ${r} part ${i} is ${now} at the provider under key ${key}`,
            world: hold(world, { payment: p, refund: r, part: i, key, sending: 0, overtaken: false }, now),
          })),
      ),
    ),
  );
}

function disputeSteps(world: World, payment: Payment, p: number, rules: Rules): Step[] {
  const steps: Step[] = [];
  const put = (disputes: Payment['disputes'], available: number): World => ({
    ...putPayment(world, p, { ...payment, disputes }),
    available: world.available + available,
  });
  const taken = rules.planted === 'disputes_despite_refund' ? payment.refunded : sum(payment.tranches) - leftOf(payment);
  const units = sum(payment.tranches) - taken;
  if (isRefundable(payment) && !isBlocked(payment) && units > 0 && payment.disputes.length < rules.disputes) {
    const opened = [...payment.disputes, { status: 'needs_response', units }];
    steps.push({ name: `payment ${p} is disputed`, world: put(opened, -units) });
  }
  for (const [d, dispute] of payment.disputes.entries()) {
    // Evidence changes no money: the end may come from either open status.
    for (const trigger of ['provider_decided_won', 'provider_decided_lost']) {
      const status = nextOf('dispute', dispute.status, trigger);
      if (status === null) continue;
      const back = status === 'lost' ? 0 : dispute.units;
      steps.push({
        name: `the dispute of payment ${p} is ${status}`,
        world: put(replaced(payment.disputes, d, { ...dispute, status }), back),
      });
    }
  }
  return steps;
}
