import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { freePort, startApi, until } from '../setup/api.ts';

/** Two processes on the same databases, each on a machine whose clock the test sets. */
const SKEWED = path.join(import.meta.dirname, '..', 'clock', 'skewed.ts');
const WAIT_MS = 30_000;
/** As pino writes it. */
const WARN = 40;
const dataDir = newFolder();
const api = await startApi({ workers: false });

interface Node extends Program {
  metrics: number;
  /** Sets its machine's clock: seconds ahead of the true time. */
  set(ahead_s: number): void;
}

let one: Node;
let other: Node;

async function startNode(name: string): Promise<Node> {
  const file = path.join(dataDir, `${name}.ahead`);
  const set = (ahead_s: number) => fs.writeFileSync(file, String(ahead_s * 1_000));
  set(0);
  const metrics = await freePort();
  const program = await startProgram({
    ...{ role: 'api', dataDir, databases: { ...api.databases, drop: async () => {} } },
    env: { NODE_OPTIONS: `--import=${SKEWED}`, CLOCK_AHEAD_FILE: file, METRICS_PORT: String(metrics) },
  });
  return Object.assign(program, { metrics, set });
}

before(async () => {
  one = await startNode('one');
  other = await startNode('other');
});
after(async () => {
  await Promise.all([one?.stop(), other?.stop()]);
  await api.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function readinessOf(node: Node) {
  const { status, body } = await call(node.url, '', 'GET', '/health/ready');
  return { status, clock: body.checks.clock as string | undefined, skew_s: body.details.clock.skew_ms / 1_000 };
}

/** A reading is exact to half of its round trip, of at most two seconds. */
const isAbout = (skew_s: number, wanted_s: number) => Math.abs(skew_s - wanted_s) <= 1;

/** Waits until a node reports this skew with this status. */
async function untilReports(node: Node, status: number, wanted_s: number) {
  const isWanted = (found: Awaited<ReturnType<typeof readinessOf>>) => found.status === status && isAbout(found.skew_s, wanted_s);
  return until(() => readinessOf(node), isWanted, WAIT_MS);
}

async function checkMetric(node: Node, wanted_s: number): Promise<void> {
  const text = await (await fetch(`http://127.0.0.1:${node.metrics}/metrics`)).text();
  const [line, skew_s] = /^pirogue_clock_skew_seconds (\S+)$/m.exec(text) ?? [];
  assert.ok(isAbout(Number(skew_s), wanted_s), `metric: ${line}`);
}

const warningsOf = (node: Node) =>
  node
    .log()
    .split('\n')
    .filter((line) => line.includes('"skew_ms"'))
    .map((line) => JSON.parse(line) as { level: number; skew_ms: number; msg: string });

test('a clock that is five seconds wrong is reported, and the node serves on', async () => {
  await untilReports(one, 200, 0);
  assert.deepEqual(warningsOf(one), []);
  one.set(5);
  await untilReports(one, 200, 5);
  await checkMetric(one, 5);
  const [warning, ...more] = warningsOf(one);
  assert.deepEqual(more, []);
  assert.match(warning?.msg ?? '', /this machine's clock and the database's differ/);
  assert.equal(warning?.level, WARN);
});

test('a node whose clock is a minute wrong, either way, takes itself out while the other one agrees with the database', async () => {
  for (const ahead_s of [60, -60]) {
    one.set(ahead_s);
    const { clock } = await untilReports(one, 503, ahead_s);
    const [, wrong_by] = /^wrong by (-?\d+) s$/.exec(clock ?? '') ?? [];
    assert.ok(isAbout(Number(wrong_by), ahead_s), `readiness: ${clock}`);
    const sound = await readinessOf(other);
    assert.deepEqual([sound.status, sound.clock], [200, undefined]);
  }
});

test('nobody leaves when both differ from the database: then its clock is the wrong one', async () => {
  one.set(60);
  await untilReports(one, 503, 60);
  other.set(60);
  await untilReports(other, 200, 60);
  await untilReports(one, 200, 60);
  assert.equal((await readinessOf(other)).status, 200);
});

test('a node whose clock was set right comes back by itself, and says so', async () => {
  other.set(0);
  await untilReports(one, 503, 60);
  one.set(0);
  await untilReports(one, 200, 0);
  await checkMetric(one, 0);
  assert.match(warningsOf(one).at(-1)?.msg ?? '', /agree again/);
});
