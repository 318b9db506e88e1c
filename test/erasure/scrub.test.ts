import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { scrubEvents } from '../../src/edge/erasure/scrub.ts';
import { packWhole } from '../../src/kit/packing.ts';
import type { Tx } from '../../src/kit/sql.ts';

/** A database in which every resource has so many events. */
function databaseWith(each: number) {
  const looked: string[][] = [];
  const pages: string[][] = [];
  const body = packWhole('{"data":{}}');
  const tx = {
    all: async ({ text, values }: { text: string; values: unknown[] }) => {
      const asked = values.find((value) => Array.isArray(value)) as string[];
      if (!text.includes('body')) {
        looked.push(asked);
        return asked.flatMap((id) => Array.from({ length: each }, (_, n) => ({ id: `evt ${id} ${n}` })));
      }
      pages.push(asked);
      return asked.map((id) => ({ id, body }));
    },
    run: async () => 0,
  } as unknown as Tx;
  return { tx, looked, pages };
}

test('the events of many resources are looked up for a few resources at a time, and other work runs between them', async () => {
  const { tx, looked } = databaseWith(1);
  const ids = Array.from({ length: 60 }, (_, i) => `trx_${i}`);
  let seen = 0;
  const waiting = nextTurn().then(() => {
    seen = looked.length;
  });
  await scrubEvents(tx, 1n, ids, (event) => event);
  await waiting;
  assert.deepEqual(
    looked.map((slice) => slice.length),
    [25, 25, 10],
  );
  assert.deepEqual(looked.flat(), ids);
  assert.ok(seen < 3, 'something else ran before the last slice');
});

test('of one resource with many events a hundred are in memory at once, and other work runs between them', async () => {
  const { tx, pages } = databaseWith(1_000);
  let changed = 0;
  let seen = 0;
  const waiting = nextTurn().then(() => {
    seen = changed;
  });
  await scrubEvents(tx, 1n, ['cus_1'], (event) => {
    changed += 1;
    return event;
  });
  await waiting;
  assert.deepEqual(new Set(pages.map((page) => page.length)), new Set([100]));
  assert.deepEqual([changed, new Set(pages.flat()).size], [1_000, 1_000]);
  assert.ok(seen < 1_000, 'something else ran before the last page');
});
