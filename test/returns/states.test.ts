import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isClosed, nextReturnState, RETURN_STATES, RETURN_TRIGGERS } from '../../src/core/obligations/states.ts';
import { compareGolden } from '../setup/golden.ts';

test('every return state and trigger matches the golden table', () => {
  const lines = RETURN_STATES.flatMap((state) =>
    RETURN_TRIGGERS.map((trigger) => `${state.padEnd(10)} ${trigger.padEnd(16)} ${nextReturnState(state, trigger) ?? '-'}`),
  );
  compareGolden('return-states.txt', lines);
});

test('a closed return is reopened only when the payer got the money a second time', () => {
  assert.deepEqual(RETURN_STATES.filter(isClosed), ['returned', 'resolved']);
  for (const state of RETURN_STATES.filter(isClosed)) {
    const ways = RETURN_TRIGGERS.filter((trigger) => nextReturnState(state, trigger) !== null);
    assert.deepEqual(ways, ['returned_twice'], state);
  }
});
