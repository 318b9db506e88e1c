import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../../src/platform/config/config.ts';
import { retryDelay } from '../../../src/money/webhooks/schedule.ts';
import { type After, DeliveryStore, type Shown, type State } from './code.ts';
import { brokenIn, explore, startOf } from './invariants.ts';
import {
  claimed,
  type Delivery,
  dropped,
  type EndpointState,
  type Outcome,
  queued,
  queuedFor,
  recorded,
  requeued,
  type Rules,
} from './world.ts';

const DEPTH = Number(process.env.MODEL_DEPTH ?? 10);
const RULES: Rules = { crashes: 1, changes: 1, tries: 2, claims: 3, resends: 1, stops: 1 };

test(`changes of two resources on two nodes: in no interleaving of ${DEPTH - 2} steps is an event lost, or an outcome recorded twice`, (t) => {
  const { worlds, violation } = explore(startOf(2), DEPTH - 2, RULES);
  t.diagnostic(`${worlds} worlds`);
  assert.equal(violation, null);
  assert.ok(worlds > 20_000);
});

test(`two endpoints: no interleaving of ${DEPTH - 3} steps breaks an invariant`, () => {
  assert.equal(explore(startOf(1, 2), DEPTH - 3, RULES).violation, null);
});

interface Recording {
  row: Delivery;
  endpoint: EndpointState;
  claim: number;
  outcome: Outcome;
}

/** Deliveries with the other things that a statement reads, from every world that was reached. */
const CLAIMS = new Map<string, State>();
const RECORDS = new Map<string, Recording>();

test('one event, one endpoint that may be deactivated and deleted: every reachable world keeps the invariants', (t) => {
  const rules = { ...RULES, resends: 0, stops: 2 };
  const { worlds, complete, violation } = explore(
    startOf(1),
    100,
    rules,
    ({ deliveries: [row], endpoints: [endpoint], nodes }) => {
      if (!row || row.end !== null || !endpoint) return;
      const seen = { tries: row.tries, due: row.due, claim: row.claim };
      const state: State = { deliveries: [seen], endpoint: endpoint.state };
      CLAIMS.set(JSON.stringify(state), state);
      for (const node of nodes) {
        if (node.at !== 'answered') continue;
        const pair = { row, endpoint: endpoint.state, claim: node.claim, outcome: node.outcome };
        RECORDS.set(JSON.stringify([seen, pair.endpoint, pair.claim, pair.outcome]), pair);
      }
    },
  );
  t.diagnostic(`${worlds} worlds: all there are`);
  assert.equal(violation, null);
  assert.ok(complete);
});

const PLANTED: [NonNullable<Rules['planted']>, RegExp, Partial<Rules>][] = [
  ['event_after_commit', /changed 1 times and has 0 events/, { crashes: 1 }],
  ['sequence_without_lock', /two events with one number/, { changes: 2 }],
  ['claims_despite_lease', /while another node held it/, {}],
  ['records_without_claim', /two outcomes of one claim/, {}],
  ['keeps_claim', /two outcomes of one claim/, {}],
  ['gives_up_early', /given up after 1 of 2/, {}],
  ['failure_is_success', /did not accept it/, {}],
  ['drops_active', /active all the time/, { stops: 2, changes: 2 }],
  ['drops_claimed', /while a node held it/, { stops: 1 }],
  ['ignores_inactive', /not active/, { stops: 1, crashes: 1 }],
  ['resend_deletes_only', /replaced by nothing/, { resends: 1 }],
];

for (const [planted, expected, rules] of PLANTED) {
  test(`the exploration finds the planted defect ${planted}`, () => {
    const none = { crashes: 0, resends: 0, stops: 0 };
    assert.match(explore(startOf(1), 14, { ...RULES, ...none, planted, ...rules }).violation?.broken ?? '', expected);
  });
}

test('a delivery whose tries differ from its outcomes breaks an invariant', () => {
  const world = {
    ...startOf(1),
    changes: [1],
    events: [{ resource: 0, sequence: 1 }],
    deliveries: [{ ...queued(0, 0, 0), tries: 1 }],
  };
  assert.match(brokenIn(world, RULES) ?? '', /counts 1 tries and has 0 outcomes/);
});

test('a delivery is given up after one immediate try and one for each wait of the schedule', () => {
  const schedule = readConfig({}).webhook_retry_schedule_ms;
  const waits = Array.from({ length: 7 }, (_, n) => retryDelay(schedule, n + 1));
  assert.deepEqual(waits, [30_000, 60_000, 300_000, 600_000, 3_600_000, null, null]);
});

test('in every reachable state, the statements of the program do with a delivery what the model does', async (t) => {
  const store = await DeliveryStore.open();
  try {
    for (const state of CLAIMS.values()) await compareState(store, state);
    await compareResends(store, [...CLAIMS.values()]);
    for (const pair of RECORDS.values()) await compareRecord(store, pair);
    for (const endpoint of ['active', 'inactive', 'deleted'] as const)
      assert.equal(await store.queues(endpoint), queuedFor(0, [{ state: endpoint, stops: 0 }]).length, endpoint);
  } finally {
    await store.close();
  }
  t.diagnostic(`${CLAIMS.size} states claimed, dropped and sent again, ${RECORDS.size} outcomes recorded`);
  assert.ok(CLAIMS.size > 15 && RECORDS.size > 50);
});

async function compareState(store: DeliveryStore, state: State): Promise<void> {
  const shown = JSON.stringify(state);
  const { endpoint } = state;
  const rows = state.deliveries.map((row): Delivery => ({ ...queued(0, 0, 0), ...row }));
  const after = (deliveries: readonly Delivery[]): After => ({ deliveries: visible(deliveries), endpoint, attempts: 0 });
  const [row] = rows as [Delivery];
  const taken = claimed({ ...row, claims: 99 });
  const targets = taken ? [endpoint === 'active'] : [];
  assert.deepEqual(await store.claims(state), { ...after([taken ?? row]), targets }, `claim ${shown}`);
  const endpoints = [{ state: endpoint, stops: 0 }];
  assert.deepEqual(await store.requeues(state), after(requeued(rows, 0, endpoints)), `resend ${shown}`);
  assert.deepEqual(await store.drops(state, false), after(dropped(rows, 0)), `drop ${shown}`);
  // A deleted endpoint is not deactivated: its queue was dropped with it.
  const kept = endpoint === 'inactive' ? dropped(rows, 0) : rows;
  assert.deepEqual(await store.drops(state, true), after(kept), `drop afterwards ${shown}`);
}

/** A resend leaves what is in progress and replaces what waits, also when an event has both. */
async function compareResends(store: DeliveryStore, states: State[]): Promise<void> {
  const seen = states.filter(({ endpoint }) => endpoint === 'active').flatMap(({ deliveries }) => deliveries);
  const endpoints = [{ state: 'active' as const, stops: 0 }];
  for (const [i, first] of seen.entries()) {
    const deliveries = [first, seen[(i + 1) % seen.length] as (typeof seen)[number]];
    const rows = deliveries.map((row): Delivery => ({ ...queued(0, 0, 0), ...row }));
    const expected: After = { deliveries: visible(requeued(rows, 0, endpoints)), endpoint: 'active', attempts: 0 };
    assert.deepEqual(await store.requeues({ deliveries, endpoint: 'active' }), expected, JSON.stringify(deliveries));
  }
}

async function compareRecord(store: DeliveryStore, { row, endpoint, claim, outcome }: Recording): Promise<void> {
  // The holder's lease may have ended: what counts is that nobody has claimed the delivery since.
  const live = row.claim && { ...row.claim, live: true };
  const after = recorded({ ...row, claim: live }, claim, outcome, RULES);
  const changed = after.tries > row.tries || after.end !== null;
  const stops = outcome === 'hopeless' && changed && endpoint === 'active';
  const expected: After = {
    deliveries: visible([after]),
    endpoint: stops ? 'inactive' : endpoint,
    attempts: after.outcomes.length - row.outcomes.length,
  };
  const state: State = { deliveries: [{ tries: row.tries, due: row.due, claim: live }], endpoint };
  const shown = `${outcome} of claim ${claim}: ${JSON.stringify(state)}`;
  assert.deepEqual(await store.records(state, claim, outcome, row.tries, RULES.tries), expected, shown);
}

/** What the table shows of deliveries: those that have not ended. */
function visible(deliveries: readonly Delivery[]): Shown[] {
  return deliveries.filter(({ end }) => end === null).map(({ tries, due, claim }) => ({ tries, due, claim: claim?.id ?? null }));
}
