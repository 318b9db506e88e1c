import { replaced, type Step as AnyStep } from '../explore.ts';
import {
  afterOutcome,
  AMOUNT,
  created,
  FEE,
  type Held,
  intended,
  isFinal,
  isUnsent,
  knownOf,
  marked,
  type Node,
  type Outcome,
  type Rules,
  type Transfer,
  type World,
} from './world.ts';

type Step = AnyStep<World>;
type Working = Extract<Node, { transfer: number }>;

const IDLE: Node = { at: 'idle' };

/** The providers that can take a transfer now, in the order of routing. */
const CANDIDATES: readonly (readonly number[])[] = [[0, 1], [1]];

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

/** The response to a repeated key: the same payout, as it is now. */
const REPEATED: Record<Exclude<Held, 'absent'>, Outcome> = {
  ...{ wire: 'unknown', pending: 'pending', paid: 'paid', refused: 'refused', cancelled: 'cancelled', unfunded: 'unknown' },
};

const LATER: Partial<Record<Held, readonly Held[]>> = {
  wire: ['pending', 'refused'],
  pending: ['paid', 'refused', 'cancelled', 'unfunded'],
};

/** Returns every step that is possible in a world. */
export function stepsOf(world: World, rules: Rules): Step[] {
  return [
    ...(rules.planted === 'reserves_without_lock' ? [] : createSteps(world, rules, world.available >= AMOUNT + FEE)),
    ...world.nodes.flatMap((node, n) => nodeSteps(world, node, n, rules)),
    ...world.transfers.flatMap((transfer, t) => providerSteps(world, transfer, t, rules)),
  ];
}

function createSteps(world: World, rules: Rules, covered: boolean): Step[] {
  if (world.transfers.length >= rules.transfers) return [];
  const available = covered ? world.available - AMOUNT - FEE : world.available;
  const after = { ...world, available, transfers: [...world.transfers, created(covered)] };
  return [{ name: `a transfer is created ${covered ? 'and reserves its money' : 'without cover'}`, world: after }];
}

function putNode(world: World, n: number, node: Node): World {
  return { ...world, nodes: replaced(world.nodes, n, node) };
}

/** Puts a transfer; money that it has given back is available. */
function putTransfer(world: World, t: number, after: Transfer): World {
  const before = world.transfers[t] as Transfer;
  const back = (after.returns - before.returns) * (AMOUNT + FEE);
  return { ...world, available: world.available + back, transfers: replaced(world.transfers, t, after) };
}

function hold(world: World, t: number, provider: number, key: number, now: Held): World {
  const transfer = world.transfers[t] as Transfer;
  const keys = replaced(transfer.held[provider] as readonly Held[], key, now);
  return putTransfer(world, t, { ...transfer, held: replaced(transfer.held, provider, keys) });
}

function nodeSteps(world: World, node: Node, n: number, rules: Rules): Step[] {
  if (node.at === 'idle') return idleSteps(world, n, rules);
  const dies = { name: `node ${n} dies`, world: { ...putNode(world, n, IDLE), crashes: world.crashes + 1 } };
  const crash = world.crashes < rules.crashes ? [dies] : [];
  if (node.at === 'counted') return [...crash, ...createSteps(putNode(world, n, IDLE), rules, true)];
  const steps = workSteps(world, node, n, rules);
  return [...crash, ...steps.map((step) => ({ ...step, name: `node ${n}: ${step.name} transfer ${node.transfer}` }))];
}

function idleSteps(world: World, n: number, rules: Rules): Step[] {
  const steps: Step[] = [];
  if (rules.planted === 'reserves_without_lock' && world.available >= AMOUNT + FEE && world.transfers.length < rules.transfers)
    steps.push({ name: `node ${n}: reads the balance`, world: putNode(world, n, { at: 'counted' }) });
  for (const [t, transfer] of world.transfers.entries()) {
    if (!transfer.due || isFinal(transfer) || (isUnsent(transfer) && transfer.sending >= rules.sendings)) continue;
    const nodes = world.nodes.map((node) =>
      'transfer' in node && node.transfer === t ? { ...node, known: { ...node.known, overtaken: true } } : node,
    );
    const node: Node = { at: 'claimed', transfer: t, known: knownOf(transfer) };
    steps.push({ name: `node ${n}: claims transfer ${t}`, world: putNode({ ...world, nodes }, n, node) });
  }
  return steps;
}

function workSteps(world: World, node: Working, n: number, rules: Rules): Step[] {
  const { transfer: t, known } = node;
  const row = world.transfers[t] as Transfer;
  switch (node.at) {
    case 'claimed':
      return isUnsent(known) ? CANDIDATES.map((list) => mark(world, node, n, rules, list)) : polls(world, node, n);
    case 'marked':
      return sends(world, node, n, rules);
    case 'answered': {
      const again = node.outcome === 'absent_long' && (rules.idempotent || rules.planted === 'resends_without_idempotency');
      if (again && row.sending < rules.sendings) return [mark(world, node, n, rules, [])];
      const applied = putTransfer(world, t, afterOutcome(row, known, node.call, node.outcome, rules));
      return [{ name: `applies ${node.outcome} to`, world: putNode(applied, n, IDLE) }];
    }
  }
}

/** Commits a submission; without the intent, a planted defect sends first. */
function mark(world: World, { transfer: t, known }: Working, n: number, rules: Rules, candidates: readonly number[]): Step {
  const row = world.transfers[t] as Transfer;
  const intent = intended(known, candidates);
  const after = intent && marked(row, known, intent, rules);
  if (!after) return { name: 'does not send', world: putNode(world, n, IDLE) };
  const to = (transfer: Transfer): Node => ({ at: 'marked', transfer: t, known: knownOf(transfer) });
  if (rules.planted === 'sends_before_intent') return { name: 'is about to send', world: putNode(world, n, to(after)) };
  return { name: `marks for provider ${after.provider}`, world: putNode(putTransfer(world, t, after), n, to(after)) };
}

function polls(world: World, { transfer: t, known }: Working, n: number): Step[] {
  const held = (world.transfers[t] as Transfer).held[known.provider as number]?.[known.key] as Held;
  // A pause may be longer than the grace period of "not found": the sender may be late, or its request still on the way.
  const seen: Outcome[] = held === 'absent' || held === 'wire' ? ['absent_long', 'unavailable'] : [held];
  return seen.map((outcome) => ({
    name: `polls (${outcome})`,
    world: putNode(world, n, { at: 'answered', transfer: t, known, call: 'read', outcome }),
  }));
}

function sends(world: World, { transfer: t, known }: Working, n: number, rules: Rules): Step[] {
  const provider = known.provider as number;
  const row = world.transfers[t] as Transfer;
  const held = (row.held[provider]?.[known.key] ?? 'absent') as Held;
  const repeated: [Held, Outcome][] =
    held === 'absent'
      ? []
      : [
          [held, REPEATED[held]],
          [held, 'unknown'],
          [held, 'unavailable'],
          ...(rules.replays ? [] : [[held, 'refused'] satisfies [Held, Outcome]]),
        ];
  return (held === 'absent' ? FIRST : repeated).map(([now, outcome]) => {
    const doubled = row.doubled || (held !== 'absent' && !rules.idempotent && outcome !== 'unavailable');
    const sent = hold(putTransfer(world, t, { ...row, doubled }), t, provider, known.key, now);
    return {
      name: `sends (${now}, ${outcome})`,
      world: putNode(sent, n, { at: 'answered', transfer: t, known, call: 'submit', outcome }),
    };
  });
}

function providerSteps(world: World, transfer: Transfer, t: number, rules: Rules): Step[] {
  return transfer.held.flatMap((keys, provider) =>
    keys.flatMap((held, key) =>
      (LATER[held] ?? [])
        .filter((now) => now !== 'unfunded' || key < rules.unfunded)
        .map((now) => ({
          name: `transfer ${t} is ${now} at provider ${provider} under key ${key}`,
          world: hold(world, t, provider, key, now),
        })),
    ),
  );
}
