import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OptionError, readOptions } from '../../scripts/soak/options.ts';
import { conclusionOf } from '../../scripts/soak/report.ts';
import { failuresOf, type Result } from '../../scripts/soak/run.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const LIMIT_MS = 540_000;

/** Time goes thirty times faster, so that payments end and retries are due within the seconds of a test. */
const SMALL = [
  '--minutes',
  '0.15',
  '--rate',
  '5',
  '--speed',
  '30',
  '--restart-every',
  '0.02',
  '--kills',
  'off',
  '--faults',
  'off',
];

test('a short soak samples every series, its books agree, and it leaves no file behind', { timeout: LIMIT_MS }, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'soak-test-'));
  fs.chmodSync(folder, 0o711); // PostgreSQL may run under another account
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const json = path.join(os.tmpdir(), `${path.basename(folder)}.json`);
  t.after(() => fs.rmSync(json, { force: true }));
  const args = ['scripts/soak.ts', ...SMALL, '--fsync', 'off', '--json', json];
  const run = promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder },
    timeout: LIMIT_MS,
  });
  // On a busy machine some requests may time out, which a soak reports as a failure.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  assert.match(stdout, /api\.heap_mb/);
  const { series, bounds, books, shop, restarts }: Result = JSON.parse(fs.readFileSync(json, 'utf8'));
  const names = new Set(series.map(({ name }) => name));
  const wanted = [
    'api.heap_mb',
    'worker.heap_mb',
    'queue.deliveries.late_s',
    'queue.fold.depth',
    'table.deliveries.mb',
    'worker.pool_busy',
  ];
  const measured = [...wanted, 'latency.create.p99_ms', 'bytes for each payment'];
  assert.deepEqual(
    measured.filter((name) => !names.has(name)),
    [],
  );
  const pools = bounds.find(({ name }) => name === 'connections that the pools allow');
  assert.ok(pools && pools.highest > 0 && pools.highest < 1, JSON.stringify(bounds));
  assert.ok(restarts.length > 0, 'nothing was restarted');
  assert.ok(shop.created > 0 && books.moved > 0 && books.received > shop.created, 'nothing was done');
  assert.deepEqual([books.differences, books.missing, books.wrong], [[], [], 0]);
  assert.deepEqual(fs.readdirSync(folder), []);
});

test('a soak that is stopped while it starts leaves nothing behind', { timeout: LIMIT_MS }, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'soak-test-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, ['scripts/soak.ts', ...SMALL, '--fsync', 'off'], { cwd: ROOT, env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (child.exitCode === null && fs.readdirSync(folder).length === 0) await sleep(10);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.deepEqual(fs.readdirSync(folder), []);
});

test('a run that is too short for a verdict does not claim that nothing grows', () => {
  assert.equal(conclusionOf([], ['flat', 'flat']), 'PASS');
  assert.match(conclusionOf([], ['flat', 'too short', 'too short']), /^PASS, but 2 of 3 series were too short/);
  assert.match(conclusionOf(['api.heap_mb grows'], ['grows', 'too short']), /^FAIL\n {2}api\.heap_mb grows$/);
});

test('invalid options are rejected with the name of the option', () => {
  assert.throws(() => readOptions(['--minutes', 'many']), /--minutes many/);
  assert.throws(() => readOptions(['--fsync', 'maybe']), /--fsync maybe: must be on or off/);
  assert.throws(() => readOptions(['--events-keep', '90']), /--events-keep 90/);
  assert.throws(() => readOptions(['--payments', '5']), OptionError);
  assert.equal(readOptions(['--help']), null);
});

test('a run of hours purges events during the run, and restarts each process several times', () => {
  const options = readOptions([]);
  assert.deepEqual([options?.minutes, options?.rate, options?.events_keep, options?.restart_every], [120, 100, '30m', 5]);
});

test('an answer that asks to try again fails a soak, unless a process was restarted shortly before', () => {
  const failures = (deferred_at_s: number[], unsent = 0, open = {}, lost_at_s: number[] = []) =>
    failuresOf({
      ...{ series: [], bounds: [], restarts: [{ at_s: 600, role: 'api', how: 'kill', stop_s: 0, start_s: 1 }] },
      shop: { deferred_at_s, lost_at_s, skipped: 0, errors: {} },
      books: { differences: [], missing: [], unsent, open, wrong: 0 },
    } as unknown as Result);
  assert.deepEqual(failures([600, 660]), []);
  assert.match(failures([500, 660, 700]).join(), /^2 answers of 5xx/);
  assert.match(failures([], 3).join(), /^3 webhooks and mails/);
  assert.deepEqual(failures([], 0, { attempts: 2 }), ['2 attempts were still open']);
  assert.deepEqual(failures([], 0, {}, [600, 660]), []);
  assert.match(failures([], 0, {}, [500, 660, 700]).join(), /^2 requests had no complete answer/);
});
