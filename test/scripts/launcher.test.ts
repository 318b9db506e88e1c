import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { waitFor } from '../../src/platform/db/embedded/wait.ts';
import { atEnd, ended, isAlive, root, SOON_MS, temporaryFolder } from '../db/helpers.ts';

/** Says how it was started, then does as its first argument says. */
const PROGRAM = `
const [act] = process.argv.slice(2);
if (act === 'stay') {
  setTimeout(() => {}, 60_000);
  process.on('SIGTERM', () => { console.log('told'); process.exit(3); });
}
console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), caller: process.env.INIT_CWD,
  compiled: process.env.NODE_COMPILE_CACHE, node: process.execPath, path: process.env.PATH.split(':')[0], pid: process.pid }));
if (act === 'exit') process.exit(7);
if (act === 'abort') process.kill(process.pid, 'SIGKILL');
`;

const LOCKFILE = {
  packages: {
    '': {},
    'node_modules/tool': { version: '1.0.0' },
    'node_modules/tester': { version: '1.0.0', dev: true },
    'node_modules/elsewhere': { version: '1.0.0', optional: true },
  },
};

test('a fresh checkout installs once, with what tests need, then runs the pinned Node', async (t) => {
  const checkout = newCheckout(t);
  const env = { NODE_ENV: 'production', npm_config_ignore_scripts: 'true' };
  const first = await launch(t, checkout, ['one', 'two words'], env);
  const second = await launch(t, checkout, ['exit']);
  assert.equal(first.end, 0);
  assert.deepEqual(first.said?.args, ['one', 'two words']);
  assert.equal(first.said?.cwd, checkout);
  assert.match(first.said?.path ?? '', /node_modules\/node-[a-z0-9-]+\/bin$/);
  assert.equal(first.said?.compiled, path.join(checkout, '.cache', 'compiled'));
  assert.equal(second.end, 7);
  assert.deepEqual(npmCalls(checkout), [
    'ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund --loglevel=error',
  ]);
});

test('a folder for compiled sources that the environment names is used', async (t) => {
  const elsewhere = path.join(temporaryFolder(t), 'compiled');
  const { said } = await launch(t, newCheckout(t), ['one'], { NODE_COMPILE_CACHE: elsewhere });
  assert.equal(said?.compiled, elsewhere);
});

test('the service is started with the flags that keep its memory small, and without a cache that Node keeps in memory', async (t) => {
  const checkout = newCheckout(t);
  const { flags, env } = JSON.parse(fs.readFileSync(path.join(checkout, 'scripts', 'run', 'service.json'), 'utf8'));
  fs.mkdirSync(path.join(checkout, 'src'));
  fs.writeFileSync(
    path.join(checkout, 'src', 'main.ts'),
    `const { MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, NODE_COMPILE_CACHE = null } = process.env as Record<string, string>;
     console.log(JSON.stringify({ args: process.argv.slice(2), flags: process.execArgv, env: { MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_ }, compiled: NODE_COMPILE_CACHE }));`,
  );
  const child = spawn(process.execPath, [path.join(checkout, 'scripts', 'run.mjs'), 'src/main.ts', 'api'], {
    env: environment({ NODE_COMPILE_CACHE: path.join(checkout, 'compiled') }),
  });
  const { end, said } = await outcome(child);
  assert.equal(end, 0);
  assert.deepEqual(said as unknown, { args: ['api'], flags, env, compiled: null });
  assert.equal(fs.readdirSync(path.join(checkout, '.cache', 'stripped')).length, 1);
});

test('two concurrent starts install once, and both run', async (t) => {
  const checkout = newCheckout(t);
  const slowly = { NPM_DOES: 'dawdle' };
  const both = await Promise.all(['a', 'b'].map((name) => launch(t, checkout, [name], slowly)));
  assert.deepEqual(
    both.map((one) => one.said?.args),
    [['a'], ['b']],
  );
  assert.equal(npmCalls(checkout).length, 1);
  assert.equal(fs.existsSync(path.join(checkout, '.setup.lock')), false);
});

test('a failed install prints what to do, and runs nothing', async (t) => {
  const checkout = newCheckout(t);
  const failed = await launch(t, checkout, ['one'], { NPM_DOES: 'fail' });
  assert.equal(failed.end, 1);
  assert.equal(failed.said, undefined);
  assert.match(failed.errors, /could not be installed.*\n.*offline/);
  assert.doesNotMatch(failed.errors, /^\s+at /m);
});

test('a missing npm is reported', async (t) => {
  const failed = await launch(t, newCheckout(t), ['one'], { npm_execpath: '', PATH: '/nowhere' });
  assert.equal(failed.end, 1);
  assert.match(failed.errors, /npm could not be run/);
});

test('a killed install is repaired by the next run', async (t) => {
  const checkout = newCheckout(t);
  const killed = startLauncher(t, checkout, ['one'], { NPM_DOES: 'hang' });
  assert.ok(await waitFor(() => fs.existsSync(path.join(checkout, 'node_modules', 'tool')), SOON_MS));
  killGroup(killed);
  await ended(killed);
  // The lock cannot become old: that its process is dead has to be enough.
  const later = new Date(Date.now() + 3_600_000);
  fs.utimesSync(path.join(checkout, '.setup.lock'), later, later);
  const next = await launch(t, checkout, ['one']);
  assert.equal(next.end, 0);
});

test('SIGTERM during the install also ends npm, and runs nothing', async (t) => {
  const checkout = newCheckout(t);
  const told = startLauncher(t, checkout, ['one'], { NPM_DOES: 'hang' });
  assert.ok(await waitFor(() => fs.existsSync(path.join(checkout, 'node_modules', 'tool')), SOON_MS));
  told.kill('SIGTERM');
  assert.equal(await ended(told), 'SIGTERM');
  assert.equal(fs.existsSync(path.join(checkout, '.setup.lock')), false);
});

test('a stale lock is taken over even if its pid now belongs to another process', async (t) => {
  const checkout = newCheckout(t);
  const lock = path.join(checkout, '.setup.lock');
  fs.writeFileSync(lock, String(process.pid));
  const longAgo = new Date(Date.now() - 60_000);
  fs.utimesSync(lock, longAgo, longAgo);
  assert.equal((await launch(t, checkout, ['one'])).end, 0);
});

test('a manual install is accepted, also without development tools', async (t) => {
  const checkout = newCheckout(t);
  await launch(t, checkout, ['one']);
  const receipt = path.join(checkout, 'node_modules', '.package-lock.json');
  fs.writeFileSync(receipt, JSON.stringify({ packages: { 'node_modules/tool': { version: '1.0.0' } } }));
  assert.equal((await launch(t, checkout, ['one'])).end, 0);
  assert.equal(npmCalls(checkout).length, 1);
});

for (const [what, change] of [
  ['another version', (checkout: string) => writeLockfile(checkout, '1.0.1')],
  ['a missing folder', (checkout: string) => fs.rmdirSync(path.join(checkout, 'node_modules', 'tool'))],
] as const) {
  test(`${what} is reinstalled`, async (t) => {
    const checkout = newCheckout(t);
    await launch(t, checkout, ['one']);
    change(checkout);
    assert.equal((await launch(t, checkout, ['one'])).end, 0);
    assert.equal(npmCalls(checkout).length, 2);
  });
}

test('SIGTERM is passed to the program, and its exit code is returned', async (t) => {
  const launcher = startLauncher(t, newCheckout(t), ['stay']);
  const output = collect(launcher);
  assert.ok(await waitFor(() => output.text.includes('\n'), SOON_MS));
  launcher.kill('SIGTERM');
  assert.equal(await ended(launcher), 3);
  assert.match(output.text, /told/);
});

test('a program ended by a signal ends the launcher with the same signal', async (t) => {
  assert.equal((await launch(t, newCheckout(t), ['abort'])).end, 'SIGKILL');
});

test('a signal to the npm process is passed to the program', async (t) => {
  const checkout = newCheckout(t);
  const run = `${process.execPath} scripts/run.mjs program.mjs stay; exit $?`;
  const shell = spawn('sh', ['-c', run], {
    cwd: checkout,
    env: environment({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(shell);
  assert.ok(await waitFor(() => output.text.includes('\n'), SOON_MS));
  const { pid } = JSON.parse(output.text) as { pid: number };
  shell.kill('SIGTERM');
  atEnd(t, () => isAlive(pid) && process.kill(pid, 'SIGKILL'));
  assert.ok(await waitFor(() => !isAlive(pid) && output.text.includes('told'), SOON_MS));
});

test('the pirogue command runs from any folder, also through a symbolic link', async (t) => {
  const checkout = newCheckout(t);
  const elsewhere = temporaryFolder(t);
  fs.mkdirSync(path.join(checkout, 'src', 'program', 'cli'), { recursive: true });
  fs.renameSync(path.join(checkout, 'program.mjs'), path.join(checkout, 'src', 'program', 'cli', 'main.ts'));
  fs.symlinkSync(path.join(checkout, 'scripts', 'pirogue.mjs'), path.join(elsewhere, 'pirogue'));
  const env = environment({ INIT_CWD: '/of/the/npm/script/that/calls/it' });
  const child = spawn(path.join(elsewhere, 'pirogue'), ['keys', 'list'], { cwd: elsewhere, env });
  const { end, said } = await outcome(child);
  assert.equal(end, 0);
  assert.deepEqual([said?.args, said?.cwd, said?.caller], [['keys', 'list'], checkout, elsewhere]);
});

interface Said {
  compiled: string;
  args: string[];
  cwd: string;
  caller?: string;
  path: string;
}

function newCheckout(t: TestContext): string {
  const checkout = temporaryFolder(t);
  fs.cpSync(path.join(root, 'scripts'), path.join(checkout, 'scripts'), { recursive: true });
  fs.writeFileSync(path.join(checkout, 'program.mjs'), PROGRAM);
  fs.writeFileSync(path.join(checkout, 'package.json'), '{"type":"module"}');
  writeLockfile(checkout, '1.0.0');
  return checkout;
}

function writeLockfile(checkout: string, version: string): void {
  const packages = { ...LOCKFILE.packages, 'node_modules/tool': { version } };
  fs.writeFileSync(path.join(checkout, 'package-lock.json'), JSON.stringify({ packages }));
}

function environment(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const npm = {
    npm_execpath: path.join(root, 'test', 'scripts', 'fake-npm-cli.js'),
    npm_node_execpath: process.execPath,
  };
  const { NODE_COMPILE_CACHE: _, ...ours } = process.env;
  return { ...ours, ...npm, ...extra };
}

function startLauncher(t: TestContext, checkout: string, args: string[], extra: NodeJS.ProcessEnv = {}): ChildProcess {
  const script = path.join(checkout, 'scripts', 'run.mjs');
  const options = { cwd: '/', env: environment(extra), detached: true };
  const child = spawn(process.execPath, [script, 'program.mjs', ...args], options);
  atEnd(t, () => killGroup(child));
  return child;
}

function killGroup(leader: ChildProcess): void {
  try {
    process.kill(-(leader.pid as number), 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function launch(t: TestContext, checkout: string, args: string[], extra: NodeJS.ProcessEnv = {}) {
  return outcome(startLauncher(t, checkout, args, extra));
}

async function outcome(child: ChildProcess) {
  const output = collect(child);
  const end = await ended(child);
  const line = output.text.split('\n')[0];
  return { end, said: line ? (JSON.parse(line) as Said) : undefined, errors: output.errors };
}

function collect(child: ChildProcess): { text: string; errors: string } {
  const output = { text: '', errors: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    output.text += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    output.errors += part;
  });
  return output;
}

function npmCalls(checkout: string): string[] {
  return fs.readFileSync(path.join(checkout, 'npm-calls'), 'utf8').trim().split('\n');
}
