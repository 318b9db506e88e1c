import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { before, type TestContext } from 'node:test';
import { logTail } from '../../src/platform/db/embedded/log.ts';
import { waitFor } from '../../src/platform/db/embedded/wait.ts';
import { readPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { startEmbedded } from '../../src/platform/db/embedded.ts';
import {
  atEnd,
  childrenOf,
  clusterFolder,
  ended,
  gone,
  isAlive,
  makeSeed,
  type Owner,
  parentOf,
  query,
  SOON_MS,
  spawnOwner,
  startOwner,
  temporaryFolder,
} from './helpers.ts';

// Most tests are not about making a cluster.
before(makeSeed);

const linuxOnly = { skip: process.platform !== 'linux' && 'looks at processes through /proc' };

async function ownerWithRow(t: TestContext, dataDir: string): Promise<Owner> {
  const owner = await startOwner(t, dataDir, { durable: true });
  await query(owner.url, 'create table kept (n int)', 'insert into kept values (1)');
  return owner;
}

async function assertRowKept(t: TestContext, dataDir: string): Promise<Owner> {
  const owner = await startOwner(t, dataDir, { durable: true });
  assert.equal(owner.owned, true);
  assert.deepEqual(await query(owner.url, 'select n from kept'), [{ n: 1 }]);
  return owner;
}

test('kill -9 of the owner: the server stops by itself, and the data is there on the next start', async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  owner.child.kill('SIGKILL');
  assert.ok(await waitFor(() => !isAlive(owner.pid), SOON_MS));
  await assertRowKept(t, dataDir);
  assert.match(fs.readFileSync(path.join(dataDir, 'pg18.log.1'), 'utf8'), /received fast shutdown request/);
});

test('kill -9 of the owner: a start while the old server still runs succeeds', async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  owner.child.kill('SIGKILL');
  await assertRowKept(t, dataDir);
});

test('kill -9 of owner and watcher: the next start replaces the server left behind', linuxOnly, async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  killWatcher(owner);
  owner.child.kill('SIGKILL');
  await ended(owner.child);
  assert.equal(isAlive(owner.pid), true);
  const next = await assertRowKept(t, dataDir);
  assert.notEqual(next.pid, owner.pid);
  assert.ok(await gone(owner.pid));
});

test('kill -9 of all processes at once: the next start recovers every acknowledged row', linuxOnly, async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  await query(owner.url, 'create table busy (n int)');
  const acknowledged = countInserts(owner.url);
  await waitFor(() => acknowledged.count >= 50, SOON_MS);
  killWatcher(owner);
  owner.child.kill('SIGKILL');
  process.kill(owner.pid, 'SIGKILL');
  await acknowledged.over;
  const next = await assertRowKept(t, dataDir);
  const [row] = await query(next.url, 'select count(*)::int as n from busy');
  assert.ok((row?.n as number) >= acknowledged.count, `${row?.n} rows of ${acknowledged.count} acknowledged`);
  assert.match(fs.readFileSync(path.join(dataDir, 'pg18.log'), 'utf8'), /was not properly shut down/);
});

test('a server that ends by itself: its owner starts it again at the same address, and stops it in the end', async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  process.kill(owner.pid, 'SIGKILL');
  assert.deepEqual(await queryAgain(owner.url), [{ n: 1 }]);
  const { pid } = readPostmaster(path.join(dataDir, 'pg18')) as { pid: number };
  assert.notEqual(pid, owner.pid);
  await owner.tell('stop');
  assert.ok(await gone(pid));
});

test('a server that ends after its watcher was killed is started again as well', linuxOnly, async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  killWatcher(owner);
  await sleep(100);
  process.kill(owner.pid, 'SIGKILL');
  assert.deepEqual(await queryAgain(owner.url), [{ n: 1 }]);
});

test('a server that cannot start again is tried until it can', async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  const needed = path.join(dataDir, 'pg18', 'global', 'pg_control');
  fs.renameSync(needed, `${needed}.away`);
  process.kill(owner.pid, 'SIGKILL');
  const refused = () => logTail(path.join(dataDir, 'pg18')).split('pg_control').length > 2;
  assert.ok(await waitFor(refused, SOON_MS), 'it is not tried twice');
  fs.renameSync(`${needed}.away`, needed);
  assert.deepEqual(await queryAgain(owner.url), [{ n: 1 }]);
});

test('an owner that is asked to stop while its server cannot start again ends', async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await ownerWithRow(t, dataDir);
  fs.rmSync(path.join(dataDir, 'pg18', 'global', 'pg_control'));
  process.kill(owner.pid, 'SIGKILL');
  const refused = () => logTail(path.join(dataDir, 'pg18')).includes('pg_control');
  assert.ok(await waitFor(refused, SOON_MS));
  await owner.tell('stop');
  assert.equal(owner.child.exitCode, 0);
});

test('a stale pid file with the id of a live process of the same user does not prevent a start', async (t) => {
  const dataDir = clusterFolder(t);
  const pidFile = await crashedPidFile(t, dataDir);
  const { uid, gid } = fs.statSync(path.join(dataDir, 'pg18'));
  const foreign = spawn('sleep', ['600'], { uid, gid });
  atEnd(t, () => foreign.kill('SIGKILL'));
  fs.writeFileSync(path.join(dataDir, 'pg18', 'postmaster.pid'), pidFile.replace(/^\d+/, String(foreign.pid)));
  await assertRowKept(t, dataDir);
  assert.equal(foreign.exitCode ?? foreign.signalCode, null);
});

test('a stale pid file with the server of another DATA_DIR does not affect that server', async (t) => {
  const other = await startOwner(t, clusterFolder(t));
  const dataDir = clusterFolder(t);
  const pidFile = await crashedPidFile(t, dataDir);
  fs.writeFileSync(path.join(dataDir, 'pg18', 'postmaster.pid'), pidFile.replace(/^\d+/, String(other.pid)));
  await assertRowKept(t, dataDir);
  await query(other.url, 'select 1');
});

test('kill -9 during initdb: the next start creates the cluster', async (t) => {
  const dataDir = await killedInInitdb(t);
  const server = await startEmbedded({ dataDir, durable: false });
  atEnd(t, () => server.stop());
  await query(server.url('postgres'), 'select 1');
  assert.equal(isBeingMade(dataDir), false);
});

test('a folder of that name that is not a cluster is never deleted', async (t) => {
  const dataDir = temporaryFolder(t);
  fs.mkdirSync(path.join(dataDir, 'pg18'));
  fs.writeFileSync(path.join(dataDir, 'pg18', 'precious'), '');
  await assert.rejects(startEmbedded({ dataDir }), /holds files but no database/);
  assert.deepEqual(fs.readdirSync(path.join(dataDir, 'pg18')), ['precious']);
});

const isBeingMade = (dataDir: string) => fs.readdirSync(dataDir).some((name) => name.startsWith('pg18.initializing-'));

/** A DATA_DIR whose owner was killed while initdb ran. It may have finished before a slow test notices that it has begun: then another one. */
async function killedInInitdb(t: TestContext): Promise<string> {
  for (;;) {
    const dataDir = temporaryFolder(t);
    const finished = () => fs.existsSync(path.join(dataDir, 'pg18'));
    const child = spawnOwner(t, dataDir);
    assert.ok(await waitFor(() => isBeingMade(dataDir) || finished(), SOON_MS));
    child.kill('SIGKILL');
    await ended(child);
    if (!finished()) return dataDir;
  }
}

/** Reads the row as soon as the server accepts connections again. */
async function queryAgain(url: string): Promise<Record<string, unknown>[]> {
  const deadline = performance.now() + SOON_MS;
  for (;;) {
    const rows = await query(url, 'select n from kept').catch((error: unknown) => {
      if (performance.now() > deadline) throw error;
    });
    if (rows) return rows;
    await sleep(20);
  }
}

/** Ends the shell that would stop the server, and its helpers, before any of them can. */
function killWatcher(owner: Owner): void {
  const shell = parentOf(owner.pid) as number;
  const helpers = childrenOf(shell).filter((pid) => pid !== owner.pid);
  const watcher = [shell, ...helpers, ...helpers.flatMap(childrenOf)];
  for (const pid of watcher) process.kill(pid, 'SIGSTOP');
  for (const pid of watcher) process.kill(pid, 'SIGKILL');
}

/** Inserts row by row until the server dies. */
function countInserts(url: string): { count: number; over: Promise<void> } {
  const inserts = { count: 0, over: Promise.resolve() };
  const insert = async () => {
    for (;;) {
      await query(url, 'insert into busy values (1)');
      inserts.count += 1;
    }
  };
  inserts.over = insert().catch(() => {});
  return inserts;
}

/** The text of a postmaster.pid whose server has died, with the row in the cluster. */
async function crashedPidFile(t: TestContext, dataDir: string): Promise<string> {
  const owner = await ownerWithRow(t, dataDir);
  const text = fs.readFileSync(path.join(dataDir, 'pg18', 'postmaster.pid'), 'utf8');
  await owner.tell('stop');
  return text;
}
