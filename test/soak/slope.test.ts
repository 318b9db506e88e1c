import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, type Point, slopeOf } from '../../scripts/soak/slope.ts';
import { randomOf } from '../../simulators/kit/random.ts';

const EVERY_S = 10;
const MB_PER_DAY = 1 / 86_400;
const LIMIT = { share: 0.5, floor: 32 };

/** An hour of a process that uses about 80 MB with noise of 8 MB. */
function memory(grows_per_day: number, seed = 1): Point[] {
  const random = randomOf(seed);
  return Array.from({ length: 360 }, (_, i) => {
    const at_s = i * EVERY_S;
    const noise = (random() + random() - 1) * 16;
    return { at_s, value: 80 + noise + at_s * grows_per_day * MB_PER_DAY };
  });
}

test('a planted leak is found, and a noisy flat line is not called a leak', () => {
  for (let seed = 1; seed <= 20; seed++) {
    assert.equal(judge(memory(0, seed), LIMIT).verdict, 'flat', `seed ${seed}`);
    assert.equal(judge(memory(400, seed), LIMIT).verdict, 'grows', `seed ${seed}`);
  }
});

test('the slope is the growth in time, whatever a few outliers are', () => {
  const points = memory(400).map((point, i) => (i % 25 === 0 ? { ...point, value: 5_000 } : point));
  const { day } = judge(points, LIMIT);
  assert.ok(Math.abs(day.middle - 400) < 100, String(day.middle));
  assert.ok(day.low < day.middle);
});

test('a step, such as a table that grew once in a backlog, is not growth', () => {
  const points = memory(0).map((point, i) => ({ ...point, value: i < 150 ? 2 : 9 }));
  assert.equal(judge(points, { share: 0.5, floor: 1 }).verdict, 'flat');
});

test('growth below the floor is accepted, however large its share of the mean is', () => {
  const points = memory(0).map((point) => ({ ...point, value: point.at_s * 20 * MB_PER_DAY }));
  assert.equal(judge(points, { share: 0.5, floor: 32 }).verdict, 'flat');
  assert.equal(judge(points, { share: 0.5, floor: 10 }).verdict, 'grows');
});

test('minutes are not projected to a day', () => {
  assert.equal(judge(memory(400).slice(0, 30), LIMIT).verdict, 'too short');
  assert.equal(judge([], LIMIT).verdict, 'too short');
});

test('a long series is thinned to the same slope', () => {
  const points = Array.from({ length: 8_640 }, (_, i) => ({ at_s: i * EVERY_S, value: 3 * i }));
  assert.ok(Math.abs(slopeOf(points).middle - 0.3) < 1e-9);
});
