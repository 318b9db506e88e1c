import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { waitFor } from '../../src/platform/db/embedded/wait.ts';
import { atEnd, isAlive, root, temporaryFolder } from '../db/helpers.ts';

/** Each run makes a server and templates of its own: half a minute on a busy machine. */
const RUN_MS = 180_000;

const HELPERS = pathToFileURL(path.join(root, 'test', 'db', 'helpers.ts')).href;

/** A test file that tells where its server keeps its data, then does what `rest` says. */
function testFile(t: TestContext, rest: string): string {
  const file = path.join(temporaryFolder(t), 'some.test.ts');
  const text = `import test from 'node:test';
    import { query } from '${HELPERS}';
    test('fixture', async () => {
      const [row] = await query(process.env.PIROGUE_TEST_SERVER, 'show data_directory');
      console.log('data in <' + row.data_directory + '> by <' + process.pid + '>');
      ${rest}
    });`;
  fs.writeFileSync(file, text);
  return file;
}

const PASS = '';
const FAIL = `throw new Error('on purpose');`;
const HANG = 'await new Promise((resolve) => setTimeout(resolve, 600_000));';

test('a passing run exits with 0 and prints its summary, and leaves nothing behind', async (t) => {
  const run = startRun(t, [testFile(t, PASS)], { CI: 'true' });
  assert.equal(await over(run), 0, run.text);
  assert.match(run.text, /✔ fixture.*ℹ pass 1\n.*ℹ fail 0\n.*ℹ duration_ms/s);
  assertNothingLeft(run);
});

test('a run that writes golden files instead of comparing them says so at the end', async (t) => {
  const said = /UPDATE_GOLDEN=1: golden files were written, not compared/;
  for (const [value, isSaid] of [
    ['1', true],
    ['0', false],
  ] as const) {
    const run = startRun(t, [testFile(t, PASS)], { UPDATE_GOLDEN: value });
    assert.equal(await over(run), 0, run.text);
    assert.equal(said.test(run.text.split('ℹ duration_ms')[1] ?? ''), isSaid, value);
  }
});

test('a failing test fails the run', async (t) => {
  const run = startRun(t, [testFile(t, FAIL)]);
  assert.equal(await over(run), 1);
  assert.match(run.text, /ℹ fail 1\n.*on purpose/s);
  assertNothingLeft(run);
});

test('a file that cannot be loaded fails the run, and the others run', async (t) => {
  const file = path.join(temporaryFolder(t), 'broken.test.ts');
  fs.writeFileSync(file, `import './missing.ts';`);
  const run = startRun(t, [file, testFile(t, PASS)]);
  assert.equal(await over(run), 1);
  assert.match(run.text, /✔ fixture/);
  assert.match(run.text, /✖ .*broken\.test\.ts.*Cannot find module .*missing\.ts/s);
});

test('a file that ends its process fails the run: its other tests and files were not run', async (t) => {
  const run = startRun(t, [testFile(t, 'process.exit(0);')]);
  assert.equal(await over(run), 1);
  assert.match(run.text, /some\.test\.ts ended the process before its tests were over/);
});

test('files that share a process run one after another, each with its own hooks', async (t) => {
  const folder = temporaryFolder(t);
  const files = Array.from({ length: 7 }, (_, i) => path.join(folder, `${i}.test.ts`));
  for (const [i, file] of files.entries()) {
    fs.writeFileSync(
      file,
      `import { after, before, test } from 'node:test';
      before(() => console.log('[${i} begins in ' + process.pid + ']'));
      test('one', async () => new Promise((resolve) => setTimeout(resolve, 20)));
      after(() => console.log('[${i} ends in ' + process.pid + ']'));`,
    );
  }
  const run = startRun(t, files);
  assert.equal(await over(run), 0, run.text);
  const said = [...run.text.matchAll(/\[(\d) (begins|ends) in (\d+)\]/g)].map(([, i, what, pid]) => ({ i, what, pid }));
  assert.equal(said.length, 14);
  const processes = Object.values(Object.groupBy(said, ({ pid }) => String(pid)));
  assert.ok(processes.length < files.length);
  for (const lines of processes) {
    for (const [at, { i, what }] of (lines ?? []).entries()) {
      assert.deepEqual([what, i], at % 2 === 0 ? ['begins', i] : ['ends', lines?.[at - 1]?.i]);
    }
  }
});

test('a test file that does not end fails the run', async (t) => {
  const file = testFile(t, 'setInterval(() => {}, 1000);');
  const run = startRun(t, [file], { PIROGUE_TEST_FILE_LIMIT_MS: '20000' });
  assert.equal(await over(run), 1);
  assert.match(run.text, /some\.test\.ts was not over after 20 s; still open: .*Timeout/);
  assertNothingLeft(run);
});

test('a file name pattern that matches no test is an error', async (t) => {
  const run = startRun(t, ['--only', 'no-such-test']);
  assert.equal(await over(run), 1);
  assert.match(run.text, /no test file has "no-such-test" in its name/);
});

test('a path without tests is an error', async (t) => {
  const folder = temporaryFolder(t);
  for (const path of [folder, `${folder}/missing.test.ts`]) {
    const run = startRun(t, [path]);
    assert.equal(await over(run), 1);
    assert.match(run.text, /no such test: /);
  }
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} during a run stops tests and server, and leaves nothing behind`, async (t) => {
    const run = await startHangingRun(t);
    run.child.kill(signal);
    assert.equal(await over(run), 1);
    assertNothingLeft(run);
  });
}

test('a run whose parent process dies stops', async (t) => {
  const run = await startHangingRun(t, ['sh', '-c', '"$@"; exit $?', 'sh']);
  run.child.kill('SIGKILL');
  assert.ok(await waitFor(() => !fs.existsSync(found(run).folder), RUN_MS));
  assert.ok(await waitFor(() => !isAlive(found(run).pid), RUN_MS));
});

test('what a run killed with SIGKILL left behind is removed by a later one', async (t) => {
  const killed = await startHangingRun(t);
  const { folder, server, pid } = found(killed);
  killed.child.kill('SIGKILL');
  assert.ok(await waitFor(() => !isAlive(server), RUN_MS), 'the server goes with the run');
  process.kill(pid, 'SIGKILL');
  const longAgo = new Date(Date.now() - 600_000);
  fs.utimesSync(folder, longAgo, longAgo);
  const next = startRun(t, [testFile(t, PASS)]);
  assert.equal(await over(next), 0, next.text);
  assert.equal(fs.existsSync(folder), false);
});

interface Run {
  child: ChildProcess;
  /** All it has said so far. */
  text: string;
}

function startRun(t: TestContext, args: string[], env: NodeJS.ProcessEnv = {}, under: string[] = []): Run {
  const command = [...under, process.execPath, 'scripts/test.ts', ...args];
  const child = spawn(command[0] as string, command.slice(1), { cwd: root, env: { ...process.env, ...env } });
  const run: Run = { child, text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      run.text += part;
    });
  }
  atEnd(t, () => child.kill('SIGKILL'));
  return run;
}

/** Its exit code, or the signal that ended it. */
async function over(run: Run): Promise<number | NodeJS.Signals | null> {
  const { child } = run;
  assert.ok(await waitFor(() => child.exitCode !== null || child.signalCode !== null, RUN_MS), run.text);
  return child.signalCode ?? child.exitCode;
}

async function startHangingRun(t: TestContext, under: string[] = []): Promise<Run> {
  const run = startRun(t, [testFile(t, HANG)], {}, under);
  assert.ok(await waitFor(() => /data in <.*> by/.test(run.text), RUN_MS), run.text);
  return run;
}

/** What the fixture told: the folder of the run, its server, and the process of the test file. */
function found(run: Run): { folder: string; pid: number; server: number } {
  const [, data = '', pid] = /data in <(.*)> by <(\d+)>/.exec(run.text) ?? [];
  assert.ok(data, run.text);
  const pidFile = path.join(data, 'postmaster.pid');
  const server = fs.existsSync(pidFile) ? Number.parseInt(fs.readFileSync(pidFile, 'utf8'), 10) : 0;
  return { folder: path.dirname(data), pid: Number(pid), server };
}

function assertNothingLeft(run: Run): void {
  const { folder, pid } = found(run);
  assert.equal(fs.existsSync(folder), false);
  assert.equal(isAlive(pid), false);
}
