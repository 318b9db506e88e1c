import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverOccurred } from './coverage.ts';

test('what never occurred in a run is listed, by answers, actions and ends', () => {
  const all = neverOccurred({});
  const occurred = Object.fromEntries(all.map((what) => [what, 1]));
  assert.deepEqual(neverOccurred(occurred), []);
  delete occurred['refunds read: unfunded'];
  assert.deepEqual(neverOccurred(occurred), ['refunds read: unfunded']);
  // An answer with an action is that answer, too.
  delete occurred['submit: accepted'];
  assert.deepEqual(neverOccurred(occurred), ['refunds read: unfunded']);
});
