import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeAfterOutcome, codeCurrentPart, codeMarked } from './code.ts';
import { brokenIn, explore, startOf } from './invariants.ts';
import {
  afterOutcome,
  currentPart,
  type Known,
  marked,
  OUTCOMES,
  type Part,
  type Payment,
  type Refund,
  type Rules,
  type World,
} from './world.ts';

const DEPTH = Number(process.env.MODEL_DEPTH ?? 10);
const RULES: Rules = { crashes: 1, refunds: 2, sendings: 2, keys: 2, disputes: 1, withdrawals: 1, people: false };

test(`two payments on two nodes: no interleaving of ${DEPTH} steps refunds more than was captured or forgets a part`, (t) => {
  const { worlds, violation } = explore(startOf([[1], [1, 1]]), DEPTH, { ...RULES, refunds: 1 });
  t.diagnostic(`${worlds} worlds`);
  assert.equal(violation, null);
  assert.ok(worlds > 20_000);
});

test('two refunds of one payment, with a dispute and too little money: every reachable world keeps the invariants', (t) => {
  const { worlds, complete, violation } = explore(startOf([[2]], 1), 100, { ...RULES, sendings: 1, keys: 1 });
  t.diagnostic(`${worlds} worlds: all there are`);
  assert.equal(violation, null);
  assert.ok(complete);
});

test('a refund in two parts, two submissions, two keys: every reachable world keeps the invariants', (t) => {
  const { worlds, complete, violation } = explore(startOf([[1, 1]]), 100, { ...RULES, refunds: 1, disputes: 0 });
  t.diagnostic(`${worlds} worlds: all there are`);
  assert.equal(violation, null);
  assert.ok(complete);
});

const PLANTED: [NonNullable<Rules['planted']>, RegExp, Partial<Rules>, World?][] = [
  ['lost_is_decline', /failed part that may move money/, {}],
  ['new_key_when_absent', /waiting part that may move money/, {}],
  ['stale_unfunded', /waiting part that may move money/, { sendings: 3, keys: 3 }, startOf([[1]])],
  ['parts_together', /two parts at the provider/, {}],
  ['counts_without_lock', /went back to the payer/, { refunds: 2 }],
  ['refunds_despite_dispute', /more than was captured/, { disputes: 1 }, startOf([[1, 1]], 4)],
  ['disputes_despite_refund', /more than was captured/, { disputes: 1 }],
  ['returns_everything', /gave back 2 of 1/, {}],
  ['fails_twice', /ended 2 times/, {}],
  ['sent_is_not_due', /nothing looks at it/, {}],
  ['pending_is_paid', /booked money that did not move/, {}],
];

for (const [planted, expected, rules, start = startOf([[1, 1]])] of PLANTED) {
  test(`the exploration finds the planted defect ${planted}`, () => {
    const narrow = { crashes: 0, refunds: 1, disputes: 0, withdrawals: 0 };
    assert.match(explore(start, 20, { ...RULES, ...narrow, planted, ...rules }).violation?.broken ?? '', expected);
  });
}

const PART: Part = { tranche: 0, units: 1, status: 'succeeded', key: 0, spent: false, sending: 1, held: ['paid'] };
const DONE: Refund = { status: 'succeeded', parts: [PART], drawn: true, returned: 0, returns: 0, ends: 1, due: false };
const REFUNDED: Payment = { status: 'refunded', tranches: [1], refunded: 1, refunds: [DONE], disputes: [] };
const OPEN = { status: 'processing', ends: 0, due: true } as const;

const BROKEN: [RegExp, Partial<Payment>, Partial<Refund>?, Partial<Part>?][] = [
  [/0 are counted as refunded, and 1 were/, { status: 'succeeded', refunded: 0 }],
  [/succeeded with 1 of 1/, { status: 'succeeded' }],
  [/ended with a part at the provider/, { status: 'succeeded', refunded: 0 }, {}, { status: 'sent' }],
  [/was sent without its money/, {}, { drawn: false }],
  [/succeeded in part/, { status: 'succeeded', refunded: 0 }, {}, { status: 'failed', held: ['refused'] }],
  [
    /gave its money back 2 times/,
    { status: 'succeeded', refunded: 0 },
    { status: 'failed', returns: 2, returned: 1 },
    { status: 'failed', held: ['refused'] },
  ],
  [/may pay a part twice/, {}, {}, { held: ['paid', 'pending'] }],
  [/the books hold 1 of 2/, { disputes: [] }],
  [
    /two parts at the provider/,
    { tranches: [2], status: 'succeeded', refunded: 0 },
    {
      ...OPEN,
      parts: [
        { ...PART, status: 'sent' },
        { ...PART, status: 'sent' },
      ],
    },
  ],
];

test('every invariant of refunds rejects a world that breaks it', () => {
  const start = startOf([[1]]);
  const world = (payment: Payment): World => ({ ...start, payments: [payment], available: 0 });
  assert.equal(brokenIn(world(REFUNDED), start), null);
  for (const [expected, payment, refund = {}, part = {}] of BROKEN) {
    const parts = refund.parts ?? [{ ...PART, ...part }];
    const broken = world({ ...REFUNDED, ...payment, refunds: [{ ...DONE, ...refund, parts }] });
    const from = /books/.test(expected.source) ? startOf([[2]]) : start;
    assert.match(brokenIn(broken, from) ?? 'nothing', expected);
  }
});

test('in every reachable state, the program makes of every outcome of a refund what the model makes of it', async (t) => {
  const states = new Map<string, Payment>();
  const people = { ...RULES, crashes: 0, disputes: 0, withdrawals: 0, people: true, sendings: 2 };
  for (const [start, rules] of [
    [startOf([[1, 1]], 2, 1), { ...people, refunds: 1 }],
    [startOf([[2]], 2, 1), { ...people, keys: 1 }],
  ] as const) {
    const { violation } = explore(start, 100, rules, ({ payments: [payment] }) => {
      for (const refund of (payment as Payment).refunds) {
        const parts = refund.parts.map((part) => ({ ...part, held: part.held.map(() => 'absent' as const) }));
        const state = { ...(payment as Payment), refunds: [{ ...refund, parts }] };
        states.set(JSON.stringify(state), state);
      }
    });
    assert.equal(violation, null);
  }
  let compared = 0;
  for (const payment of states.values()) {
    const refund = payment.refunds[0] as Refund;
    assert.equal(codeCurrentPart(refund), currentPart(refund), JSON.stringify(refund));
    for (const [p, part] of refund.parts.entries()) {
      assert.deepEqual(await codeMarked(payment, 0, p), marked(refund, p), JSON.stringify(refund));
      for (const known of knownOf(part)) {
        for (const outcome of OUTCOMES) {
          compared++;
          const shown = `${outcome} for part ${p}, known ${JSON.stringify(known)}, of ${JSON.stringify(payment)}`;
          const expected = afterOutcome(payment, 0, p, known, outcome, RULES);
          assert.deepEqual(await codeAfterOutcome(payment, 0, p, known, outcome), expected, shown);
        }
      }
    }
  }
  t.diagnostic(`${states.size} states, ${compared} outcomes compared`);
});

/** Returns what the caller of the provider may have known of a part: its present sending, or an earlier one. */
function knownOf({ key, sending }: Part): Known[] {
  const earlier = { key: Math.max(0, key - 1), sending: Math.max(0, sending - 1) };
  return [
    { key, sending, overtaken: false },
    { key, sending, overtaken: true },
    { key, sending: earlier.sending, overtaken: false },
    { ...earlier, overtaken: false },
  ];
}
