import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../scripts/testing/slowest.ts';

test('the slowest files are listed in descending order, with the total time of all files', () => {
  const files = Array.from({ length: 20 }, (_, i) => ({ file: `test/${i}.test.ts`, seconds: i }));
  const [, heading, first, ...rest] = table(files).split('\n');
  assert.equal(heading, 'Slowest of 20 files (190 s together)');
  assert.match(first ?? '', /19\.0 s {2}test\/19\.test\.ts$/);
  assert.equal(rest.filter(Boolean).length, 14);
});
