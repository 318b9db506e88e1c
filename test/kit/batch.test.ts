import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Batcher } from '../../src/kit/batch.ts';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';

interface Item {
  n: number;
  keys?: string[];
}

/** A batcher that keeps what it ran; 'poison' numbers fail every run they are in. */
function batcher(options: { max?: number; inFlight?: number; poison?: Set<number>; ms?: number } = {}) {
  const { max = 64, inFlight = 2, poison = new Set<number>(), ms = 1 } = options;
  const runs: Item[][] = [];
  let running = 0;
  let most = 0;
  const batch = new Batcher<Item, number>({
    max,
    inFlight,
    exclusive: ({ keys = [] }) => keys,
    run: async (items) => {
      runs.push(items);
      most = Math.max(most, ++running);
      await sleep(ms);
      running--;
      const bad = items.find(({ n }) => poison.has(n));
      if (bad) throw new Error(`poison ${bad.n}`);
      return items.map(({ n }) => n * 10);
    },
  });
  return { batch, runs, most: () => most };
}

const numbers = (count: number): Item[] => Array.from({ length: count }, (_, n) => ({ n }));

test('a single item runs in the same turn of the event loop, in a batch of its own', async () => {
  const { batch, runs } = batcher();
  const waiting = batch.add({ n: 7 });
  await nextTurn();
  assert.deepEqual(runs, [[{ n: 7 }]]);
  assert.equal(await waiting, 70);
});

test('every caller gets its own result', async () => {
  const { batch } = batcher({ max: 7 });
  const results = await Promise.all(numbers(100).map((item) => batch.add(item)));
  assert.deepEqual(
    results,
    numbers(100).map(({ n }) => n * 10),
  );
});

test('items that arrive while all slots are busy run together, at most max in a batch', async () => {
  const { batch, runs, most } = batcher({ max: 64 });
  await Promise.all(numbers(150).map((item) => batch.add(item)));
  assert.deepEqual(
    runs.map((items) => items.length),
    [64, 64, 22],
  );
  assert.equal(most(), 2);
});

test('one failing item fails alone, and the others of its batch succeed', async () => {
  const { batch } = batcher({ poison: new Set([13]) });
  const results = await Promise.allSettled(numbers(40).map((item) => batch.add(item)));
  results.forEach((result, n) => {
    if (n === 13) assert.match(String((result as PromiseRejectedResult).reason), /poison 13/);
    else assert.deepEqual(result, { status: 'fulfilled', value: n * 10 });
  });
});

test('items with the same key never share a batch, and run in order', async () => {
  const { batch, runs } = batcher();
  const items = Array.from({ length: 30 }, (_, n) => ({ n, keys: [`k${n % 3}`] }));
  await Promise.all(items.map((item) => batch.add(item)));
  for (const run of runs) assert.equal(new Set(run.flatMap(({ keys = [] }) => keys)).size, run.length);
  for (const key of ['k0', 'k1', 'k2']) {
    const order = runs
      .flat()
      .filter((item) => item.keys?.includes(key))
      .map(({ n }) => n);
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    );
  }
});

test('items share no batch when any of their keys is common, and none overtakes another with which it shares a key', async () => {
  const { batch, runs } = batcher({ inFlight: 1 });
  const items = [{ keys: ['a', 'b'] }, { keys: ['b', 'c'] }, { keys: ['c'] }, { keys: ['d'] }].map((item, n) => ({ n, ...item }));
  await Promise.all(items.map((item) => batch.add(item)));
  assert.deepEqual(
    runs.map((run) => run.map(({ n }) => n)),
    [[0, 3], [1], [2]],
  );
});

test('every item gets a result, with at most inFlight batches of max items, for any input', async () => {
  const arrivals = fc.array(
    fc.record({ key: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }), wait: fc.boolean() }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(
      arrivals,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 40 }),
      async (list, max, inFlight, bad) => {
        const { batch, runs, most } = batcher({ max, inFlight, poison: new Set([bad]), ms: 0 });
        const waiting: Promise<PromiseSettledResult<number>[]>[] = [];
        for (const [n, { key, wait }] of list.entries()) {
          if (wait) await sleep(0);
          waiting.push(Promise.allSettled([batch.add(key === undefined ? { n } : { n, keys: [key] })]));
        }
        const results = (await Promise.all(waiting)).flat();
        for (const [n, { status }] of results.entries()) assert.equal(status, n === bad ? 'rejected' : 'fulfilled');
        assert.ok(most() <= inFlight);
        for (const run of runs) assert.ok(run.length <= max);
      },
    ),
    { numRuns: 60 },
  );
});

test('a run that throws synchronously fails its items and does not stop the queue', async () => {
  let first = true;
  const batch = new Batcher<number, number>({
    max: 8,
    inFlight: 1,
    exclusive: () => [],
    run: (items) => {
      if (first) {
        first = false;
        throw new Error('synchronous');
      }
      return Promise.resolve(items);
    },
  });
  await assert.rejects(batch.add(1), /synchronous/);
  assert.deepEqual(await Promise.all([2, 3, 4].map((n) => batch.add(n))), [2, 3, 4]);
});

test('once the database is unavailable for one item, the others of its run fail with it, each at once', async () => {
  const runs: number[] = [];
  const batch = new Batcher<Item, number>({
    max: 64,
    inFlight: 1,
    exclusive: () => [],
    run: async (items) => {
      runs.push(items.length);
      await sleep(1);
      if (runs.length > 1) throw new DatabaseUnavailable(new Error('gone'));
      return items.map(({ n }) => n);
    },
  });
  const first = batch.add({ n: 0 });
  await nextTurn();
  const others = await Promise.allSettled(numbers(30).map((item) => batch.add(item)));
  assert.equal(await first, 0);
  assert.ok(others.every((one) => one.status === 'rejected' && one.reason instanceof DatabaseUnavailable));
  assert.deepEqual(runs, [1, 30, 1]);
});

test('an item that fails alone does not stop the others, nor does a database that was away for one run', async () => {
  let run = 0;
  const batch = new Batcher<Item, number>({
    max: 64,
    inFlight: 1,
    exclusive: () => [],
    run: async (items) => {
      run += 1;
      await sleep(1);
      if (run === 2) throw new DatabaseUnavailable(new Error('away'));
      if (items[0]?.n === 3) throw new Error('its own');
      return items.map(({ n }) => n);
    },
  });
  const first = batch.add({ n: 0 });
  await nextTurn();
  const others = await Promise.allSettled(numbers(6).map((item) => batch.add(item)));
  await first;
  assert.deepEqual(
    others.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
});

/** A batcher whose runs all fail with the error, and what it ran. */
function failing(error: () => Error) {
  const runs: number[] = [];
  let away = true;
  const batch = new Batcher<Item, number>({
    max: 10,
    inFlight: 1,
    exclusive: () => [],
    run: async (items) => {
      runs.push(items.length);
      await sleep(1);
      if (away) throw error();
      return items.map(({ n }) => n);
    },
  });
  return {
    batch,
    runs,
    recover: () => {
      away = false;
    },
  };
}

const canceled = () => Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

test('items that wait for a slot do not wait for an unavailable database in turn', async () => {
  const { batch, runs, recover } = failing(() => new DatabaseUnavailable(new Error('gone')));
  const results = await Promise.allSettled(numbers(200).map((item) => batch.add(item)));
  assert.ok(results.every((one) => one.status === 'rejected' && one.reason instanceof DatabaseUnavailable));
  assert.deepEqual(runs, [10, 1]);
  recover();
  assert.equal(await batch.add({ n: 5 }), 5);
  await nextTurn();
  assert.deepEqual(runs, [10, 1, 1], 'what was rejected never runs');
});

test('once two items of a run reach the deadline of a statement alone, the others do not wait for it in turn', async () => {
  const { batch, runs, recover } = failing(canceled);
  const results = await Promise.allSettled(numbers(20).map((item) => batch.add(item)));
  assert.ok(results.every((one) => one.status === 'rejected'));
  assert.deepEqual(runs, [10, 1, 1, 10, 1, 1]);
  recover();
  assert.deepEqual(
    await Promise.all(numbers(30).map((item) => batch.add(item))),
    numbers(30).map(({ n }) => n),
  );
});

test('one item that reaches the deadline of a statement fails alone', async () => {
  const batch = new Batcher<Item, number>({
    max: 64,
    inFlight: 1,
    exclusive: () => [],
    run: async (items) => {
      if (items.some(({ n }) => n === 3)) throw canceled();
      return items.map(({ n }) => n);
    },
  });
  const results = await Promise.allSettled(numbers(20).map((item) => batch.add(item)));
  for (const [n, { status }] of results.entries()) assert.equal(status, n === 3 ? 'rejected' : 'fulfilled');
});
