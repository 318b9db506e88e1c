import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Remembered } from '../../src/kit/remembered.ts';

/** What was asked for, and a clock to move. */
function book(worth?: (value: number) => boolean) {
  let now = 1_000_000;
  let looks = 0;
  const remembered = new Remembered<number>({ now: () => now }, 800, 2);
  return {
    pass: (ms: number) => {
      now += ms;
    },
    looks: () => looks,
    get: (name: string, value = async () => 7) => {
      const look = () => {
        looks++;
        return value();
      };
      return remembered.get(name, look, worth);
    },
  };
}

test('a burst of calls loads the value once, and once more after it expires', async () => {
  const { get, looks, pass } = book();
  assert.deepEqual(await Promise.all([get('a'), get('a'), get('a')]), [7, 7, 7]);
  pass(799);
  await get('a');
  assert.equal(looks(), 1);
  pass(1);
  await get('a');
  assert.equal(looks(), 2);
});

test('a clock that is set back does not extend the life of a value', async () => {
  const { get, looks, pass } = book();
  await get('a');
  pass(-3_600_000);
  await get('a');
  assert.equal(looks(), 2);
});

test('a load that failed, or whose result is not to be cached, is repeated', async () => {
  const { get, looks } = book((value) => value !== 0);
  await assert.rejects(
    get('a', async () => {
      throw new Error('down');
    }),
    /down/,
  );
  await get('a', async () => 0);
  assert.equal(await get('a'), 7);
  assert.equal(looks(), 3);
});

test('the number of cached values is bounded', async () => {
  const { get, looks } = book();
  for (const name of ['a', 'b', 'c', 'a']) await get(name);
  assert.equal(looks(), 4);
});
