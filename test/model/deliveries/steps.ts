import { replaced, type Step as AnyStep } from '../explore.ts';
import {
  claimed,
  type Delivery,
  dropped,
  type Endpoint,
  type EndpointState,
  type Node,
  type Outcome,
  queuedFor,
  recorded,
  requeued,
  type Rules,
  type World,
} from './world.ts';

type Step = AnyStep<World>;

const IDLE: Node = { at: 'idle' };

/** Returns every step that is possible in a world. */
export function stepsOf(world: World, rules: Rules): Step[] {
  return [
    ...world.nodes.flatMap((node, n) => nodeSteps(world, node, n, rules)),
    ...world.endpoints.flatMap((endpoint, e) => endpointSteps(world, endpoint, e, rules)),
    ...timeSteps(world),
    ...resendSteps(world, rules),
  ];
}

function putNode(world: World, n: number, node: Node): World {
  return { ...world, nodes: replaced(world.nodes, n, node) };
}

function putDelivery(world: World, d: number, delivery: Delivery): World {
  return { ...world, deliveries: replaced(world.deliveries, d, delivery) };
}

function nodeSteps(world: World, node: Node, n: number, rules: Rules): Step[] {
  if (node.at === 'idle') return [...changeSteps(world, n, rules), ...claimSteps(world, n, rules)];
  const dies = { name: `node ${n} dies`, world: { ...putNode(world, n, IDLE), crashes: world.crashes + 1 } };
  const steps = workSteps(world, node, n, rules);
  return [
    ...(world.crashes < rules.crashes ? [dies] : []),
    ...steps.map((step) => ({ ...step, name: `node ${n}: ${step.name}` })),
  ];
}

/** A change of a resource commits with its event, its number and its deliveries. */
function changeSteps(world: World, n: number, rules: Rules): Step[] {
  return world.changes.flatMap((count, resource): Step[] => {
    if (count >= rules.changes) return [];
    const name = `node ${n}: changes resource ${resource}`;
    const node = { at: 'changed', resource, sequence: count + 1, commits: rules.planted === 'sequence_without_lock' } as const;
    if (rules.planted === 'event_after_commit')
      return [{ name, world: putNode({ ...world, changes: replaced(world.changes, resource, count + 1) }, n, node) }];
    if (rules.planted === 'sequence_without_lock') return [{ name, world: putNode(world, n, node) }];
    return [{ name, world: withEvent({ ...world, changes: replaced(world.changes, resource, count + 1) }, resource, count + 1) }];
  });
}

function withEvent(world: World, resource: number, sequence: number): World {
  const deliveries = [...world.deliveries, ...queuedFor(world.events.length, world.endpoints)];
  return { ...world, events: [...world.events, { resource, sequence }], deliveries };
}

function claimSteps(world: World, n: number, rules: Rules): Step[] {
  return world.deliveries.flatMap((row, d): Step[] => {
    const after = row.claims < rules.claims ? claimed(row, rules) : null;
    if (!after) return [];
    const active = world.endpoints[row.endpoint]?.state === 'active';
    const target = active || rules.planted === 'ignores_inactive';
    const node: Node = { at: 'claimed', delivery: d, claim: row.claims, tries: row.tries, target };
    return [
      {
        name: `node ${n}: claims delivery ${d}`,
        world: putNode(putDelivery(world, d, { ...after, astray: target && !active }), n, node),
      },
    ];
  });
}

function workSteps(world: World, node: Exclude<Node, { at: 'idle' }>, n: number, rules: Rules): Step[] {
  switch (node.at) {
    case 'changed': {
      const changes = node.commits
        ? replaced(world.changes, node.resource, (world.changes[node.resource] ?? 0) + 1)
        : world.changes;
      const after = withEvent({ ...world, changes }, node.resource, node.sequence);
      return [{ name: `records the event of resource ${node.resource}`, world: putNode(after, n, IDLE) }];
    }
    case 'claimed':
      return sends(world, node, n);
    case 'answered':
      return records(world, node, n, rules);
    case 'dropping': {
      const active = world.endpoints[node.endpoint]?.state === 'active' && rules.planted !== 'drops_active';
      const deliveries = active ? world.deliveries : dropped(world.deliveries, node.endpoint, rules);
      return [{ name: `drops the queue of endpoint ${node.endpoint}`, world: putNode({ ...world, deliveries }, n, IDLE) }];
    }
  }
}

function sends(world: World, { delivery: d, claim, tries, target }: Extract<Node, { at: 'claimed' }>, n: number): Step[] {
  const row = world.deliveries[d] as Delivery;
  const answered = (outcome: Outcome, accepted: boolean, name: string): Step => ({
    name: `${name} delivery ${d}`,
    world: putNode(putDelivery(world, d, { ...row, accepted: row.accepted || accepted }), n, {
      ...{ at: 'answered', delivery: d, claim, tries, outcome },
    }),
  });
  if (!target) return [answered('nothing', false, 'finds nothing to send for')];
  return [
    answered('succeeded', true, 'sends (2xx)'),
    answered('failed', true, 'sends (2xx, lost)'),
    answered('failed', false, 'sends (not 2xx)'),
    answered('hopeless', false, 'sends (not 2xx, for days)'),
  ];
}

function records(world: World, node: Extract<Node, { at: 'answered' }>, n: number, rules: Rules): Step[] {
  const { delivery: d, claim, outcome } = node;
  const row = world.deliveries[d] as Delivery;
  const after = recorded(row, claim, outcome, rules);
  const endpoint = world.endpoints[row.endpoint] as Endpoint;
  const stops = outcome === 'hopeless' && after !== row && endpoint.state === 'active' && endpoint.stops < rules.stops;
  const written = putDelivery(world, d, after);
  const name = `records ${outcome} of delivery ${d}`;
  // The commit may succeed without the node's knowledge: it records again.
  const again = after === row ? [] : [{ name: `${name}, and does not know it`, world: written }];
  if (!stops) return [{ name, world: putNode(written, n, IDLE) }, ...again];
  const stopped = withEndpoint(written, row.endpoint, 'inactive');
  return [
    { name: `${name} and deactivates the endpoint`, world: putNode(stopped, n, { at: 'dropping', endpoint: row.endpoint }) },
  ];
}

function withEndpoint(world: World, e: number, state: EndpointState): World {
  const before = world.endpoints[e] as Endpoint;
  const stops = state === 'active' ? before.stops : before.stops + 1;
  return { ...world, endpoints: replaced(world.endpoints, e, { state, stops }) };
}

/** The merchant deactivates, activates or deletes an endpoint; what waits for it is dropped in the same transaction. */
function endpointSteps(world: World, { state, stops }: Endpoint, e: number, rules: Rules): Step[] {
  const step = (to: EndpointState): Step => {
    const after = withEndpoint(world, e, to);
    const deliveries = to === 'active' ? world.deliveries : dropped(world.deliveries, e, rules);
    return { name: `endpoint ${e} is ${to}`, world: { ...after, deliveries } };
  };
  if (state === 'inactive') return [step('active')];
  return state === 'active' && stops < rules.stops ? [step('inactive'), step('deleted')] : [];
}

/** A retry becomes due; a lease ends, whether its node is dead or only slow. */
function timeSteps(world: World): Step[] {
  return world.deliveries.flatMap((row, d): Step[] => {
    if (row.end !== null) return [];
    if (!row.due) return [{ name: `delivery ${d} is due again`, world: putDelivery(world, d, { ...row, due: true }) }];
    if (!row.claim?.live) return [];
    const after = { ...row, claim: { ...row.claim, live: false } };
    return [{ name: `the lease of delivery ${d} ends`, world: putDelivery(world, d, after) }];
  });
}

function resendSteps(world: World, rules: Rules): Step[] {
  if (world.resends >= rules.resends) return [];
  return world.events.map((_, event) => ({
    name: `event ${event} is sent again`,
    world: { ...world, resends: world.resends + 1, deliveries: requeued(world.deliveries, event, world.endpoints, rules) },
  }));
}
