// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { findPlace, unfinishedRestore } from '../../src/platform/db/embedded/place.ts';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';
import { isRoot, NOBODY, nobodySkip } from '../db/helpers.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { freePort, until } from '../setup/api.ts';
import { cloneDatabases } from '../setup/databases.ts';

const running: Program[] = [];
const folders: string[] = [];
after(async () => {
  await Promise.all(running.map((program) => program.stop()));
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = newFolder();
  folders.push(made);
  return made;
}

async function start(options: Parameters<typeof startProgram>[0]): Promise<Program> {
  const program = await startProgram(options);
  running.push(program);
  return program;
}

/** Creating the database takes longer than the rest of a test: those that need one use this folder in turn. */
const shared = folder();

const ORDER = { amount: 500, currency: 'XAF', phone: '+237650000000' };
const keysFile = (dataDir: string) => fs.readFileSync(path.join(dataDir, 'keys.json'), 'utf8');
const lists = async ({ url, keys }: Program) => (await call(url, keys.sandbox.secret, 'GET', '/payments')).status;

/** Starts a program that is expected to end by itself. */
async function refused(dataDir: string, env: Record<string, string> = {}, user: { uid?: number; gid?: number } = {}) {
  const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');
  const ended = spawnSync(process.execPath, [main], {
    env: { ...COMPILE_CACHE, PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(await freePort()), ...env },
    encoding: 'utf8',
    timeout: 180_000,
    ...user,
  });
  return { code: ended.status, stdout: ended.stdout, stderr: ended.stderr };
}

test('what only the operator can put right is one line, without a stack', async () => {
  const [filled, interrupted, blocked] = [folder(), folder(), path.join(folder(), 'file')];
  fs.mkdirSync(path.join(filled, 'pg18'));
  fs.writeFileSync(path.join(filled, 'pg18', 'precious'), '');
  fs.writeFileSync(unfinishedRestore(findPlace(interrupted)), '');
  fs.writeFileSync(blocked, '');
  const databases = await cloneDatabases();
  const nowhere = Object.assign(new URL(databases.control), { pathname: '/no_such_database' }).href;
  const urls = { CONTROL_DATABASE_URL: nowhere, SANDBOX_DATABASE_URL: databases.sandbox, LIVE_DATABASE_URL: databases.live };
  const starts: [dataDir: string, message: RegExp, env?: Record<string, string>][] = [
    [filled, /^pirogue: .*pg18 holds files but no database: move them away\n$/],
    [interrupted, /^pirogue: a restore to .* was interrupted: run "pirogue restore" again, .*\n$/],
    [path.join(blocked, 'data'), /^pirogue: DATA_DIR .* cannot be created: .*\n$/],
    [folder(), /^pirogue: the database cannot be used: there is no database of that name\n$/, urls],
  ];
  try {
    for (const [dataDir, message, env] of starts) {
      const { code, stderr } = await refused(dataDir, env);
      assert.match(stderr, message);
      assert.equal(code, 1);
    }
  } finally {
    await databases.drop();
  }
});

// Root may write everywhere, and becomes nobody.
test('a DATA_DIR that this user may not write to is one line as well', { skip: isRoot && nobodySkip() }, async () => {
  const dataDir = folder();
  fs.chmodSync(dataDir, 0o555);
  const { code, stderr } = await refused(dataDir, {}, isRoot ? { uid: NOBODY, gid: NOBODY } : {});
  fs.chmodSync(dataDir, 0o700);
  assert.match(stderr, /^pirogue: cannot lock .*service\.lock: .*\n$/);
  assert.equal(code, 1);
});

test('a second start on a DATA_DIR in use is refused in one line that names the process, and changes nothing', async () => {
  const dataDir = shared;
  const first = await start({ dataDir });
  const before = keysFile(dataDir);
  const { code, stdout, stderr } = await refused(dataDir);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  const port = new URL(first.url).port;
  assert.match(stderr, new RegExp(`^pirogue: DATA_DIR ${dataDir} is in use by process ${first.child.pid} .*port ${port}.*\\n$`));
  assert.match(stderr, /stop it, or set another DATA_DIR/);
  assert.equal(keysFile(dataDir), before);
  assert.equal(await lists(first), 200);

  const api = await start({ role: 'api', dataDir });
  const worker = await start({ role: 'worker', dataDir });
  assert.equal(keysFile(dataDir), before, 'roles beside it leave keys.json alone');
  assert.equal((await call(api.url, first.keys.sandbox.secret, 'POST', '/payments', ORDER)).status, 201);
  await Promise.all([api.stop(), worker.stop()]);
  assert.equal(await lists(first), 200);
  await first.stop();
});

test('a start waits for a process that is shutting down, and takes its place', async () => {
  const dataDir = shared;
  const first = await start({ dataDir, env: { DRAIN_MS: '4000' } });
  const stopped = first.stop();
  await until(
    async () => fs.readFileSync(path.join(dataDir, 'service.json'), 'utf8'),
    (note) => note.includes('"leaving":true'),
  );
  const second = await start({ dataDir });
  assert.equal(await stopped, 0);
  assert.equal(await lists(second), 200);
  assert.equal(second.keys.base_url, second.url);
  await second.stop();
});

test('a start after a killed one takes its place, whatever the killed one left behind', async () => {
  const dataDir = shared;
  const first = await start({ dataDir });
  const exited = new Promise((resolve) => first.child.once('exit', resolve));
  first.child.kill('SIGKILL');
  await exited;
  const second = await start({ dataDir });
  assert.equal(await lists(second), 200);
  assert.equal(second.keys.base_url, second.url);
});

test('processes on external databases share a DATA_DIR, and keys.json keeps the address of the first', async () => {
  const databases = await cloneDatabases();
  const dataDir = folder();
  try {
    const first = await start({ dataDir, databases });
    const second = await start({ dataDir, databases });
    assert.equal(first.keys.base_url, first.url);
    assert.equal(await lists(second), 200);
    await first.stop();
    const third = await start({ dataDir, databases });
    assert.equal(third.keys.base_url, third.url, 'the first has ended');
    await Promise.all([second.stop(), third.stop()]);
  } finally {
    await databases.drop();
  }
});
