import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fleet } from './fleet.ts';
import { shrink } from './shrink.ts';
import type { WorldOptions, WorldReport } from './world.ts';

const SEED = 'npm test';

let fleet: Fleet;

before(async () => {
  fleet = await Fleet.start(2);
});
after(() => fleet[Symbol.asyncDispose]());

test('the same seed is the same run, in another process too', async () => {
  const options: WorldOptions = { seed: `${SEED}/again`, payments: 25, nodes: 3 };
  const [one, other] = await Promise.all([fleet.run(options), fleet.run(options)]);
  assert.match(one.trace, /^[0-9a-f]{16}$/);
  assert.deepEqual(one, other);
});

test('another seed is another run', async () => {
  const [one, other] = await Promise.all(['a', 'b'].map((seed) => fleet.run({ seed, payments: 2, nodes: 1 })));
  assert.notEqual(one?.trace, other?.trace);
});

/** A world that fails when certain parts are in it. */
function failingWith(parts: readonly string[], seen: string[]): (options: WorldOptions) => Promise<WorldReport> {
  const actors = Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, operations: ['pay', 'refund'] }));
  return async ({ seed, without = new Set() }) => {
    seen.push([...without].join());
    const wrong = parts.some((part) => without.has(part) || without.has(part.split('/')[0] as string)) ? [] : ['LOST: 100'];
    return { seed, trace: '', payments: 20, wrong, story: [], actors, counts: {}, failures: {}, occurred: {}, virtual_ms: 0 };
  };
}

test('the shrinker leaves exactly what a failure needs', async () => {
  const seen: string[] = [];
  const run = failingWith(['t3/refund', 't11/pay', 'crash'], seen);
  const options = { seed: 'x', payments: 20, nodes: 1 };
  const { without } = await shrink(run, options, await run(options));
  const kept = Array.from({ length: 20 }, (_, i) => `t${i}`).filter((name) => !without.has(name));
  assert.deepEqual(kept, ['t3', 't11']);
  assert.deepEqual([without.has('crash'), without.has('pause'), without.has('cut')], [false, true, true]);
  assert.deepEqual([without.has('t3/pay'), without.has('t3/refund'), without.has('t11/refund')], [true, false, true]);
});
