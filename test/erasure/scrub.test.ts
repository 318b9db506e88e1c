import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { scrubEvents } from '../../src/edge/erasure/scrub.ts';
import type { Tx } from '../../src/kit/sql.ts';

test('the events of many resources are read a few resources at a time, and other work runs between them', async () => {
  const slices: string[][] = [];
  const tx = {
    all: async ({ values }: { values: unknown[] }) => {
      slices.push(values.find((value) => Array.isArray(value)) as string[]);
      return [];
    },
    run: async () => 0,
  } as unknown as Tx;
  const ids = Array.from({ length: 60 }, (_, i) => `trx_${i}`);
  let seen = 0;
  const waiting = nextTurn().then(() => {
    seen = slices.length;
  });
  await scrubEvents(tx, 1n, ids, (event) => event);
  await waiting;
  assert.deepEqual(
    slices.map((slice) => slice.length),
    [25, 25, 10],
  );
  assert.deepEqual(slices.flat(), ids);
  assert.ok(seen < 3, 'something else ran before the last slice');
});
