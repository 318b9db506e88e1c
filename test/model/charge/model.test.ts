import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeAfterReading, codeAfterResolution, codeAfterResponse } from './code.ts';
import { explore, startOf } from './invariants.ts';
import { afterReading, afterResolution, afterResponse, type Payment, type Reading, type Response, type Rules } from './world.ts';

const DEPTH = Number(process.env.MODEL_DEPTH ?? 10);
const RULES: Rules = { crashes: 1, attempts: 2, longPauses: false, callbacks: false, endings: false };

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

for (const total of [1, 2]) {
  test(`one payment of ${total} tranches whose payers also cancel, do nothing or pay another amount, and a person who resolves: every reachable world`, (t) => {
    const { worlds, violation } = explore(100, { ...RULES, endings: true }, startOf([total]));
    t.diagnostic(`${worlds} worlds: all there are`);
    assert.equal(violation, null);
  });
}

/** Every state of a payment that can be reached, whatever the provider holds. */
const STATES = new Map<string, Payment>();

for (const total of [1, 2]) {
  test(`a node that pauses before it sends beyond the grace period loses no money that a callback reports (${total} tranches)`, () => {
    const rules = { ...RULES, longPauses: true, callbacks: true };
    for (const more of [{ attempts: 3 }, { attempts: 2, endings: true }]) {
      const { violation } = explore(100, { ...rules, ...more }, startOf([total]), ({ payments: [payment] }) => {
        const attempts = (payment as Payment).attempts.map((attempt) => ({ ...attempt, held: 'absent' as const, told: false }));
        const state = { ...(payment as Payment), attempts };
        STATES.set(JSON.stringify(state), state);
      });
      assert.equal(violation, null);
    }
  });
}

const PLANTED: [NonNullable<Rules['planted']>, Partial<Rules>][] = [
  ['lost_is_decline', {}],
  ['no_mark', {}],
  ['early_absent', {}],
  ['charges_beside_unknown', { attempts: 3 }],
  ['owes_nothing', { attempts: 3, longPauses: true, callbacks: true }],
  ['late_ignored', { attempts: 3, longPauses: true, callbacks: true }],
  ['other_amount_captured', { endings: true }],
  ['other_amount_freed', { endings: true, longPauses: true, callbacks: true }],
  ['decision_forgotten', { endings: true, callbacks: true }],
];

for (const [planted, rules] of PLANTED) {
  test(`the exploration finds the planted defect ${planted}`, () => {
    assert.notEqual(explore(100, { ...RULES, ...rules, planted }, startOf([2])).violation, null);
  });
}

test('in every reachable state, the program makes of every report what the model makes of it', async (t) => {
  const responses: Response[] = ['accepted', 'paid', 'other', 'refused', 'unavailable', 'lost'];
  const readings: Reading[] = ['pending', 'paid', 'other', 'refused', 'cancelled', 'lapsed', 'absent', 'absent_long'];
  let compared = 0;
  for (const state of STATES.values()) {
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
      for (const as of ['succeeded', 'failed'] as const) {
        compared++;
        const shown = `resolution of attempt ${index} as ${as} of ${JSON.stringify(state)}`;
        assert.deepEqual(await codeAfterResolution(state, index, as), afterResolution(state, index, as, RULES), shown);
      }
    }
  }
  assert.ok(STATES.size > 300);
  t.diagnostic(`${STATES.size} states, ${compared} reports compared`);
});
