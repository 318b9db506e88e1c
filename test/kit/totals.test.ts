import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lowestIdAt, newId } from '../../src/kit/ids.ts';
import type { Environment } from '../../src/kit/environment.ts';
import type { Queryable } from '../../src/kit/sql.ts';
import { Totals } from '../../src/kit/totals.ts';
import { ListTotals, SETTLED_MS } from '../../src/platform/db/list-totals.ts';

const START = 1_790_000_000_000;

/** Totals as GET /payments asks for them. */
function payments() {
  const totals = new Totals<string>();
  return {
    total: (
      environment: 'sandbox' | 'live',
      team: bigint,
      now: number,
      count: (from: string | null, to: string | null) => Promise<number>,
    ) =>
      totals.total(`${environment} ${team}`, now, {
        count,
        settled: async () => ({ mark: lowestIdAt('trx', environment, now - SETTLED_MS), is_final: true }),
      }),
  };
}

/** A caller in a store whose transactions have these numbers: a new one, and the least of those that have not ended. */
function callerIn(environment: Environment, numbers: () => { xid: string; oldest: string }) {
  const db = { maybe: async () => numbers() } as unknown as Queryable;
  return { caller: { store: { environment, db } } };
}
/** One in which no other transaction is open. */
const live = callerIn('live', () => ({ xid: '7', oldest: '7' }));

/** A table of ids that counts like the statement does, and remembers how many rows it had to walk. */
function table() {
  const ids: string[] = [];
  let walked = 0;
  return {
    ids,
    walked: () => walked,
    count: async (from: string | null, to: string | null) => {
      const found = ids.filter((id) => (from === null || id >= from) && (to === null || id < to)).length;
      walked += found;
      return found;
    },
  };
}

test('the total is exact while rows are inserted over hours, also when the clock is set back', async () => {
  const step = fc.record({
    pass_ms: fc.integer({ min: -200_000, max: 400_000 }),
    come: fc.integer({ min: 0, max: 5 }),
    late_ms: fc.integer({ min: 0, max: 15_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const [totals, rows] = [payments(), table()];
      let now = START;
      for (const { pass_ms, come, late_ms } of steps) {
        now += pass_ms;
        // A row's id is of the moment its request came, and it becomes visible up to 15 s later.
        for (let i = 0; i < come; i++) rows.ids.push(newId('trx', 'sandbox', now - late_ms));
        assert.equal(await totals.total('sandbox', 1n, now, rows.count), rows.ids.length);
      }
    }),
  );
});

test('old rows are counted once, not on each call', async () => {
  const [totals, rows] = [payments(), table()];
  for (let i = 0; i < 1_000; i++) rows.ids.push(newId('trx', 'sandbox', START - 3_600_000));
  for (let i = 0; i < 20; i++) await totals.total('sandbox', 1n, START + i * 1_000, rows.count);
  assert.equal(rows.walked(), 1_000);
});

test('teams and environments are counted separately', async () => {
  const totals = payments();
  const counted = async (environment: 'sandbox' | 'live', team: bigint, rows: number) =>
    totals.total(environment, team, START, async (_, to) => (to === null ? 0 : rows));
  assert.deepEqual([await counted('sandbox', 1n, 3), await counted('live', 1n, 5), await counted('sandbox', 11n, 7)], [3, 5, 7]);
  assert.equal(await counted('sandbox', 1n, 99), 3);
});

test('a failed count is not cached', async () => {
  const totals = payments();
  await assert.rejects(
    totals.total('sandbox', 1n, START, async () => {
      throw new Error('down');
    }),
    /down/,
  );
  assert.equal(await totals.total('sandbox', 1n, START, async (_, to) => (to === null ? 1 : 2)), 3);
});

test('concurrent callers do not count a row twice', async () => {
  const [totals, rows] = [payments(), table()];
  const ask = (now: number) => Promise.all(Array.from({ length: 10 }, () => totals.total('live', 1n, now, rows.count)));
  for (let i = 0; i < 50; i++) rows.ids.push(newId('trx', 'live', START - 100_000 + i));
  assert.deepEqual(new Set(await ask(START)), new Set([50]));
  for (let i = 0; i < 50; i++) rows.ids.push(newId('trx', 'live', START + 100_000 + i));
  assert.deepEqual(new Set(await ask(START + 400_000)), new Set([100]));
  assert.ok(lowestIdAt('trx', 'live', START) > lowestIdAt('trx', 'live', START - 1));
});

const HOUR_MS = 3_600_000;
const KEEP_MS = 48 * HOUR_MS;

test('the total is exact while a purge deletes old rows, in any order and with a clock that is ahead', async () => {
  const step = fc.record({
    pass_ms: fc.oneof(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 0, max: 9 * HOUR_MS })),
    come: fc.integer({ min: 0, max: 4 }),
    late_ms: fc.integer({ min: 0, max: 500_000 }),
    ahead_ms: fc.integer({ min: 0, max: 50_000 }),
    spared: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const [totals, rows] = [new ListTotals('evt', { keep_ms: KEEP_MS }), table()];
      let now = START;
      for (const { pass_ms, come, late_ms, ahead_ms, spared } of steps) {
        now += pass_ms;
        for (let i = 0; i < come; i++) rows.ids.push(newId('evt', 'live', now - late_ms));
        const kept_from = lowestIdAt('evt', 'live', now + ahead_ms - KEEP_MS);
        const kept = rows.ids.filter((id, i) => id >= kept_from || i % spared === 1);
        rows.ids.splice(0, rows.ids.length, ...kept);
        assert.equal(
          await totals.of('1', { ...live, query: {}, at: now }, ({ from, to }) => rows.count(from, to)),
          rows.ids.length,
        );
      }
    }),
  );
});

test('a row is in the total soon after its commit, however long that takes and however many other transactions are open', async () => {
  const step = fc.record({
    pass_ms: fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 0, max: HOUR_MS })),
    begins: fc.boolean(),
    ends: fc.array(fc.nat(5), { maxLength: 2 }),
    late_ms: fc.integer({ min: 0, max: SETTLED_MS - 1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const [totals, rows] = [new ListTotals('evt'), table()];
      const open: { xid: number; id: string }[] = [];
      let [now, next] = [START, 1];
      const caller = callerIn('live', () => {
        const oldest = Math.min(next, ...open.map(({ xid }) => xid));
        return { xid: String(next++), oldest: String(oldest) };
      });
      const total = () => totals.of('1', { ...caller, query: {}, at: now }, ({ from, to }) => rows.count(from, to));
      const commit = (at: number) => rows.ids.push(...open.splice(at, 1).map(({ id }) => id));
      for (const { pass_ms, begins, ends, late_ms } of steps) {
        now += pass_ms;
        if (begins) open.push({ xid: next++, id: newId('evt', 'live', now - late_ms) });
        for (const at of ends) commit(at);
        await total();
      }
      while (open.length > 0) commit(0);
      for (let n = 0; n < 3; n++) {
        now += 61_000;
        await total();
      }
      assert.equal(await total(), rows.ids.length);
    }),
  );
});

test('with too many rows at the ends to count on each call, a total is exact within ten seconds, and at once for rows in time', async () => {
  const step = fc.record({
    pass_ms: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 9 * HOUR_MS })),
    come: fc.integer({ min: 0, max: 20 }),
    late_ms: fc.oneof(fc.integer({ min: 0, max: 4_999 }), fc.integer({ min: 0, max: 500_000 })),
    deletes: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const [totals, rows] = [new ListTotals('evt', { keep_ms: KEEP_MS, max_counted: 3 }), table()];
      const total = (at: number) => totals.of('1', { ...live, query: {}, at }, ({ from, to }) => rows.count(from, to));
      let now = START;
      for (const { pass_ms, come, late_ms, deletes } of steps) {
        now += pass_ms;
        const before = rows.ids.length;
        const shown = await total(now);
        for (let i = 0; i < come; i++) rows.ids.push(newId('evt', 'live', now - late_ms));
        if (late_ms < 5_000) assert.equal((await total(now)) - shown, rows.ids.length - before);
        const kept_from = lowestIdAt('evt', 'live', now - KEEP_MS);
        if (deletes) rows.ids.splice(0, rows.ids.length, ...rows.ids.filter((id) => id >= kept_from));
        await total(now);
        now += 10_000;
        assert.equal(await total(now), rows.ids.length);
      }
    }),
  );
});

test('of a list that is long at its new end, that end is counted once in ten seconds', async () => {
  const [totals, rows] = [new ListTotals('evt', { keep_ms: KEEP_MS, max_counted: 100 }), table()];
  for (let at = START - 900_000; at < START; at += 100) rows.ids.push(newId('evt', 'live', at));
  const read = (at: number) => totals.of('1', { ...live, query: {}, at }, ({ from, to }) => rows.count(from, to));
  await read(START);
  const before = rows.walked();
  for (let s = 1; s <= 60; s++) {
    for (let ms = 0; ms < 1_000; ms += 100) rows.ids.push(newId('evt', 'live', START + s * 1_000 - ms));
    assert.equal(await read(START + s * 1_000), rows.ids.length);
  }
  // Six times the ten minutes, and on the other calls at most fifteen seconds. A new part is begun once.
  assert.ok(rows.walked() - before < 7 * 6_300 + 54 * 160, String(rows.walked() - before));
});

test('of rows that are deleted when they are old, only the oldest and the newest are counted on each call', async () => {
  const [totals, rows] = [new ListTotals('evt', { keep_ms: KEEP_MS }), table()];
  for (let i = 0; i < 4_800; i++) rows.ids.push(newId('evt', 'live', START - i * 36_000));
  for (let i = 0; i < 20; i++) {
    const total = await totals.of('1', { ...live, query: {}, at: START + i * 1_000 }, ({ from, to }) => rows.count(from, to));
    assert.equal(total, 4_800);
  }
  // Some minutes at the old end and ten at the new one.
  assert.ok(rows.walked() < 4_800 + 20 * 30, String(rows.walked()));
});

test('of rows that are never deleted, only the newest are counted on each call', async () => {
  const [totals, rows] = [new ListTotals('evt'), table()];
  for (let i = 0; i < 4_800; i++) rows.ids.push(newId('evt', 'live', START - i * 36_000));
  for (let i = 0; i < 20; i++) {
    const total = await totals.of('1', { ...live, query: {}, at: START + i * 1_000 }, ({ from, to }) => rows.count(from, to));
    assert.equal(total, 4_800);
  }
  assert.ok(rows.walked() < 4_800 + 20 * 30, String(rows.walked()));
});

test('while a list is read every minute, rows are counted when they come to another part of it, not again and again', async () => {
  const [totals, rows] = [new ListTotals('evt', { keep_ms: KEEP_MS, max_counted: 10 }), table()];
  for (let i = 0; i < 48 * 60; i++) rows.ids.push(newId('evt', 'live', START - i * 60_000));
  for (let minute = 0; minute < 300; minute++) {
    const now = START + minute * 60_000;
    rows.ids.push(newId('evt', 'live', now));
    const kept_from = lowestIdAt('evt', 'live', now - KEEP_MS);
    rows.ids.splice(0, rows.ids.length, ...rows.ids.filter((id) => id >= kept_from));
    for (let i = 0; i < 10; i++) {
      const at = now + i * 5_000;
      const total = await totals.of('1', { ...live, query: {}, at }, ({ from, to }) => rows.count(from, to));
      assert.equal(total, rows.ids.length);
    }
  }
  assert.ok(rows.walked() < 48 * 60 + 300 * 200, String(rows.walked()));
});

test('a list with a filter is counted as a whole', async () => {
  const totals = new ListTotals('evt', { keep_ms: KEEP_MS });
  const asked: unknown[] = [];
  const count = async (ids: object) => {
    asked.push(ids);
    return 7;
  };
  assert.equal(await totals.of('1', { ...live, query: { type: 'payment.succeeded' } as object, at: START }, count), 7);
  assert.deepEqual(asked, [{ from: null, to: null }]);
});

test('rows past their retention that wait for the end of their month are not counted on each call; the total is exact when they go', async () => {
  const [totals, rows] = [new ListTotals('evt', { keep_ms: KEEP_MS, months_of: 'events' }), table()];
  const at = Date.UTC(2026, 9, 28);
  const total = (now: number) => totals.of('1', { ...live, query: {}, at: now }, ({ from, to }) => rows.count(from, to));
  for (let i = 0; i < 4_800; i++) rows.ids.push(newId('evt', 'live', at - KEEP_MS - HOUR_MS - i * 60_000));
  for (let i = 0; i < 20; i++) assert.equal(await total(at + i * 1_000), 4_800);
  assert.ok(rows.walked() < 4_800 + 20 * 30, String(rows.walked()));
  // All of October is past its retention.
  for (let now = at; now < Date.UTC(2026, 10, 3); now += HOUR_MS / 2) assert.equal(await total(now), 4_800);
  rows.ids.splice(0);
  assert.equal(await total(Date.UTC(2026, 10, 3, 0, 2)), 0);
});

test('rows from before a table was partitioned, and those of a default partition, go before the end of their month', async () => {
  const [totals, rows] = [new ListTotals('evt', { keep_ms: KEEP_MS, months_of: 'events' }), table()];
  let single = true;
  const db = { maybe: async () => ({ xid: '7', oldest: '7', single }) } as unknown as Queryable;
  const caller = { store: { environment: 'live', db } } as const;
  const total = (now: number) => totals.of('1', { caller, query: {}, at: now }, ({ from, to }) => rows.count(from, to));
  const at = Date.UTC(2026, 9, 28);
  for (let i = 0; i < 100; i++) rows.ids.push(newId('evt', 'live', at - KEEP_MS + i * 60_000));
  assert.equal(await total(at), 100);
  rows.ids.splice(0, 30);
  assert.equal(await total(at + HOUR_MS / 2), 70);
  rows.ids.splice(0);
  assert.equal(await total(at + 4 * HOUR_MS), 0);
  single = false;
  for (let i = 0; i < 50; i++) rows.ids.push(newId('evt', 'live', at + i));
  assert.equal(await total(at + 6 * HOUR_MS), 50);
});
