import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus } from '../../src/core/disputes/states.ts';
import { nextStatus, PAYMENT_STATUSES, PAYMENT_TRIGGERS } from '../../src/core/payments/states.ts';
import { nextRefundStatus, REFUND_STATUSES, REFUND_TRIGGERS } from '../../src/core/refunds/states.ts';
import { nextTransferStatus, TRANSFER_STATUSES, TRANSFER_TRIGGERS } from '../../src/core/transfers/states.ts';
import { codeAfterReading, codeAfterResponse } from './code.ts';
import { explore, startOf } from './explore.ts';
import { MACHINES, type MachineName, nextOf } from './machines.ts';
import { afterReading, afterResponse, type Payment, type Reading, type Response, type Rules } from './world.ts';

const DEPTH = Number(process.env.MODEL_DEPTH ?? 10);
const RULES: Rules = { crashes: 1, attempts: 2, longPauses: false, callbacks: false };

const CODE: Record<
  MachineName,
  { statuses: readonly string[]; triggers: readonly string[]; next: (s: never, t: never) => string | null }
> = {
  payment: { statuses: PAYMENT_STATUSES, triggers: PAYMENT_TRIGGERS, next: nextStatus },
  refund: { statuses: REFUND_STATUSES, triggers: REFUND_TRIGGERS, next: nextRefundStatus },
  transfer: { statuses: TRANSFER_STATUSES, triggers: TRANSFER_TRIGGERS, next: nextTransferStatus },
  dispute: { statuses: DISPUTE_STATUSES, triggers: DISPUTE_TRIGGERS, next: nextDisputeStatus },
};

for (const machine of Object.keys(MACHINES) as MachineName[]) {
  test(`every status and trigger of a ${machine} leads where the model says`, () => {
    const { statuses, triggers, next } = CODE[machine];
    for (const status of statuses) {
      for (const trigger of triggers) {
        assert.equal(next(status as never, trigger as never), nextOf(machine, status, trigger), `${status} ${trigger}`);
      }
    }
    const words = new Set(MACHINES[machine].trim().split(/\s+/));
    assert.deepEqual(
      [...words].filter((word) => ![...statuses, ...triggers].includes(word)),
      [],
    );
  });
}

test(`two payments on two nodes: no interleaving of ${DEPTH} steps charges twice, loses money or forgets an attempt`, (t) => {
  const { worlds, steps, violation } = explore(DEPTH, RULES);
  t.diagnostic(`${worlds} worlds, ${steps} steps`);
  assert.equal(violation, null);
  assert.ok(worlds > 50_000);
});

for (const total of [1, 2]) {
  test(`one payment of ${total} tranches, three attempts, two crashes: every reachable world keeps the invariants`, (t) => {
    const { worlds, violation } = explore(100, { ...RULES, crashes: 2, attempts: 3 }, startOf([total]));
    t.diagnostic(`${worlds} worlds: all there are`);
    assert.equal(violation, null);
  });
}

test('a node that pauses between mark and request beyond the grace period loses no money that a callback reports', () => {
  const { violation } = explore(100, { ...RULES, attempts: 3, longPauses: true, callbacks: true }, startOf([2]));
  assert.equal(violation, null);
});

const PLANTED: [NonNullable<Rules['planted']>, Partial<Rules>][] = [
  ['lost_is_decline', {}],
  ['no_mark', {}],
  ['early_absent', {}],
  ['charges_beside_unknown', { attempts: 3 }],
  ['owes_nothing', { attempts: 3, longPauses: true, callbacks: true }],
  ['late_ignored', { attempts: 3, longPauses: true, callbacks: true }],
];

for (const [planted, rules] of PLANTED) {
  test(`the exploration finds the planted defect ${planted}`, () => {
    assert.notEqual(explore(100, { ...RULES, ...rules, planted }, startOf([2])).violation, null);
  });
}

test('in every reachable state, the program makes of every report what the model makes of it', async (t) => {
  const states = new Map<string, Payment>();
  for (const total of [1, 2]) {
    explore(100, { ...RULES, attempts: 3, longPauses: true, callbacks: true }, startOf([total]), ({ payments }) => {
      for (const payment of payments) {
        const attempts = payment.attempts.map((attempt) => ({ ...attempt, held: 'absent' as const, told: false }));
        const state = { ...payment, attempts };
        states.set(JSON.stringify(state), state);
      }
    });
  }
  const responses: Response[] = ['accepted', 'paid', 'refused', 'unavailable', 'lost'];
  const readings: Reading[] = ['pending', 'paid', 'refused', 'absent', 'absent_long'];
  let compared = 0;
  for (const state of states.values()) {
    for (const index of state.attempts.keys()) {
      for (const response of responses) {
        compared++;
        const shown = `${response} for attempt ${index} of ${JSON.stringify(state)}`;
        assert.deepEqual(await codeAfterResponse(state, index, response), afterResponse(state, index, response, RULES), shown);
      }
      for (const reading of readings) {
        compared++;
        const shown = `reading ${reading} for attempt ${index} of ${JSON.stringify(state)}`;
        assert.deepEqual(await codeAfterReading(state, index, reading), afterReading(state, index, reading, RULES), shown);
      }
    }
  }
  t.diagnostic(`${states.size} states, ${compared} reports compared`);
});
