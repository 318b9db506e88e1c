import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Slots } from '../../src/money/webhooks/slots.ts';

const LIMITS = { total: 100, per_endpoint: 4, per_quick: 16, quick_ms: 500, per_failing: 2 };

let now = 0;
let slots: Slots;
beforeEach(() => {
  now = 0;
  slots = new Slots(LIMITS, () => now);
});

const delivery = (endpoint_id: string, failing = false) => ({ endpoint_id, failing, tries: 0 });

function take(count: number, endpoint_id = 'wh_a', failing = false): void {
  for (let i = 0; i < count; i++) slots.take(delivery(endpoint_id, failing));
}

function release(count: number, succeeded_ms: number | null, endpoint_id = 'wh_a'): boolean[] {
  return Array.from({ length: count }, () => slots.release(delivery(endpoint_id), succeeded_ms));
}

/** How many deliveries a claim may give to an endpoint. */
function allowed(endpoint_id = 'wh_a'): number {
  const busy = slots.busy()[endpoint_id];
  return (busy?.slots ?? slots.allowed.slots) - (busy?.count ?? 0);
}

test('an endpoint that fills its slots and answers quickly gets more', () => {
  take(4);
  assert.equal(allowed(), 0, 'nobody knows yet whether it answers');
  release(1, 500);
  assert.equal(allowed(), 13);
  release(3, 1);
  assert.equal(allowed(), 16);
  assert.equal(allowed('wh_b'), 4);
});

test('an endpoint that does not fill its slots gets no more', () => {
  take(3);
  release(3, 1);
  assert.deepEqual(slots.busy(), {});
});

test('quick endpoints together get at most half of all slots, and each at least as many as any', () => {
  const names = Array.from({ length: 20 }, (_, n) => `wh_${n}`);
  const quick = (name: string) => {
    take(4, name);
    release(4, 1, name);
  };
  for (const name of names.slice(0, 5)) quick(name);
  assert.equal(allowed('wh_0'), 10, '100 / 2 / 5');
  for (const name of names.slice(5)) quick(name);
  assert.equal(allowed('wh_0'), 4);
});

for (const [what, succeeded_ms] of [['slow', 501] as const, ['refused', null] as const])
  test(`one ${what} delivery takes the others away until the next quick one`, () => {
    take(4);
    release(1, 1);
    take(12);
    release(1, succeeded_ms);
    assert.equal(allowed(), 4 - 14);
    release(13, succeeded_ms);
    release(1, succeeded_ms);
    assert.deepEqual(slots.busy(), {});
    assert.equal(slots.total, 0);
  });

test('a quick endpoint begins anew after four seconds without deliveries', () => {
  take(4);
  release(4, 1);
  now = 3_999;
  assert.equal(allowed(), 16);
  now = 4_000;
  assert.deepEqual(slots.busy(), {});
  assert.equal(allowed(), 4);
});

test('a slot of a full endpoint is waited for, others are not', () => {
  take(3);
  assert.equal(slots.limited, false);
  take(1);
  assert.equal(slots.limited, true);
  assert.deepEqual(release(4, 1), [true, false, false, false]);
  take(16);
  assert.equal(slots.limited, true);
  assert.deepEqual(release(2, 1), [true, false]);
});

test('slots that became free during a claim that gave all it could are reported', () => {
  take(3);
  const busy = slots.busy();
  release(3, 1);
  take(1);
  assert.equal(slots.freedSince(busy, [delivery('wh_a')]), true, 'three were in progress when it began, and one was found');
  take(3);
  assert.equal(slots.freedSince(busy, [delivery('wh_a')]), false, 'all are taken: whoever frees one says so');
  assert.equal(slots.freedSince({}, [delivery('wh_b')]), false, 'one found of four');
  assert.equal(slots.freedSince({}, [delivery('wh_b', true), delivery('wh_b', true)]), true, 'a failing one has two');
  assert.equal(slots.freedSince(busy, []), false);
});
