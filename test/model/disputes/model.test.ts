import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeChanged, codeCovered, codeDisputed, codeGivenBack, codeReleased, figuresOf } from './code.ts';
import { brokenIn, explore, startOf } from './invariants.ts';
import {
  changed,
  type Claim,
  covered,
  disputed,
  ended,
  type Payment,
  putPayment,
  release,
  type Rules,
  type World,
} from './world.ts';

const DEPTH = Number(process.env.MODEL_DEPTH ?? 10);
const RULES: Rules = { refunds: 1, disputes: 1, withdrawals: 1 };
const TRIGGERS = ['evidence_sent', 'accepted', 'provider_decided_won', 'provider_decided_lost', 'withdrawn'];

test(`two payments: no order of ${DEPTH - 2} refunds, disputes and releases takes money twice`, (t) => {
  const { worlds, violation } = explore(startOf([1, 2]), DEPTH - 2, RULES);
  t.diagnostic(`${worlds} worlds`);
  assert.equal(violation, null);
});

test('one payment, two refunds, two disputes, two withdrawals: every reachable world keeps the invariants', (t) => {
  const { worlds, complete, violation } = explore(startOf([2]), 100, { refunds: 2, disputes: 2, withdrawals: 2 });
  t.diagnostic(`${worlds} worlds: all there are`);
  assert.equal(violation, null);
  assert.ok(complete);
});

const PLANTED: [NonNullable<Rules['planted']>, RegExp][] = [
  ['releases_without_lock', /the books hold/],
  ['returns_to_released', /is released and has money pending/],
  ['repays_nothing', /while an advance is owed/],
  ['decides_twice', /4 of 2 pending/],
  ['disputes_refunded_money', /are taken/],
  ['refunds_disputed_money', /are taken/],
  ['loses_and_returns', /the books hold/],
];

for (const [planted, expected] of PLANTED) {
  test(`the exploration finds the planted defect ${planted}`, () => {
    assert.match(explore(startOf([2]), 14, { ...RULES, withdrawals: 2, planted }).violation?.broken ?? '', expected);
  });
}

test('every invariant of the books rejects a world that breaks it', () => {
  const world = startOf([1]);
  const broken: [RegExp, Partial<World>][] = [
    [/-1 is available/, { available: -1 }],
    [/1 are set aside for open disputes of 0/, { disputed: 1 }],
    [/1 are on the way for refunds of 0/, { clearing: 1 }],
    [/1 left for refunds and lost disputes of 0/, { gone: 1 }],
  ];
  assert.equal(brokenIn(world), null);
  for (const [expected, change] of broken) assert.match(brokenIn({ ...world, ...change }) ?? '', expected);
});

test('in every reachable state of the books, the program does what the model does', async (t) => {
  const states = new Map<string, World>();
  for (const rules of [
    { refunds: 1, disputes: 1, withdrawals: 2 },
    { refunds: 0, disputes: 2, withdrawals: 1 },
  ]) {
    explore(startOf([2]), 100, rules, (world) => {
      states.set(JSON.stringify(world), world);
    });
  }
  let compared = 0;
  for (const world of states.values()) compared += await compare(world);
  t.diagnostic(`${states.size} states, ${compared} changes compared`);
  assert.ok(states.size > 200 && compared > 1_000);
});

/** Compares every change of a state. @returns how many there were */
async function compare(world: World): Promise<number> {
  const payment = world.payments[0] as Payment;
  const shown = JSON.stringify(world);
  const opened = disputed(world, 0, RULES);
  const draw = (after: World) => after.payments[0]?.disputes.at(-1)?.draw;
  assert.deepEqual(await codeDisputed(world), opened && { figures: figuresOf(opened), draw: draw(opened) }, `dispute ${shown}`);
  if (!payment.released) assert.deepEqual(await codeReleased(world), figuresOf(release(world, 0, RULES)), `release ${shown}`);
  for (const [d, dispute] of payment.disputes.entries()) {
    for (const trigger of TRIGGERS) {
      const after = changed(world, 0, d, trigger, RULES);
      const status = after?.payments[0]?.disputes[d]?.status;
      assert.deepEqual(
        await codeChanged(world, dispute, trigger),
        after && { figures: figuresOf(after), status },
        `${trigger} ${shown}`,
      );
    }
  }
  const wanted: Claim = { units: 1, status: 'pending', draw: null };
  const asked = covered(putPayment(world, 0, { refunds: [wanted] }), 0, 0);
  const taken = asked.payments[0]?.refunds[0]?.draw ?? null;
  assert.deepEqual(await codeCovered(world, 1), { figures: figuresOf(asked), draw: taken }, `refund ${shown}`);
  const failing = payment.refunds.flatMap((refund, r) =>
    refund.status === 'pending' && refund.draw ? [{ r, draw: refund.draw }] : [],
  );
  for (const { r, draw: given } of failing)
    assert.deepEqual(await codeGivenBack(world, given), figuresOf(ended(world, 0, r, 'failed', RULES)), `refund fails ${shown}`);
  return 2 + (payment.released ? 0 : 1) + payment.disputes.length * TRIGGERS.length + failing.length;
}
