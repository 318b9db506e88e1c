import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, mock, test } from 'node:test';
import { DatabaseClock, type TimeReading } from '../../src/platform/db/clock.ts';
import type { Log } from '../../src/kit/log.ts';

const EPOCH = 1_790_000_000_000;

// What a caller waits for does not keep a process alive.
const alive = setInterval(() => {}, 1_000);
after(() => clearInterval(alive));

/** A database, a machine and a network whose clocks the test moves. */
class Bench {
  /** Real time, in milliseconds. */
  real = 0;
  /** How far the database's, and the machine's own clock, are ahead of real time. */
  database_ahead = 0;
  machine_ahead = 0;
  /** What the monotonic clock did not count. */
  slept = 0;
  there_ms = 0;
  back_ms = 0;
  readings = 0;
  unreachable = false;
  /** Whether the database does not respond at all. */
  silent = false;
  lines: { level: string; message: string; fields: Record<string, number> }[] = [];

  readonly #line = (level: string) => (fields: Record<string, number>, message: string) =>
    this.lines.push({ level, message, fields });

  async open(): Promise<DatabaseClock> {
    return DatabaseClock.open({
      read: async () => (this.silent ? new Promise<never>(() => {}) : this.#read()),
      log: { warn: this.#line('warn'), info: this.#line('info'), debug: () => {} } as unknown as Log,
      system: { now: () => EPOCH + this.real + this.machine_ahead },
      monotonic: () => this.real - this.slept,
    });
  }

  database(): number {
    return EPOCH + this.real + this.database_ahead;
  }

  /** Lets the clock read the database's once, as it does each second. */
  async second(): Promise<void> {
    this.real += 1_000;
    mock.timers.tick(1_000);
    await settled();
  }

  #read(): TimeReading {
    this.readings++;
    if (this.unreachable) throw new Error('connection refused');
    this.real += this.there_ms;
    const now_ms = this.database();
    this.real += this.back_ms;
    return { now_ms, server_ms: now_ms, plain: true };
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

let bench: Bench;
beforeEach(() => {
  mock.timers.enable({ apis: ['setInterval'] });
  bench = new Bench();
});
afterEach(() => mock.timers.reset());

test('the time is that of the database, whatever the clock of the machine is', async () => {
  for (const ahead of [600_000, -600_000]) {
    bench.machine_ahead = ahead;
    const clock = await bench.open();
    bench.real += 400;
    assert.equal(clock.now(), bench.database());
    await bench.second();
    assert.equal(clock.now(), bench.database());
  }
});

test('a slow response does not make the time less accurate; a fast one makes it accurate to its round trip', async () => {
  [bench.there_ms, bench.back_ms] = [800, 0];
  const clock = await bench.open();
  assert.equal(clock.now(), bench.database() - 400 + 800, 'the middle of the only reading');
  [bench.there_ms, bench.back_ms] = [1, 1];
  await bench.second();
  const right = clock.now();
  assert.ok(Math.abs(right - bench.database()) <= 2, `${right - bench.database()} ms off`);
  [bench.there_ms, bench.back_ms] = [0, 1_500];
  await bench.second();
  assert.ok(Math.abs(clock.now() - bench.database()) <= 2, `${clock.now() - bench.database()} ms off`);
});

test('the time never runs backwards when the database corrects its clock slightly, and nothing is logged', async () => {
  const clock = await bench.open();
  bench.database_ahead = -700;
  const before = clock.now();
  await bench.second();
  const seen = [clock.now()];
  for (let i = 0; i < 10; i++) {
    bench.real += 100;
    seen.push(clock.now());
  }
  assert.ok(seen.every((now, i) => now >= (seen[i - 1] ?? before)));
  assert.equal(seen.at(-1), bench.database());
  assert.deepEqual(bench.lines, []);
});

for (const ahead of [3_600_000, -3_600_000]) {
  test(`after a failover to a clock ${ahead} ms apart, the time follows at the next reading, which is logged once`, async () => {
    const clock = await bench.open();
    clock.now();
    bench.database_ahead = ahead;
    await bench.second();
    await bench.second();
    assert.equal(clock.now(), bench.database());
    const told = bench.lines.filter(({ message }) => message.includes('was set'));
    assert.deepEqual(
      told.map(({ level, fields }) => [level, fields.by_ms]),
      [['warn', ahead]],
    );
  });
}

test('a process that was suspended reads the time again before it decides anything', async () => {
  const clock = await bench.open();
  assert.equal(clock.refresh(), undefined, 'a fresh reading needs no other');
  bench.real += 60_000;
  bench.database_ahead = -300_000;
  await clock.refresh();
  assert.equal(clock.now(), bench.database());
  assert.equal(clock.refresh(), undefined);
});

test('a machine that slept reads the time again, although its monotonic clock did not count the sleep', async () => {
  const clock = await bench.open();
  bench.real += 3_600_000;
  bench.slept = 3_600_000;
  assert.notEqual(clock.now(), bench.database());
  await clock.refresh();
  assert.equal(clock.now(), bench.database());
});

test('time advances while the database is unreachable, and all callers together query it once a second', async () => {
  const clock = await bench.open();
  bench.unreachable = true;
  for (let i = 0; i < 10; i++) await bench.second();
  const before = bench.readings;
  for (let i = 0; i < 10; i++) await clock.refresh();
  assert.equal(bench.readings, before);
  assert.equal(clock.now(), bench.database());
});

test('while the database is silent, callers wait for it once, not each of them', async () => {
  const clock = await bench.open();
  bench.silent = true;
  await bench.second();
  bench.real += 6_000;
  const waits = [];
  for (let i = 0; i < 5; i++) {
    const wait = clock.refresh();
    waits.push(wait !== undefined);
    await wait;
  }
  assert.deepEqual(waits, [true, false, false, false, false]);
  assert.equal(clock.now(), bench.database());
});

test("the machine's clock beside the database's: one line when they part, move further apart, and agree again", async () => {
  const clock = await bench.open();
  const levels = () => bench.lines.map(({ level, fields }) => [level, fields.skew_ms]);
  bench.machine_ahead = 1_900;
  for (let i = 0; i < 3; i++) await bench.second();
  assert.deepEqual(levels(), []);
  bench.machine_ahead = 600_000;
  for (let i = 0; i < 3; i++) await bench.second();
  assert.deepEqual(levels(), [['warn', 600_000]]);
  assert.equal(clock.skew_ms(), 600_000);
  bench.machine_ahead = -600_000;
  for (let i = 0; i < 3; i++) await bench.second();
  bench.machine_ahead = 5;
  for (let i = 0; i < 3; i++) await bench.second();
  assert.deepEqual(levels(), [
    ['warn', 600_000],
    ['warn', -600_000],
    ['info', 5],
  ]);
});
