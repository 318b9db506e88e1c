import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sparkline } from '../../scripts/soak/report.ts';
import type { Sample } from '../../scripts/soak/sample.ts';
import { connectionShare, deadRows, judgeAll, warmupSeconds } from '../../scripts/soak/series.ts';

const WARMUP_S = warmupSeconds(120);

/** Two hours of samples; both processes are restarted every ten minutes in the last third. */
function samples(values: (at_s: number, age_s: number) => Record<string, number>): Sample[] {
  return Array.from({ length: 720 }, (_, i) => {
    const at_s = i * 10;
    const life = Math.max(0, Math.floor((at_s - 4_200) / 600));
    const age_s = life > 0 ? at_s - 4_200 - life * 600 : at_s;
    return { at_s, values: values(at_s, age_s), lives: { api: life, worker: life } };
  });
}

function verdicts(all: Sample[]): Record<string, string> {
  return Object.fromEntries(judgeAll(all, [], WARMUP_S).map(({ name, judged }) => [name, judged.verdict]));
}

test('memory that every restart frees is judged in the longest life of its process, after the warm-up', () => {
  const warming = (age_s: number) => 60 + Math.min(age_s, 1_800) / 30;
  const found = verdicts(
    samples((_, age_s) => ({ 'api.heap_mb': warming(age_s), 'worker.heap_mb': warming(age_s) + age_s / 100 })),
  );
  assert.deepEqual(found, { 'api.heap_mb': 'flat', 'worker.heap_mb': 'grows' });
});

test('the database may grow with the payments, but not faster and faster', () => {
  const size = (each: (at_s: number) => number) =>
    samples((at_s) => ({ 'payments.inserted': at_s * 100, 'db.size_mb': (at_s * 100 * each(at_s)) / 2 ** 20 }));
  assert.deepEqual(verdicts(size(() => 6_000)), { 'bytes for each payment': 'flat' });
  assert.deepEqual(verdicts(size((at_s) => 6_000 + at_s / 2)), { 'bytes for each payment': 'grows' });
});

test('the share of dead rows is bounded in large tables; small ones and the queue are judged by their size', () => {
  const table = (name: string, rows: number, dead: number) => ({ [`table.${name}.rows`]: rows, [`table.${name}.dead`]: dead });
  const all = samples(() => ({
    ...table('payments', 10_000, 9_000),
    ...table('accounts', 10, 90),
    ...table('deliveries', 9_000, 90_000),
  }));
  const [bound, ...others] = deadRows(all, WARMUP_S);
  assert.deepEqual(others, []);
  assert.equal(bound?.name, 'dead rows of payments');
  assert.ok(bound.highest > bound.bound);
});

test('dead rows that are gone within a minute are not those of a table that vacuum does not keep up with', () => {
  const dying = (dead_s: number) =>
    samples((at_s) => ({
      'table.search_postings.rows': 8_000,
      'table.search_postings.dead': at_s >= 3_000 && at_s <= 3_000 + dead_s ? 20_000 : 0,
    }));
  const highest = (dead_s: number) => deadRows(dying(dead_s), WARMUP_S)[0]?.highest;
  assert.equal(highest(0), 0);
  assert.equal(highest(50), 0);
  assert.equal(highest(60), 20_000 / 28_000);
});

test('connections may come and go within what the pools allow; those in use may not grow', () => {
  const with_connections = (busy: (at_s: number) => number, connections: number) =>
    samples((at_s) => ({
      'worker.pool_most': 48,
      'api.pool_most': 48,
      'worker.pool_busy': busy(at_s),
      'db.connections': connections,
    }));
  const steady = with_connections(() => 12, 70);
  assert.deepEqual(verdicts(steady), { 'worker.pool_busy': 'flat' });
  assert.deepEqual(verdicts(with_connections((at_s) => 12 + at_s / 900, 70)), { 'worker.pool_busy': 'grows' });
  const exceeds = (all: Sample[]) => connectionShare(all).map(({ highest, bound }) => highest > bound);
  assert.deepEqual([exceeds(steady), exceeds(with_connections(() => 12, 113)), exceeds([])], [[false], [true], []]);
});

test('a sparkline shows the course of a series', () => {
  const points = Array.from({ length: 240 }, (_, i) => ({ at_s: i, value: i < 120 ? 1 : 8 }));
  assert.equal(sparkline(points), '▁'.repeat(12) + '█'.repeat(12));
  assert.equal(sparkline([]), '');
});
