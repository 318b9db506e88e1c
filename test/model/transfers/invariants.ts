import { type Exploration, explore as exploreAny } from '../explore.ts';
import { stepsOf } from './steps.ts';
import { AMOUNT, FEE, type Held, isFinal, type Node, type Rules, type Transfer, type World } from './world.ts';

/** Returns a world without transfers. @param available units */
export function startOf(available: number, nodes = 2): World {
  return { available, transfers: [], nodes: Array.from({ length: nodes }, () => ({ at: 'idle' as const })), crashes: 0 };
}

export function explore(start: World, depth: number, rules: Rules, visit?: (world: World) => void): Exploration {
  const model = { steps: (world: World) => stepsOf(world, rules), broken: (world: World) => brokenIn(world, start), key: keyOf };
  return exploreAny(model, start, depth, visit);
}

/** Nodes and transfers are alike, so worlds that differ only in their order are one. */
function keyOf({ available, transfers, nodes, crashes }: World): string {
  const doing = transfers.map((transfer, t) => {
    const own = nodes.filter((node) => 'transfer' in node && node.transfer === t).map(nodeKey);
    return `${transferKey(transfer)}:${own.sort().join('/')}`;
  });
  const counted = nodes.filter(({ at }) => at === 'counted').length;
  return `${available} ${crashes} ${counted}|${doing.sort().join('|')}`;
}

function transferKey(transfer: Transfer): string {
  const { status, stage, provider, candidates, tried, spent, key, resent, sending, sent, due, reserved, transit, returns } =
    transfer;
  const row = `${status} ${stage} ${provider} ${candidates} ${tried} ${spent} ${key} ${resent} ${sending} ${sent} ${due}`;
  return `${row} ${reserved} ${transit} ${returns} ${transfer.held.join(';')} ${transfer.doubled}`;
}

function nodeKey(node: Node): string {
  if (!('known' in node)) return node.at;
  const { stage, provider, candidates, tried, spent, key, resent, sending, sent, overtaken } = node.known;
  const known = `${stage} ${provider} ${candidates} ${tried} ${spent} ${key} ${resent} ${sending} ${sent} ${overtaken}`;
  return node.at === 'answered' ? `${node.at} ${known} ${node.call} ${node.outcome}` : `${node.at} ${known}`;
}

/** Returns the invariant that a world breaks, or null. */
export function brokenIn({ available, transfers }: World, start: World): string | null {
  if (available < 0) return 'more was reserved than was available';
  for (const [t, transfer] of transfers.entries()) {
    const broken = brokenTransfer(transfer);
    if (broken) return `transfer ${t} ${broken}`;
  }
  const total = transfers.reduce((sum, { reserved, transit, gone }) => sum + reserved + transit + gone, available);
  return total === start.available ? null : `the books hold ${total} of ${start.available}`;
}

function brokenTransfer(transfer: Transfer): string | null {
  const { status, stage, provider, key, sent, due, reserved, transit, gone, returns, held, doubled } = transfer;
  const ops = held.flatMap((keys, p) => keys.map((one, k) => ({ held: one, current: p === provider && k === key })));
  if (doubled || ops.filter((op) => moves(op.held)).length > 1) return 'may be paid twice';
  for (const op of ops) {
    if (!moves(op.held) || (status === 'succeeded' && op.current && op.held === 'paid')) continue;
    if (!(op.current && sent && due && !isFinal(transfer))) return `is ${status}, may move money, and nothing looks at it`;
  }
  if (status === 'succeeded' && !ops.some((op) => op.held === 'paid')) return 'has booked money that did not move';
  if (!isFinal(transfer) && !due) return 'is processing and nothing looks at it';
  if (returns > 1) return 'gave its money back twice';
  const [wanted, moving, left] = isFinal(transfer)
    ? [0, 0, status === 'succeeded' ? AMOUNT + FEE : 0]
    : stage === 'reserved'
      ? [AMOUNT + FEE, 0, 0]
      : [FEE, AMOUNT, 0];
  if (reserved !== wanted || transit !== moving || gone !== left)
    return `is ${status} (${stage}) and holds ${reserved} reserved, ${transit} in transit, ${gone} gone`;
  return null;
}

function moves(held: Held): boolean {
  return held === 'wire' || held === 'pending' || held === 'paid';
}
