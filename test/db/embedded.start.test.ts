import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { before } from 'node:test';
import { waitFor } from '../../src/platform/db/embedded/wait.ts';
import { ensureDatabase, startEmbedded } from '../../src/platform/db/embedded.ts';
import { atEnd, clusterFolder, ended, gone, isAlive, makeSeed, query, SOON_MS, startOwner, temporaryFolder } from './helpers.ts';

// Most tests are not about making a cluster.
before(makeSeed);

const KEEP = 'create table kept (n int)';

test('a new DATA_DIR gets a cluster, and what is written there is there after a restart', async (t) => {
  const dataDir = path.join(temporaryFolder(t), 'not', 'yet', 'there');
  const first = await startEmbedded({ dataDir });
  await ensureDatabase(first, 'pirogue_live');
  await ensureDatabase(first, 'pirogue_live');
  await query(first.url('pirogue_live'), KEEP, 'insert into kept values (7)');
  await first.stop();
  await first.stop();
  assert.ok(await gone(first.pid));

  const second = await startEmbedded({ dataDir });
  atEnd(t, () => second.stop());
  assert.deepEqual(await query(second.url('pirogue_live'), 'select n from kept'), [{ n: 7 }]);
  assert.equal(second.data_dir, fs.realpathSync(dataDir));
});

test('a durable server keeps the durability settings of PostgreSQL, allows backups, and soon has statistics of new tables', async (t) => {
  const server = await startEmbedded({ dataDir: clusterFolder(t), settings: { work_mem: '8MB' } });
  atEnd(t, () => server.stop());
  const wanted = {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    wal_level: 'replica',
    max_connections: '176',
    max_locks_per_transaction: '256',
    autovacuum_naptime: '5s',
    max_wal_size: '4GB',
    server_encoding: 'UTF8',
    TimeZone: 'UTC',
    listen_addresses: '',
    work_mem: '8MB',
  };
  const names = Object.keys(wanted).map((name) => `'${name}'`);
  const rows = await query(
    server.url('postgres'),
    `select name, current_setting(name) as value from pg_settings where name in (${names})`,
  );
  assert.deepEqual(Object.fromEntries(rows.map(({ name, value }) => [name, value])), wanted);
});

test('the socket is closed to other users, and the log contains no values', async (t) => {
  const dataDir = clusterFolder(t);
  const server = await startEmbedded({ dataDir, durable: false });
  atEnd(t, () => server.stop());
  const folder = decodeURIComponent(new URL(server.url('postgres')).hostname);
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700);

  const insert = `insert into people values ('ada@example.com')`;
  const twice = query(server.url('postgres'), 'create table people (email text unique)', insert, insert);
  await assert.rejects(twice, { code: '23505' });
  const log = fs.readFileSync(path.join(dataDir, 'pg18.log'), 'utf8');
  assert.match(log, /ready to accept connections/);
  assert.doesNotMatch(log, /ada@example\.com|insert into/);
});

test('a second process of the same DATA_DIR connects and leaves the server to its owner', async (t) => {
  const dataDir = clusterFolder(t);
  const owner = await startOwner(t, dataDir);
  const joined = await startEmbedded({ dataDir });
  assert.equal(owner.owned, true);
  assert.equal(joined.owned, false);
  assert.equal(joined.pid, owner.pid);
  await query(joined.url('postgres'), KEEP);
  await joined.stop();
  assert.deepEqual(await query(owner.url, 'select count(*)::int as n from kept'), [{ n: 0 }]);
  await owner.tell('stop');
  assert.ok(await gone(owner.pid));
});

test('of four processes that start concurrently, one owns the server and all use it', async (t) => {
  const dataDir = temporaryFolder(t);
  const all = await Promise.all([1, 2, 3, 4].map(() => startOwner(t, dataDir)));
  assert.deepEqual(all.map((one) => one.owned).sort(), [false, false, false, true]);
  assert.equal(new Set(all.map((one) => one.pid)).size, 1);
  await Promise.all(all.map((one) => query(one.url, 'select 1')));
});

test('two DATA_DIRs have separate servers', async (t) => {
  const [a, b] = await Promise.all([startOwner(t, clusterFolder(t)), startOwner(t, clusterFolder(t))]);
  assert.notEqual(a.pid, b.pid);
  await query(a.url, KEEP);
  await assert.rejects(query(b.url, 'select * from kept'), { code: '42P01' });
  await a.tell('stop');
  await query(b.url, 'select 1');
});

test('a process that exits without a shutdown stops its server', async (t) => {
  const owner = await startOwner(t, clusterFolder(t));
  await owner.tell('leave');
  assert.ok(await waitFor(() => !isAlive(owner.pid), SOON_MS));
});

test('Ctrl-C reaches the whole process group, but the server runs until its owner has drained', async (t) => {
  const owner = await startOwner(t, clusterFolder(t));
  process.kill(-(owner.child.pid as number), 'SIGINT');
  assert.equal(await ended(owner.child), 0);
  assert.deepEqual(owner.lines.slice(1), ['drained']);
  assert.ok(await gone(owner.pid));
});

test('a setting that PostgreSQL rejects is reported with its error message', async (t) => {
  const dataDir = clusterFolder(t);
  const refused = startEmbedded({ dataDir, durable: false, settings: { shared_buffers: 'plenty' } });
  await assert.rejects(refused, /PostgreSQL did not start: .*invalid value for parameter "shared_buffers"/s);
  const server = await startEmbedded({ dataDir, durable: false });
  await server.stop();
});
