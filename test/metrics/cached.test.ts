import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cached } from '../../src/edge/metrics/cached.ts';

// The deadline does not keep a process alive.
const alive = setInterval(() => {}, 1_000);
after(() => clearInterval(alive));

test('a query that is late is left out, is not started again while it runs, and its result is used once it is there', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  let runs = 0;
  const read = cached(
    () => {
      runs += 1;
      return promise;
    },
    0,
    10,
  );
  await assert.rejects(read(), /no answer within 10 ms/);
  await assert.rejects(read(), /no answer within 10 ms/);
  assert.equal(runs, 1);
  const waiting = read();
  resolve(7);
  assert.equal(await waiting, 7);
  assert.equal(runs, 1);
  assert.equal(await read(), 7);
  assert.equal(runs, 2);
});

test('while a run is late, the previous result is returned until it is twice as old as it may be', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const late = Promise.withResolvers<string>();
  const results = [Promise.resolve('first'), late.promise];
  const read = cached(() => results.shift() as Promise<string>, 1_000, 10);
  assert.equal(await read(), 'first');
  now = 999;
  assert.equal(await read(), 'first');
  assert.equal(results.length, 1);
  now = 1_999;
  assert.equal(await read(), 'first');
  now = 2_000;
  await assert.rejects(read(), /no answer/);
  late.resolve('second');
  assert.equal(await read(), 'second');
});

test('concurrent calls share a run, and a failed one is not kept', async () => {
  const results = [Promise.reject(new Error('down')), Promise.resolve('up')];
  const read = cached(() => results.shift() as Promise<string>, 60_000, 1_000);
  const calls = await Promise.allSettled([read(), read()]);
  assert.deepEqual(
    calls.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(results.length, 1);
  assert.equal(await read(), 'up');
});
