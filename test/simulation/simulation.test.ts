// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fleet } from './fleet.ts';
import { shrink } from './shrink.ts';
import type { WorldOptions, WorldReport } from './world.ts';

const SEED = 'repeated';

/** Locks, crashes, and pauses that are longer than a lease. */
const WORLDS: readonly WorldOptions[] = [
  { seed: `${SEED}/stormy`, payments: 40, nodes: 3, profile: 'stormy' },
  { seed: `${SEED}/crowded`, payments: 40, nodes: 2, profile: 'crowded' },
  { seed: `${SEED}/slow`, payments: 20, nodes: 2, profile: 'slow' },
];

/** Two processes. Each runs one world after another. */
let fleets: readonly [Fleet, Fleet];

before(async () => {
  fleets = await Promise.all([Fleet.start(1), Fleet.start(1)]);
});
after(() => Promise.all(fleets.map((fleet) => fleet[Symbol.asyncDispose]())));

test('the same seed is the same run in another process, after other worlds, and with a story', async () => {
  const [one, other] = fleets;
  const reports = new Map<string, WorldReport>();
  const first = async () => {
    for (const world of WORLDS) reports.set(world.seed, await one.run(world));
  };
  const again: WorldReport[] = [];
  const second = async () => {
    for (const world of WORLDS.toReversed()) again.push(await other.run({ ...world, story: true }));
  };
  await Promise.all([first(), second()]);
  for (const report of again) {
    assert.match(report.trace, /^[0-9a-f]{16}$/);
    assert.ok((report.story?.length ?? 0) > 1_000);
    assert.deepEqual({ ...report, story: null }, reports.get(report.seed));
  }
  assert.deepEqual(
    again.map(({ wrong }) => wrong),
    WORLDS.map(() => []),
  );
  const total = (what: string) => again.reduce((sum, { counts }) => sum + (counts[what] ?? 0), 0);
  for (const what of ['waits', 'crashes', 'pauses', 'cuts']) assert.ok(total(what) > 0, `no ${what}`);
});

test('another seed is another run', async () => {
  const [one, other] = await Promise.all(['a', 'b'].map((seed, i) => fleets[i as 0 | 1].run({ seed, payments: 2, nodes: 1 })));
  assert.notEqual(one?.trace, other?.trace);
});

test('a world comes to its end also when some of its actors are left out', async () => {
  const world: WorldOptions = { seed: `${SEED}/without`, payments: 10, nodes: 1, profile: 'calm' };
  const { actors, wrong } = await fleets[0].run(world);
  const without = new Set(actors.filter(({ operations }) => operations.length > 0).map(({ name }) => name));
  without.delete([...without][0] as string);
  assert.ok(without.size > 3);
  assert.deepEqual([wrong, (await fleets[0].run({ ...world, without })).wrong], [[], []]);
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
