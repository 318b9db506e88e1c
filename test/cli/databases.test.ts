import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readyPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/platform/db/embedded.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { freePort } from '../setup/api.ts';
import { type CommandLine, makeFolder, openCommandLine, parsed, pirogue } from './command.ts';

const AWA = ['teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example', '--json'];

describe('configured databases', () => {
  let cli: CommandLine;
  before(async () => {
    cli = await openCommandLine();
  });
  after(() => cli.close());

  test('nothing is migrated when they are up to date', async () => {
    assert.deepEqual(await cli.json('migrate'), {
      databases: [
        { name: 'control', applied: [] },
        { name: 'sandbox', applied: [] },
        { name: 'live', applied: [] },
      ],
    });
  });

  for (const [command, database] of [
    [['teams', 'list'], 'control'],
    [['secrets', 'status'], 'live'],
  ] as const) {
    test(`${command.join(' ')} does not migrate them when ${database} is behind`, async () => {
      const db = openPool({ url: cli.databases[database], size: 1, log: createLog({ level: 'silent', format: 'json' }) });
      const newest = await db.maybe<{ name: string }>(sql`
        delete from schema_migrations where name = (select max(name) from schema_migrations) returning name`);
      const { code, stderr } = await cli.run(...command);
      const { count } = (await db.maybe<{ count: bigint }>(
        sql`select count(*) from schema_migrations where name = ${newest?.name}`,
      )) as { count: bigint };
      await db.run(sql`insert into schema_migrations (name, run_on) values (${newest?.name}, now())`);
      await db.close();
      assert.deepEqual([code, Number(count)], [1, 0]);
      assert.match(stderr, new RegExp(` lacks ${newest?.name}. Run "pirogue migrate" first.\n$`));
    });
  }

  test('the first command migrates them when they are empty, unless only migrate may', async () => {
    await cli.control.run(sql`drop schema public cascade`);
    await cli.control.run(sql`create schema public`);
    const { code, stderr } = await pirogue(AWA, { ...cli.env, MIGRATE_ON_START: 'off' });
    assert.equal(code, 1);
    assert.match(stderr, /^pirogue: the control database lacks 0001_\S+, \S+, \S+ and \d+ more. Run "pirogue migrate" first.\n$/);
    assert.match(parsed(await pirogue(AWA, cli.env)).id, /^\d+$/);
  });

  test('no embedded database is started', () => {
    // The key is made with the root secret that it seals.
    assert.deepEqual(fs.readdirSync(cli.dataDir), ['secrets.key']);
  });

  test('a command exits with 1 and a message when they are down', async () => {
    const { code, stdout, stderr } = await pirogue(AWA, {
      ...cli.env,
      CONTROL_DATABASE_URL: 'postgresql://u:canary@127.0.0.1:1/x',
    });
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.equal(
      stderr,
      'pirogue: the database cannot be used: nothing listens at its address. Run "pirogue doctor" to find the cause.\n',
    );
  });
});

describe('embedded database', () => {
  const dataDir = makeFolder();
  const cluster = path.join(fs.realpathSync(dataDir), 'pg18');
  const env = { DATA_DIR: dataDir };
  let server: EmbeddedServer | undefined;
  after(async () => {
    await server?.stop();
    fs.rmSync(dataDir, { recursive: true });
  });

  test('a command that cannot be the first creates none: an empty one would look as if all were lost', async () => {
    const empty = makeFolder();
    for (const command of [
      ['teams', 'set', '7', '--hosted-retry', 'on'],
      ['teams', 'list'],
      ['audit', 'verify'],
      ['ledger', 'verify'],
      ['explain', 'trx_test_01m8hcfamt1q1tzkrkfcs4by2h'],
    ]) {
      const { code, stderr } = await pirogue(command, { DATA_DIR: empty });
      assert.deepEqual({ command, code }, { command, code: 1 });
      assert.match(stderr, /there is no database in .*Set DATA_DIR to the folder of the service/, command.join(' '));
      assert.deepEqual(fs.readdirSync(empty), [], command.join(' '));
    }
    fs.rmSync(empty, { recursive: true });
  });

  test('the first team creates it, and the command stops it afterwards', async () => {
    assert.match(parsed(await pirogue(AWA, env)).id, /^\d+$/);
    assert.ok(fs.existsSync(cluster));
    assert.equal(readyPostmaster(cluster), null);
  });

  test('commands started at the same time all succeed, one after the other', async () => {
    const ended = await Promise.all(Array.from({ length: 3 }, () => pirogue(AWA, env)));
    assert.equal(new Set(ended.map((end) => parsed(end).id)).size, 3);
    assert.equal(parsed(await pirogue(['teams', 'list', '--json'], env)).length, 4);
  });

  test('doctor checks it whether or not it is running', async () => {
    const { checks } = parsed(await pirogue(['doctor', '--json'], { ...env, PORT: String(await freePort()) }));
    assert.deepEqual(
      checks.slice(5, 10).map((check: { name: string; status: string }) => [check.name, check.status]),
      [
        ['database control', 'ok'],
        ['database sandbox', 'ok'],
        ['database live', 'ok'],
        ['public keys', 'ok'],
        ['clock', 'ok'],
      ],
    );
    assert.equal(readyPostmaster(cluster), null);
  });

  test('a command uses the one that another process runs and leaves it running', async () => {
    server = await startEmbedded({ dataDir });
    const ended = await Promise.all(Array.from({ length: 3 }, () => pirogue(AWA, env)));
    for (const end of ended) parsed(end);
    assert.equal(readyPostmaster(cluster)?.pid, server.pid);
    assert.equal(parsed(await pirogue(['teams', 'list', '--json'], env)).length, 7);
  });
});
