import { type Exploration, explore as exploreAny } from '../explore.ts';
import { stepsOf } from './steps.ts';
import type { Delivery, Rules, World } from './world.ts';

/** Returns a world in which nothing has changed. */
export function startOf(resources: number, endpoints = 1, nodes = 2): World {
  return {
    endpoints: Array.from({ length: endpoints }, () => ({ state: 'active' as const, stops: 0 })),
    changes: Array.from({ length: resources }, () => 0),
    events: [],
    deliveries: [],
    resends: 0,
    nodes: Array.from({ length: nodes }, () => ({ at: 'idle' as const })),
    crashes: 0,
  };
}

export function explore(start: World, depth: number, rules: Rules, visit?: (world: World) => void): Exploration {
  const model = { steps: (world: World) => stepsOf(world, rules), broken: (world: World) => brokenIn(world, rules), key: keyOf };
  return exploreAny(model, start, depth, visit);
}

/** Nodes are alike, so worlds that differ only in which node does what are one. */
function keyOf({ endpoints, changes, events, deliveries, resends, nodes, crashes }: World): string {
  let key = `${changes.join(' ')} ${resends} ${crashes}`;
  for (const { state, stops } of endpoints) key += `|${state} ${stops}`;
  for (const { resource, sequence } of events) key += `!${resource} ${sequence}`;
  for (const row of deliveries) {
    const { event, endpoint, stops, tries, due, claim, claims, outcomes, accepted, stolen, astray, end } = row;
    key += `;${event} ${endpoint} ${stops} ${tries} ${due} ${claim?.id} ${claim?.live} ${claims} ${outcomes.join(' ')}`;
    key += ` ${accepted} ${stolen} ${astray} ${end}`;
  }
  const doing = nodes.map((node) => Object.values(node).join(' ')).sort();
  return `${key}|${doing.join('|')}`;
}

/** Returns the invariant that a world breaks, or null. */
export function brokenIn(world: World, rules: Rules): string | null {
  const { changes, events, deliveries } = world;
  for (const [resource, count] of changes.entries()) {
    const numbers = events.filter((event) => event.resource === resource).map(({ sequence }) => sequence);
    const missing = count - numbers.length;
    const coming = world.nodes.filter((node) => node.at === 'changed' && !node.commits && node.resource === resource).length;
    if (missing > coming) return `resource ${resource} changed ${count} times and has ${numbers.length} events`;
    if (new Set(numbers).size < numbers.length) return `resource ${resource} has two events with one number`;
  }
  for (const [d, row] of deliveries.entries()) {
    const broken = brokenDelivery(row, world, rules);
    if (broken) return `delivery ${d} ${broken}`;
  }
  return null;
}

function brokenDelivery(row: Delivery, { deliveries, endpoints }: World, rules: Rules): string | null {
  const { event, endpoint, tries, outcomes, accepted, claim, end, stolen, astray, stops } = row;
  if (stolen) return 'was claimed while another node held it';
  if (astray) return 'is sent to an endpoint that is not active';
  if (new Set(outcomes).size < outcomes.length) return 'has two outcomes of one claim';
  if (end === 'dropped' && claim !== null) return 'was dropped while a node held it';
  if (tries !== outcomes.length) return `counts ${tries} tries and has ${outcomes.length} outcomes`;
  const stopped = (endpoints[endpoint]?.stops ?? 0) > stops;
  switch (end) {
    case 'delivered':
      return accepted ? null : 'is recorded as delivered, and the receiver did not accept it';
    case 'given_up':
      return outcomes.length === rules.tries ? null : `was given up after ${outcomes.length} of ${rules.tries} tries`;
    case 'dropped':
    case 'unsent':
      return stopped ? null : 'was dropped, though its endpoint was active all the time';
    case 'replaced':
      return deliveries.some(
        (other) => other !== row && other.event === event && other.endpoint === endpoint && other.end !== 'replaced',
      )
        ? null
        : 'was replaced by nothing';
    case null:
      return null;
  }
}
