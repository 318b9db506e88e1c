import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountOf, codeAdvance, codeAfterOutcome, codeMarked, keyOf, type Surroundings } from './code.ts';
import { brokenIn, explore, startOf } from './invariants.ts';
import {
  afterOutcome,
  created,
  type Call,
  type Held,
  intended,
  isFinal,
  isUnsent,
  type Known,
  knownOf,
  marked,
  type Node,
  type Outcome,
  type Rules,
  type Transfer,
} from './world.ts';

const DEPTH = Number(process.env.MODEL_DEPTH ?? 10);
const RULES: Rules = { crashes: 1, transfers: 1, sendings: 3, unfunded: 1, idempotent: true, replays: true };

test(`two payouts on two nodes: no interleaving of ${DEPTH + 2} steps pays twice, loses a reserve or forgets a payout`, (t) => {
  const { worlds, violation } = explore(startOf(6), DEPTH + 2, { ...RULES, transfers: 2 });
  t.diagnostic(`${worlds} worlds`);
  assert.equal(violation, null);
  assert.ok(worlds > 20_000);
});

for (const [which, rules] of [
  ['that repeat their response', {}],
  ['that know a repeated key, and may reject it', { replays: false }],
  ['without idempotency', { idempotent: false, replays: false }],
] as const) {
  test(`one payout, two providers ${which}: every reachable world keeps the invariants`, (t) => {
    const { worlds, complete, violation } = explore(startOf(3), 100, { ...RULES, sendings: 2, ...rules });
    t.diagnostic(`${worlds} worlds: all there are`);
    assert.equal(violation, null);
    assert.ok(complete);
  });
}

const PLANTED: [NonNullable<Rules['planted']>, RegExp, Partial<Rules>][] = [
  ['lost_is_failure', /failed, may move money/, {}],
  ['lost_is_unsent', /processing, may move money/, {}],
  ['poll_unavailable_is_proof', /processing, may move money/, {}],
  ['resend_unavailable_is_proof', /processing, may move money/, {}],
  ['resend_rejection_is_proof', /failed, may move money/, { replays: false }],
  ['stale_unsent', /processing, may move money/, {}],
  ['resends_without_idempotency', /paid twice/, { idempotent: false }],
  ['marks_when_overtaken', /paid twice/, { idempotent: false }],
  ['sends_before_intent', /processing, may move money/, {}],
  ['sent_is_not_due', /nothing looks at it/, {}],
  ['returns_twice', /gave its money back twice/, {}],
  ['reserves_without_lock', /more was reserved/, { transfers: 2 }],
];

for (const [planted, expected, rules] of PLANTED) {
  test(`the exploration finds the planted defect ${planted}`, () => {
    const { violation } = explore(startOf(3), 20, { ...RULES, crashes: 0, planted, ...rules });
    assert.match(violation?.broken ?? '', expected);
  });
}

const PAID: Held[][] = [['paid'], ['absent']];
const SENT = { stage: 'dispatched', provider: 0, sending: 1, sent: true, reserved: 1, transit: 2, held: PAID } as const;
const DONE = { ...SENT, status: 'succeeded', stage: 'closed', reserved: 0, transit: 0, gone: 3, due: false } as const;

const BROKEN: [RegExp, Partial<Transfer>][] = [
  [/may be paid twice/, { ...DONE, held: [['paid'], ['paid']] }],
  [/booked money that did not move/, { ...DONE, held: [['absent'], ['absent']] }],
  [/holds 1 reserved, 0 in transit, 3 gone/, { ...DONE, reserved: 1 }],
  [/is processing \(dispatched\) and holds 3 reserved/, { ...SENT, reserved: 3, transit: 0 }],
  [/the books hold 6 of 3/, { ...created(true) }],
];

test('every invariant of payouts rejects a world that breaks it', () => {
  const world = (transfer: Partial<Transfer>, available: number) => ({
    ...startOf(available),
    transfers: [{ ...created(true), ...transfer }],
  });
  assert.equal(brokenIn(world(DONE, 0), startOf(3)), null);
  assert.equal(brokenIn(world(SENT, 0), startOf(3)), null);
  for (const [expected, transfer] of BROKEN) {
    assert.match(brokenIn(world(transfer, /books/.test(expected.source) ? 3 : 0), startOf(3)) ?? 'nothing', expected);
  }
});

const OUTCOMES: Outcome[] = [
  ...(['pending', 'paid', 'other_amount', 'refused', 'cancelled', 'unavailable', 'unfunded', 'absent', 'unknown'] as const),
];

test('in every reachable state, the program does with a payout what the model does', async (t) => {
  const rows = new Map<string, Transfer>();
  const pairs = new Map<string, { row: Transfer; known: Known; call: Call }>();
  explore(startOf(3), 100, { ...RULES, crashes: 0 }, ({ transfers: [transfer], nodes }) => {
    if (!transfer) return;
    const row = { ...transfer, held: [['absent'], ['absent']] as Held[][] };
    rows.set(JSON.stringify(row), row);
    for (const node of nodes) {
      if (node.at === 'idle' || node.at === 'counted') continue;
      const pair = { row, known: node.known, call: callOf(node) };
      pairs.set(JSON.stringify(pair), pair);
    }
  });
  let outcomes = 0;
  for (const { row, known, call } of pairs.values()) {
    const intent = call === 'read' ? intended(known, [0, 1]) : null;
    if (intent) {
      const sent = marked(row, known, intent);
      const shown = `known ${JSON.stringify(known)}, of ${JSON.stringify(row)}`;
      assert.deepEqual(await codeMarked(row, known, intent), sent && { ...sent, held: row.held }, shown);
    }
    for (const outcome of known.sent ? OUTCOMES : []) {
      for (const replays of [true, false]) {
        outcomes++;
        const rules = { ...RULES, replays };
        const shown = `${outcome} of ${call}, replays ${replays}, known ${JSON.stringify(known)}, of ${JSON.stringify(row)}`;
        const expected = afterOutcome(row, known, call, outcome, rules);
        assert.deepEqual(await codeAfterOutcome(row, known, call, outcome, rules), expected, shown);
      }
    }
  }
  let advanced = 0;
  for (const row of rows.values()) {
    if (isFinal(row)) continue;
    for (const around of surroundings(row)) {
      advanced++;
      const expected = modelAdvance(row, around);
      assert.deepEqual(await codeAdvance(row, around), expected, `${JSON.stringify(around)} ${JSON.stringify(row)}`);
    }
  }
  t.diagnostic(`${rows.size} states, ${pairs.size} submissions, ${outcomes} outcomes and ${advanced} steps compared`);
  assert.ok(pairs.size > 50 && advanced > 100);
});

function callOf(node: Exclude<Node, { at: 'idle' | 'counted' }>): Call {
  if (node.at === 'answered') return node.call;
  return node.at === 'claimed' ? 'read' : 'submit';
}

/** What a step may meet: a submission or a poll with each outcome. */
function surroundings(row: Transfer): Surroundings[] {
  const lists = [[0, 1], [1], [0], []];
  if (isUnsent(row)) {
    return lists.flatMap((candidates) =>
      OUTCOMES.map((submit): Surroundings => ({ candidates, read: 'unknown', submit, idempotent: true })),
    );
  }
  return [...OUTCOMES, 'absent_long' as const].flatMap((read) =>
    [true, false].map((idempotent): Surroundings => ({ candidates: [0, 1], read, submit: 'unavailable', idempotent })),
  );
}

/** What the model does with a claimed transfer when nothing else happens meanwhile. */
function modelAdvance(row: Transfer, { candidates, read, submit, idempotent }: Surroundings) {
  const known = knownOf(row);
  const name = (call: Call, { provider, key }: Transfer) => `${call} ${accountOf(provider as number)} ${keyOf(key)}`;
  const calls = isUnsent(row) ? [] : [name('read', row)];
  if (!isUnsent(row) && !(read === 'absent_long' && idempotent)) {
    return { calls, transfer: afterOutcome(row, known, 'read', read, RULES) };
  }
  const intent = intended(known, candidates);
  const sent = intent && marked(row, known, intent);
  if (!sent) return { calls, transfer: row };
  const unseen = { ...sent, held: row.held };
  return { calls: [...calls, name('submit', sent)], transfer: afterOutcome(unseen, knownOf(sent), 'submit', submit, RULES) };
}
