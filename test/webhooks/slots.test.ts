import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from '../../src/money/webhooks/slots.ts';

const QUICK = { succeeded: true, ms: 5 };

function world() {
  let now = 0;
  const slots = new Slots({ total: 512, per_endpoint: 16, per_failing: 2 }, () => now);
  const delivery = (endpoint_id: string) => ({ endpoint_id, failing: false, tries: 0 });
  return {
    slots,
    pass: (ms: number) => {
      now += ms;
    },
    take: (endpoint_id: string, count: number) => {
      for (let i = 0; i < count; i++) slots.take(delivery(endpoint_id));
    },
    end: (endpoint_id: string, count: number, ended: Parameters<Slots['release']>[1]) => {
      for (let i = 0; i < count; i++) slots.release(delivery(endpoint_id), ended);
    },
  };
}

test('an endpoint that was full and answers quickly may have twice as many, also when it has none in progress', () => {
  const { slots, take, end } = world();
  take('wh_a', 16);
  assert.deepEqual(slots.busy(), { wh_a: { count: 16, retries: 0, most: 16 } });
  assert.equal(slots.limited, true);
  end('wh_a', 15, QUICK);
  assert.deepEqual(slots.busy(), { wh_a: { count: 1, retries: 0, most: 32 } });
  assert.equal(slots.limited, false);
  end('wh_a', 1, QUICK);
  assert.deepEqual(slots.busy(), { wh_a: { count: 0, retries: 0, most: 32 } });
});

test('an endpoint that was never full, answers slowly, fails or was sent nothing has its usual slots', () => {
  const { slots, take, end } = world();
  take('wh_few', 15);
  end('wh_few', 14, QUICK);
  assert.equal(slots.busy().wh_few?.most, 16);
  for (const [name, ended] of Object.entries({
    slow: { succeeded: true, ms: 101 },
    failing: { succeeded: false, ms: 5 },
    unsent: null,
  })) {
    take(name, 16);
    end(name, 1, QUICK);
    assert.equal(slots.busy()[name]?.most, 32);
    end(name, 1, ended);
    assert.equal(slots.busy()[name]?.most, 16, name);
  }
});

test('an endpoint is quick for a second after it was full', () => {
  const { slots, take, end, pass } = world();
  take('wh_a', 16);
  end('wh_a', 16, QUICK);
  pass(1_000);
  assert.equal(slots.busy().wh_a?.most, 32);
  pass(1);
  assert.deepEqual(slots.busy(), {});
});

test('above a quarter of all slots, quick endpoints have their usual ones', () => {
  const { slots, take, end } = world();
  take('wh_a', 17);
  end('wh_a', 1, QUICK);
  for (let i = 0; i < 7; i++) take(`wh_other_${i}`, 16);
  assert.equal(slots.total, 128);
  assert.equal(slots.busy().wh_a?.most, 32);
  take('wh_one_more', 1);
  assert.equal(slots.busy().wh_a?.most, 16);
  assert.equal(slots.occupied, false);
  for (let i = 0; i < 8; i++) take(`wh_more_${i}`, 16);
  assert.equal(slots.occupied, true);
});
