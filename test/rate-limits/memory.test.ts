import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WINDOW_MS } from '../../src/platform/rate-limits/counting.ts';
import { MemoryCounters } from '../../src/platform/rate-limits/memory.ts';

const NOON = Date.UTC(2026, 7, 1, 12);
const limit = (name: string, ceiling = 3) => ({ name, ceiling });

function takeMany(counters: MemoryCounters, times: number, limits: { name: string; ceiling: number }[], now = NOON): number {
  return Array.from({ length: times }, () => counters.take(limits, now)).filter(({ tripped }) => tripped === null).length;
}

test('a limit of three lets three requests through, and three more after the window', () => {
  const counters = new MemoryCounters();
  assert.equal(takeMany(counters, 10, [limit('a')]), 3);
  assert.equal(takeMany(counters, 10, [limit('a')], NOON + WINDOW_MS - 1), 0);
  assert.equal(takeMany(counters, 10, [limit('a')], NOON + WINDOW_MS), 3);
});

test('a window starts with its first request and is not extended by later ones', () => {
  const counters = new MemoryCounters();
  counters.take([limit('a')], NOON + 30_000);
  const { standings } = counters.take([limit('a')], NOON + 80_000);
  assert.deepEqual(standings, [{ count: 2, resets_at: NOON + 90_000 }]);
});

test('the first of several exceeded limits is reported, and a rejected request is not counted', () => {
  const counters = new MemoryCounters();
  const limits = [limit('a', 5), limit('b', 2), limit('c', 2), limit('d', 9)];
  assert.equal(takeMany(counters, 6, limits), 2);
  const { tripped, standings } = counters.take(limits, NOON);
  assert.equal(tripped, 1);
  assert.deepEqual(
    standings.map(({ count }) => count),
    [2, 2, 2, 2],
  );
});

test('look() counts nothing and opens no window', () => {
  const counters = new MemoryCounters();
  assert.deepEqual(counters.look([limit('a')], NOON), [{ count: 0, resets_at: NOON + WINDOW_MS }]);
  assert.equal(counters.size, 0);
});

test('counting continues from the counts learned from another store', () => {
  const counters = new MemoryCounters();
  counters.learn(
    [limit('a'), limit('b')],
    [
      { count: 2, resets_at: NOON + 10_000 },
      { count: 0, resets_at: 0 },
    ],
    NOON,
  );
  assert.equal(takeMany(counters, 5, [limit('a')]), 1);
  assert.equal(takeMany(counters, 5, [limit('a')], NOON + 10_000), 3);
  assert.equal(takeMany(counters, 5, [limit('b')]), 3);
});

test('expired windows are removed from memory when others open', () => {
  const counters = new MemoryCounters();
  for (let caller = 0; caller < 1_000; caller += 1) counters.take([limit(`old ${caller}`)], NOON);
  for (let caller = 0; caller < 400; caller += 1) counters.take([limit(`new ${caller}`)], NOON + WINDOW_MS);
  counters.take([limit('last')], NOON + 2 * WINDOW_MS);
  assert.equal(counters.size, 401);
});

for (const opened_ms of [WINDOW_MS / 2 - 1, WINDOW_MS - 1]) {
  test(`a window opened after ${opened_ms} ms is kept until it ends, however many others open in the meantime`, () => {
    const counters = new MemoryCounters();
    counters.take([limit('first')], NOON);
    const opened_at = NOON + opened_ms;
    takeMany(counters, 3, [limit('a')], opened_at);
    for (let passed_ms = 0; passed_ms < WINDOW_MS; passed_ms += 500) {
      counters.take([limit(`other ${passed_ms}`)], opened_at + passed_ms);
      assert.equal(counters.take([limit('a')], opened_at + passed_ms).tripped, 0);
    }
    assert.equal(takeMany(counters, 5, [limit('a')], opened_at + WINDOW_MS), 3);
  });
}

test('memory is bounded for any number of callers, and the newest callers are kept', () => {
  const counters = new MemoryCounters(100);
  for (let caller = 0; caller < 5_000; caller += 1) counters.take([limit(`caller ${caller}`, 1)], NOON);
  assert.ok(counters.size <= 200);
  assert.equal(counters.take([limit('caller 4999', 1)], NOON).tripped, 0);
  assert.equal(counters.take([limit('caller 4900', 1)], NOON).tripped, 0);
});

test('requests that are counted out of order share a window', () => {
  const counters = new MemoryCounters();
  const passed = [9, 3, 7, 1, 8, 2].filter((ms) => counters.take([limit('a')], NOON + ms).tripped === null);
  assert.deepEqual(passed, [9, 3, 7]);
});

test('a clock that is set back blocks a caller for at most one window', () => {
  const counters = new MemoryCounters();
  takeMany(counters, 3, [limit('a')], NOON + 3_600_000);
  assert.equal(takeMany(counters, 5, [limit('a')], NOON), 3);
});
