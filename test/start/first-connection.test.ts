import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { readConfig } from '../../src/platform/config/config.ts';
import { connectClient, DbClient } from '../../src/platform/db/client.ts';
import { openDatabases } from '../../src/program/start/databases.ts';
import { parsed, pirogue } from '../cli/command.ts';
import { freePort, until } from '../setup/api.ts';
import { asService, cloneDatabases, type Databases, emptyDatabases } from '../setup/databases.ts';
import { call, newFolder, startProgram } from '../ops/program.ts';

/** How a program starts when its database is not there yet, and as whom it works once it runs. */
const home = newFolder();
const SECRETS_KEY = randomBytes(32).toString('base64');
let databases: Databases;
before(async () => {
  databases = await cloneDatabases();
});
after(async () => {
  await databases.drop();
  fs.rmSync(home, { recursive: true, force: true });
});

test('a start without a database waits for it, says so once, and serves when it comes', async () => {
  const port = await freePort();
  const road = new URL(databases.control);
  const host = decodeURIComponent(road.hostname);
  const to: net.NetConnectOpts = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${road.port}` }
    : { host, port: Number(road.port) };
  const behind = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  const { control, sandbox, live, drop } = databases;
  const dataDir = path.join(home, 'late');
  const away = { control: behind(control), sandbox: behind(sandbox), live: behind(live), drop };
  const server = net.createServer((near) => {
    const far = net.connect(to);
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  let said = '';
  const starting = startProgram({
    dataDir,
    databases: away,
    listening: (text) => {
      said = text;
    },
  });
  await until(
    async () => said,
    (text) => text.includes('the database is not available yet'),
  );
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const program = await starting;
  try {
    assert.equal(program.log().split('the database is not available yet').length, 2, program.log());
  } finally {
    assert.equal(await program.stop(), 0);
    server.close();
  }
});

test('an installation whose service has a login of its own starts after migrate has run as the owner', async () => {
  const empty = await emptyDatabases();
  const dataDir = path.join(home, 'own-login');
  const urls = (as: (url: string) => string) => ({
    CONTROL_DATABASE_URL: as(empty.control),
    SANDBOX_DATABASE_URL: as(empty.sandbox),
    LIVE_DATABASE_URL: as(empty.live),
  });
  const env = { DATA_DIR: dataDir, PROFILE: 'production', SECRETS_KEY };
  const owner = `t_owner_${randomBytes(4).toString('hex')}`;
  const asOwner = (url: string) => Object.assign(new URL(url), { username: owner }).href;
  const administrator = await connectClient(empty.control);
  try {
    // As docs/scaling.md has it: an owner that is no superuser and may make no roles.
    const password = pg.escapeLiteral(new URL(empty.control).password);
    await administrator.query(`create role ${owner} login password ${password}`);
    await administrator.query(`grant pirogue_app, pirogue_all_teams to ${owner}`);
    for (const url of [empty.control, empty.sandbox, empty.live]) {
      await administrator.query(`alter database ${new URL(url).pathname.slice(1)} owner to ${owner}`);
    }
    const early = await pirogue(['doctor'], { ...env, ...urls(asService) });
    assert.equal(early.code, 1);
    const migrated = await pirogue(['migrate', '--json'], { ...env, ...urls(asOwner) });
    assert.ok(parsed(migrated).databases);
    const service = {
      ...empty,
      ...{ control: asService(empty.control), sandbox: asService(empty.sandbox), live: asService(empty.live) },
    };
    const program = await startProgram({ dataDir, databases: service, env: { ...env, MIGRATE_ON_START: 'off' } });
    assert.equal(await program.stop(), 0);
  } finally {
    await administrator.end();
    await empty.drop();
    const cleaner = await connectClient(databases.control);
    await cleaner.query(`drop role if exists ${owner}`);
    await cleaner.end();
  }
});

test('the service on the database under DATA_DIR is no superuser, and a statement that gives its role back has no rights left', async () => {
  const dataDir = path.join(home, 'embedded');
  fs.mkdirSync(dataDir, { mode: 0o711 });
  const program = await startProgram({ dataDir });
  const joined = await openDatabases(readConfig({ DATA_DIR: dataDir }));
  const owner = await connectClient(joined.urls.control);
  try {
    const made = await call(program.url, program.keys.sandbox.secret, 'POST', '/payments', {
      ...{ amount: 500, currency: 'XAF', phone: '+237650000000' },
    });
    assert.equal(made.status, 201);
    const { rows } = await owner.query<{ usename: string; usesuper: boolean }>(`
      select distinct a.usename, u.usesuper from pg_stat_activity a join pg_user u using (usename)
      where a.application_name = 'pirogue'`);
    assert.deepEqual(rows, [{ usename: 'pirogue_service', usesuper: false }]);
    const injected = new DbClient({ connectionString: joined.service_urls.sandbox, options: '-c role=pirogue_app' });
    await injected.connect();
    const attempt = (text: string) =>
      injected.query(text).then(
        () => 'done',
        (error: pg.DatabaseError) => error.code,
      );
    const DENIED = '42501';
    assert.equal(await attempt('delete from journals'), DENIED);
    assert.equal(await attempt(`select set_config('role', 'none', false)`), 'done');
    for (const table of ['payments', 'journals', 'customers'])
      assert.equal(await attempt(`select * from ${table}`), DENIED, table);
    assert.equal(await attempt('delete from journals'), DENIED);
    assert.equal(await attempt('set role pirogue'), DENIED);
    assert.equal(await attempt('set session authorization pirogue'), DENIED);
    assert.equal(await attempt(`alter role pirogue_service superuser`), DENIED);
    assert.equal(await attempt(`copy (select 1) to program 'true'`), DENIED);
    await injected.end();
  } finally {
    await owner.end();
    await program.stop();
    await joined.stop();
  }
});
