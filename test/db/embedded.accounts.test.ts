import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { SHARED_HOME } from '../../src/platform/db/embedded/place.ts';
import { startEmbedded } from '../../src/platform/db/embedded.ts';
import { atEnd, isRoot, NOBODY, nobodySkip, query, startOwner, temporaryFolder } from './helpers.ts';

const asRoot = { skip: !isRoot && 'needs root' };
const asRootAndNobody = { skip: nobodySkip() };

test('root: the server runs as another user, which owns the cluster', asRoot, async (t) => {
  const dataDir = temporaryFolder(t);
  const server = await startEmbedded({ dataDir, durable: false });
  atEnd(t, () => server.stop());
  const { uid } = fs.statSync(path.join(dataDir, 'pg18'));
  assert.notEqual(uid, 0);
  assert.equal(fs.statSync(`/proc/${server.pid}`).uid, uid);
});

test('an ordinary user runs the server and stores everything in DATA_DIR', asRootAndNobody, async (t) => {
  const dataDir = temporaryFolder(t);
  fs.chownSync(dataDir, NOBODY, NOBODY);
  const owner = await startOwner(t, dataDir, { uid: NOBODY });
  assert.equal(fs.statSync(path.join(dataDir, 'pg18')).uid, NOBODY);
  await query(owner.url, 'create table kept (n int)');
  await owner.tell('stop');

  const asRootNow = await startEmbedded({ dataDir });
  atEnd(t, () => asRootNow.stop());
  await query(asRootNow.url('postgres'), 'select * from kept');
  assert.equal(fs.statSync(`/proc/${asRootNow.pid}`).uid, NOBODY, 'the owner of the cluster keeps it');
});

test('root, without a postgres account: another account is used', { skip: namespaceSkip() }, async (t) => {
  const folder = temporaryFolder(t);
  const accounts = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  const passwd = path.join(folder, 'passwd');
  fs.writeFileSync(passwd, accounts.filter((line) => !line.startsWith('postgres:')).join('\n'));
  const mount = `mount --bind ${passwd} /etc/passwd && exec "$@"`;
  const dataDir = path.join(folder, 'data');
  const owner = await startOwner(t, dataDir, { under: ['unshare', '-m', 'sh', '-c', mount, 'sh'] });
  await query(owner.url, 'select 1');
  await owner.tell('stop');
});

test('root, in a folder closed to others: the cluster is stored elsewhere, bound to this DATA_DIR', asRoot, async (t) => {
  const dataDir = path.join(temporaryFolder(t, 0o700), 'data');
  const homes = [await homeOfNew(t, dataDir)];
  const again = await startEmbedded({ dataDir, durable: false });
  await query(again.url('postgres'), 'select * from kept');
  await again.stop();

  fs.rmSync(dataDir, { recursive: true });
  homes.push(await homeOfNew(t, dataDir));
  assert.notEqual(homes[0], homes[1], 'a new DATA_DIR at the same place must not meet the old data');

  fs.rmSync(homes[1] as string, { recursive: true });
  await assert.rejects(startEmbedded({ dataDir }), /which is gone/);
});

test('root, after the folder of an existing cluster was closed: an error, not an empty database', asRoot, async (t) => {
  const folder = temporaryFolder(t);
  const dataDir = path.join(folder, 'data');
  await (await startEmbedded({ dataDir, durable: false })).stop();
  fs.chmodSync(folder, 0o700);
  await assert.rejects(startEmbedded({ dataDir }), /may not enter/);
});

/** Starts and stops a cluster with the table `kept`; the folder that it lives in, which goes with the test. */
async function homeOfNew(t: TestContext, dataDir: string): Promise<string> {
  const server = await startEmbedded({ dataDir, durable: false });
  const home = path.dirname(fs.realpathSync(path.join(dataDir, 'pg18')));
  atEnd(t, () => fs.rmSync(home, { recursive: true, force: true }));
  assert.equal(path.dirname(home), SHARED_HOME);
  await query(server.url('postgres'), 'create table kept (n int)');
  await server.stop();
  return home;
}

function namespaceSkip(): string | false {
  if (process.platform !== 'linux' || !isRoot) return 'needs root on Linux';
  return spawnSync('unshare', ['-m', 'true']).status !== 0 && 'mount namespaces are not allowed here';
}
