import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf } from '../../bench/backlog.ts';

/** Ten seconds, a look each half second, with a noise of up to 20 deliveries that repeats. */
function windowOf(start: number, per_second: number) {
  return Array.from({ length: 20 }, (_, i) => ({ at_s: i / 2, value: start + (per_second * i) / 2 + ((i * 7) % 5) * 5 }));
}

test('a backlog that grows slowly is reported, though it is small at the end', () => {
  assert.match(growthOf([windowOf(20, 10)]) ?? '', /: the backlog grows$/);
});

test('a backlog that stays or shrinks does not grow, however large it is', () => {
  assert.match(growthOf([windowOf(20, 0)]) ?? '', /, a slope of -?0\.\d a second .*: the backlog does not grow$/);
  assert.match(
    growthOf([windowOf(900, -40)]) ?? '',
    /^8\d\d in the first fifth of the window and 5\d\d\.\d in the last, .*does not grow$/,
  );
});

test('of several windows the median counts', () => {
  const disturbed = windowOf(20, 300);
  assert.match(growthOf([windowOf(20, 0), disturbed, windowOf(20, 0)]) ?? '', /does not grow$/);
});

test('windows that are too short, and streams without deliveries, have no trend', () => {
  assert.equal(growthOf([windowOf(20, 10).slice(0, 5)]), null);
  assert.equal(growthOf([windowOf(0, 0).map(({ at_s }) => ({ at_s, value: 0 }))]), null);
});
