import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import type { RowKey } from '../../src/kit/sql.ts';
import { rowSweep, type Take } from '../../src/platform/work/row-sweep.ts';
import { FakeClock } from '../setup/api.ts';

/** Sweeps that change many rows in one transaction, without a database: which rows are changed although others cannot be. */
const MAX = 100;

/** Due rows, of which some cannot be changed, and a sweep over them. */
class Rows {
  readonly clock = new FakeClock();
  readonly logged: string[] = [];
  readonly takes: number[] = [];
  readonly faults = new Map<number, Error>();
  due: number[];

  constructor(rows: number) {
    this.due = Array.from({ length: rows }, (_, n) => n);
  }

  readonly sweep = rowSweep(
    {
      ...{ name: 'rows', environment: 'live', idle_ms: 1_000, max: MAX },
      ...{ change: (take) => this.#change(take), failure: 'a row could not be changed' },
    },
    { clock: this.clock, log: { error: ({ id }: { id: string }) => void this.logged.push(id) } as never },
  );

  break(rows: number[], error = new Error('out of range')): void {
    for (const row of rows) this.faults.set(row, error);
  }

  async #change({ limit, except, taken }: Take): Promise<number> {
    this.takes.push(limit);
    const left = new Set(except.map(({ id }) => Number(id)));
    const rows = this.due.filter((row) => !left.has(row)).slice(0, limit);
    taken(rows.map((row): RowKey => ({ team_id: 1n, id: String(row) })));
    for (const row of rows) {
      const fault = this.faults.get(row);
      if (fault) throw fault;
    }
    this.due = this.due.filter((row) => !rows.includes(row));
    return rows.length;
  }
}

test('rows are changed in one transaction', async () => {
  const rows = new Rows(150);
  assert.deepEqual([await rows.sweep.round(), await rows.sweep.round(), await rows.sweep.round()], [100, 50, 0]);
  assert.deepEqual([rows.takes, rows.logged], [[MAX, MAX, MAX], []]);
});

test('a row that cannot be changed is logged once in a round, and left out of the next ones for a minute', async () => {
  const rows = new Rows(3);
  rows.break([0]);
  assert.equal(await rows.sweep.round(), 2);
  assert.deepEqual([rows.due, rows.logged], [[0], ['0']]);
  rows.clock.advance(59_999);
  assert.equal(await rows.sweep.round(), 0);
  assert.deepEqual(rows.logged, ['0']);
  rows.clock.advance(1);
  assert.equal(await rows.sweep.round(), 0);
  assert.deepEqual(rows.logged, ['0', '0']);
  rows.faults.clear();
  rows.clock.advance(60_000);
  assert.equal(await rows.sweep.round(), 1);
});

test('more rows that cannot be changed than a transaction has do not hold up the others', async () => {
  const rows = new Rows(260);
  rows.break(Array.from({ length: 250 }, (_, n) => n));
  for (let round = 0; round < 4; round++) await rows.sweep.round();
  assert.equal(rows.due.length, 250);
  assert.equal(rows.logged.length, 250);
});

test('a round fails when no rows can be read, or the database is not available', async () => {
  const rows = new Rows(3);
  rows.break([0], new DatabaseUnavailable(new Error('no connection')));
  await assert.rejects(rows.sweep.round(), DatabaseUnavailable);
  assert.deepEqual([rows.takes, rows.logged], [[MAX], []]);
  const change = () => Promise.reject(new Error('no such column'));
  const unreadable = rowSweep(
    { name: 'rows', environment: 'live', idle_ms: 1, max: MAX, change, failure: '' },
    {
      clock: rows.clock,
      log: {} as never,
    },
  );
  await assert.rejects(unreadable.round(), /no such column/);
});

test('a round ends at the second row that is not changed in time, so that it does not wait for each', async () => {
  const rows = new Rows(5);
  rows.break([0, 1, 2], Object.assign(new Error('canceled'), { code: '57014' }));
  await assert.rejects(rows.sweep.round(), /canceled/);
  assert.deepEqual([rows.due.length, rows.logged], [5, ['0', '1']]);
  assert.equal(await rows.sweep.round(), 2);
  assert.deepEqual(
    [rows.due, rows.logged],
    [
      [0, 1, 2],
      ['0', '1', '2'],
    ],
  );
  rows.faults.clear();
  rows.clock.advance(5_000);
  assert.equal(await rows.sweep.round(), 3, 'they are tried again soon');
});

test('a row that is found again unchanged is tried once in a round', async () => {
  const rows: number[][] = [];
  const change = async ({ limit, except, taken }: Take) => {
    const left = except.map(({ id }) => Number(id));
    const found = [0, 1, 2].filter((row) => !left.includes(row)).slice(0, limit);
    rows.push(found);
    taken(found.map((row) => ({ team_id: 1n, id: String(row) })));
    if (found.length > 1) throw new Error('two at once');
    return 0;
  };
  const sweep = rowSweep(
    { name: 'rows', environment: 'live', idle_ms: 1, max: 3, change, failure: '' },
    {
      clock: new FakeClock(),
      log: {} as never,
    },
  );
  assert.equal(await sweep.round(), 0);
  assert.deepEqual(rows, [[0, 1, 2], [0], [1], [2]]);
});

test('a row that was postponed is tried again although the clock was set back', async () => {
  const rows = new Rows(1);
  rows.break([0]);
  await rows.sweep.round();
  rows.faults.clear();
  rows.clock.advance(-3_600_000);
  assert.equal(await rows.sweep.round(), 1);
});
