import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { readConfig } from '../../src/platform/config/config.ts';
import { lockKeys, SEALED_COLUMNS } from '../../src/program/cli/secrets/store.ts';
import { payerHash } from '../../src/core/customers/payer-hash.ts';
import { saveMethod, vaultPlace } from '../../src/core/customers/methods.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import type { Secrets } from '../../src/kit/crypto.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Queryable, sql } from '../../src/kit/sql.ts';
import { openSecrets } from '../../src/program/start/secrets.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { mtnMomoSimulator } from '../../simulators/mtn-momo/index.ts';
import { type CommandLine, openCommandLine, pirogue } from '../cli/command.ts';
import { call, type Program, startProgram } from '../ops/program.ts';
import { until } from '../setup/api.ts';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';
import { type Receiver, startReceiver, verify } from '../setup/receiver.ts';

const ENTRY = path.join(import.meta.dirname, '..', '..', 'src', 'program', 'cli', 'main.ts');

const poolOf = (url: string): DbPool => openPool({ url, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
const keyFile = (cli: CommandLine) => path.join(cli.dataDir, 'secrets.key');
const secretsOf = (cli: CommandLine): Promise<Secrets> => openSecrets(readConfig(cli.env), cli.control, new Date());

/** A key for SECRETS_KEY. */
const keyOf = (letter: string) => Buffer.from(`${letter.repeat(31)}o`).toString('base64');

/** A dozen commands are run: most of what one costs is reading the sources. */
async function openQuickly(): Promise<CommandLine> {
  const cli = await openCommandLine();
  Object.assign(cli.env, COMPILE_CACHE);
  return cli;
}

interface Standing {
  id: string;
  state: 'seals' | 'opens' | 'missing';
  values: number;
}

async function standing(cli: CommandLine): Promise<Standing[]> {
  return (await cli.json('secrets', 'status')).keys;
}

/** The file as if its keys had been changed an hour ago. */
function age(cli: CommandLine): void {
  const then = new Date(Date.now() - 3_600_000);
  fs.utimesSync(keyFile(cli), then, then);
}

test('every sealed column is known to rotation', async (t) => {
  const cli = await openQuickly();
  t.after(() => cli.close());
  for (const [database, url] of Object.entries(cli.databases).filter(([name]) => name !== 'drop')) {
    const db = poolOf(url as string);
    const columns = await db.all<{ name: string }>(sql`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_sealed' order by 1`);
    await db.close();
    const known = SEALED_COLUMNS.filter(({ databases }) => (databases as readonly string[]).includes(database));
    assert.deepEqual(
      columns.map(({ name }) => name),
      known.map(({ table, column }) => `${table}.${column}`).sort(),
      database,
    );
  }
});

describe('rotation while the service runs', () => {
  let cli: CommandLine;
  let program: Program;
  let receiver: Receiver;
  let simulator: Simulator;
  let sandbox: DbPool;
  before(async () => {
    cli = await openQuickly();
    [receiver, simulator] = [await startReceiver(), await startSimulator(mtnMomoSimulator)];
    program = await startProgram({ dataDir: cli.dataDir, databases: cli.databases, env: { ...COMPILE_CACHE } });
    sandbox = poolOf(cli.databases.sandbox);
  });
  after(async () => {
    await program?.stop();
    await Promise.all([receiver?.close(), simulator?.stop(), sandbox?.close()]);
    await cli?.close();
  });

  const ask = (method: string, route: string, body?: unknown) =>
    call(program.url, program.keys.sandbox.secret, method, route, body);
  const pay = async () => (await ask('POST', '/payments', { amount: 500, currency: 'XAF', phone: '650000000' })).body;
  const opens = async (page: string) => {
    const { status } = await fetch(`${program.url}${new URL(page).pathname}`);
    assert.equal(status, 200, 'the payment page opens');
  };
  const register = async (name: string) => {
    const { body } = await ask('POST', '/webhooks', { url: `${receiver.url}/${name}`, events: ['payment.created'] });
    return { id: body.webhook.id as string, secret: body.webhook.secret as string, at: `/${name}` };
  };
  const delivered = async (endpoint: { secret: string; at: string }, payment: string) => {
    const ask = async () => receiver.received.find(({ path, event }) => path === endpoint.at && event.data.id === payment);
    const one = await until(ask, (found) => found !== undefined);
    assert.equal(verify(one as NonNullable<typeof one>, endpoint.secret), null, 'the delivery is signed with the secret shown');
  };

  test('values sealed before the rotation open after it, and after the old key is removed', async () => {
    const team = program.keys.team;
    const hook = await register('before');
    const { authorization_url } = await pay();
    await cli.json('teams', 'verify', team, '--level', '4');
    const set = Object.entries(simulator.credentials).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    await cli.json('providers', 'add', 'mtn-momo', ...set);
    const { customer } = (await ask('POST', '/customers', { phone: '+237650111222' })).body;
    const saved = await sandbox.transaction(async (tx) =>
      saveMethod(
        tx,
        await secretsOf(cli),
        { environment: 'sandbox', at: Date.now() } as Parameters<typeof saveMethod>[2],
        { team_id: BigInt(team), id: customer.id },
        { type: 'mobile_money', channel: 'cm.mtn', token: '+237650111222', provider_account: null, brand: null, last4: '1222' },
      ),
    );
    const known = payerHash(await secretsOf(cli), BigInt(team), '+237650111222');

    const check = async () => {
      await opens(authorization_url);
      await delivered(hook, (await pay()).transaction.id);
      const live = await call(program.url, program.keys.live.secret, 'POST', '/payments', {
        amount: 500,
        currency: 'XAF',
        email: 'a@b.example',
      });
      const charge = { channel: 'cm.mtn', data: { phone: '237670000000' } };
      const taken = await call(program.url, program.keys.live.secret, 'POST', `/payments/${live.body.transaction.id}`, charge);
      assert.equal(taken.status, 202, 'the service itself uses the account');
      const secrets = await secretsOf(cli);
      const row = await sandbox.maybe<{ token_sealed: string }>(
        sql`select token_sealed from payment_methods where id = ${saved.id}`,
      );
      assert.equal(secrets.open(row?.token_sealed ?? '', vaultPlace(BigInt(team), saved.id)), '+237650111222');
      assert.equal(payerHash(secrets, BigInt(team), '+237650111222'), known);
    };

    const [old] = await standing(cli);
    const rotated = await cli.json('secrets', 'rotate');
    assert.deepEqual(
      [rotated.source, rotated.key_made, rotated.values_sealed, rotated.values_left, rotated.unopened_count],
      ['file', true, 4, 0, 0],
    );
    assert.deepEqual(
      rotated.keys.map(({ state, values }: Standing) => [state, values]),
      [
        ['seals', 4],
        ['opens', 0],
      ],
    );
    assert.equal(rotated.keys[1].id, old?.id);
    await check();
    const later = await register('later');
    await delivered(later, (await pay()).transaction.id);
    assert.equal((await standing(cli))[1]?.values, 0, 'the service seals under the new key by itself');

    const early = await cli.run('secrets', 'prune');
    assert.deepEqual([early.code, early.stdout], [1, '']);
    assert.match(early.stderr, /changed a moment ago\. Wait ten minutes/);
    age(cli);
    assert.deepEqual(await cli.json('secrets', 'prune'), { dropped: [old?.id] });
    assert.equal(fs.readFileSync(keyFile(cli), 'utf8').trim().split('\n').length, 1);
    await check();
    await program.stop();
    program = await startProgram({
      dataDir: cli.dataDir,
      databases: cli.databases,
      env: { ...COMPILE_CACHE, PORT: new URL(program.url).port },
    });
    await check();
  });

  test('secrets that merchants change during the rotation are kept', async () => {
    const hooks = await Promise.all([1, 2, 3].map((n) => register(`busy-${n}`)));
    let over = false;
    const writers = hooks.map(async (hook) => {
      while (!over) hook.secret = (await ask('POST', `/webhooks/${hook.id}/rotate-secret`)).body.webhook.secret;
    });
    for (let i = 0; i < 3; i++) assert.equal((await cli.json('secrets', 'rotate')).unopened_count, 0);
    over = true;
    await Promise.all(writers);
    const { transaction } = await pay();
    for (const hook of hooks) await delivered(hook, transaction.id);
  });
});

describe('rotation by command', () => {
  let cli: CommandLine;
  let sandbox: DbPool;
  before(async () => {
    cli = await openQuickly();
    sandbox = poolOf(cli.databases.sandbox);
    await cli.json('secrets', 'status');
  });
  after(async () => {
    await sandbox.close();
    await cli.close();
  });

  /** Several batches. */
  const COUNT = 1_000;
  const place = (id: string) => vaultPlace(9n, id);

  test('a killed rotation continues with the same key when it is run again', async () => {
    const secrets = await secretsOf(cli);
    const ids = Array.from({ length: COUNT }, (_, i) => `pm_test_${String(i).padStart(6, '0')}`);
    await sandbox.run(sql`
      insert into payment_methods (team_id, id, customer_id, type, channel, token_sealed, fingerprint, created_at, last_used_at)
      select 9, id, 'cus_test_1', 'mobile_money', 'cm.mtn', token, id, now(), now()
      from unnest(${ids}::text[], ${ids.map((id) => secrets.seal(`token of ${id}`, place(id)))}::text[]) as m (id, token)`);
    await holding(ids.at(-1) as string, () => killAt(/payment_methods: [1-9]/));
    const half = await standing(cli);
    assert.deepEqual(
      half.map(({ state }) => state),
      ['seals', 'opens'],
    );
    assert.ok(
      half.every(({ values }) => values > 0),
      JSON.stringify(half),
    );
    const again = await cli.json('secrets', 'rotate');
    assert.deepEqual([again.key_made, again.values_left, again.unopened_count], [false, 0, 0]);
    assert.deepEqual(
      again.keys.map(({ id }: Standing) => id),
      half.map(({ id }) => id),
    );
    const now = await secretsOf(cli);
    const rows = await sandbox.all<{ id: string; token_sealed: string }>(sql`select id, token_sealed from payment_methods`);
    assert.equal(rows.length, COUNT);
    for (const row of rows) assert.equal(now.open(row.token_sealed, place(row.id)), `token of ${row.id}`);
  });

  /**
   * Keeps one value as if somebody were just changing it: no rotation comes to its end meanwhile. A pool would end a transaction that is idle while
   * a command starts.
   */
  async function holding(id: string, work: () => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: cli.databases.sandbox });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from payment_methods where id = $1 for update', [id]);
      await work();
    } finally {
      await client.end();
    }
  }

  /** Runs a rotation and kills it when it says this. */
  async function killAt(line: RegExp): Promise<void> {
    const child = spawn(process.execPath, [ENTRY, 'secrets', 'rotate'], {
      env: { ...process.env, ...cli.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (line.test(said)) child.kill('SIGKILL');
    });
    assert.equal(await ended, null, `it was killed, not done: ${said}`);
  }

  test('moved or damaged values are listed, left unchanged, and keep their key', async () => {
    await sandbox.run(sql`
      update payment_methods set token_sealed = (select token_sealed from payment_methods where id = 'pm_test_000001')
      where id = 'pm_test_000002'`);
    const { code, stdout } = await cli.run('secrets', 'rotate', '--json');
    const said = JSON.parse(stdout);
    assert.deepEqual([code, said.key_made, said.values_left], [1, true, 1]);
    assert.deepEqual(
      said.unopened.map(({ table, id }: { table: string; id: string }) => [table, id]),
      [['payment_methods', 'pm_test_000002']],
    );
    assert.match(said.unopened[0].reason, /changed, or stood somewhere else/);
    age(cli);
    const { dropped } = await cli.json('secrets', 'prune');
    const [, kept] = await standing(cli);
    assert.deepEqual([kept?.state, kept?.values, dropped.includes(kept?.id)], ['opens', 1, false]);
    await sandbox.run(sql`delete from payment_methods where id = 'pm_test_000002'`);
  });

  test('two concurrent rotations create one key', async () => {
    // On the connection that holds the lock: a transaction that is idle for long is ended.
    const waiting = (tx: Queryable) =>
      tx.all(sql`select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
    const before = await standing(cli);
    const [one, two] = await cli.control.transaction(async (tx) => {
      await lockKeys(tx);
      const runs = [1, 2].map(() => pirogue(['secrets', 'rotate', '--json'], cli.env));
      await until(
        () => waiting(tx),
        (found) => found.length === 2,
      );
      return runs.map((run) => run.then(({ code, stdout }) => ({ code, ...JSON.parse(stdout) })));
    });
    const ended = [await one, await two];
    assert.deepEqual(ended.map(({ key_made }) => key_made).sort(), [false, true]);
    assert.deepEqual(
      ended.map(({ code, values_left }) => [code, values_left]),
      [
        [0, 0],
        [0, 0],
      ],
    );
    const now = await standing(cli);
    assert.deepEqual([now.length, now[0]?.values], [before.length + 1, COUNT]);
    assert.ok(
      now.slice(1).every(({ values }) => values === 0),
      JSON.stringify(now),
    );
  });

  test('keys of SECRETS_KEY: add the new key first, seal every value with it, remove the old key', async () => {
    const file = fs.readFileSync(keyFile(cli), 'utf8').trim().split('\n');
    const [from, to, foreign] = [file.join(), keyOf('n'), keyOf('f')];
    const run = async (key: string, ...args: string[]) => {
      cli.env.SECRETS_KEY = key;
      return cli.run('secrets', ...args);
    };
    const hint = await run(from, 'rotate');
    assert.match(hint.stdout, /SECRETS_KEY=<present>,<new>/);
    for (const key of [foreign, to]) {
      const refused = await run(key, 'rotate');
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(
        refused.stderr,
        /^pirogue: SECRETS_KEY cannot open this installation's secrets: it is sealed under the secrets key [0-9a-f]{12}; this process has/,
      );
    }
    const rotated = JSON.parse((await run(`${to},${from}`, 'rotate', '--json')).stdout);
    assert.deepEqual(
      [rotated.source, rotated.key_made, rotated.values_sealed, rotated.values_left],
      ['environment', false, COUNT, 0],
    );
    assert.match((await run(`${to},${from}`, 'prune')).stderr, /keys come from SECRETS_KEY/);
    const alone = JSON.parse((await run(to, 'status', '--json')).stdout);
    assert.deepEqual(
      alone.keys.map(({ state, values }: Standing) => [state, values]),
      [['seals', COUNT]],
    );
    assert.equal((await run(from, 'status')).code, 1);
  });

  test('the rotation is recorded in the audit trail, with the ids of the keys', async () => {
    delete cli.env.SECRETS_KEY;
    const entries = await cli.control.all<{ action: string; resource_id: string; team_id: bigint | null }>(sql`
      select distinct action, resource_id, team_id from audit_entries where action like 'secrets.%'`);
    const actions = new Set(entries.map(({ action }) => action));
    assert.deepEqual(actions, new Set(['secrets.rotate', 'secrets.prune']));
    for (const { resource_id, team_id } of entries) assert.ok(/^[0-9a-f]{12}$/.test(resource_id) && team_id === null);
  });

  test('a missing key file stops a start, and no other key is used instead', async () => {
    fs.renameSync(keyFile(cli), `${keyFile(cli)}.away`);
    const { code, stderr } = await cli.run('secrets', 'status');
    assert.equal(code, 1);
    assert.match(stderr, /^pirogue: .*secrets\.key is missing: restore it from a backup/);
    assert.ok(!fs.existsSync(keyFile(cli)));
  });

  test('a service with another key does not start, and reports why', async () => {
    const env = { ...COMPILE_CACHE, SECRETS_KEY: keyOf('f') };
    const start = startProgram({ dataDir: cli.dataDir, databases: cli.databases, env });
    await assert.rejects(start, /SECRETS_KEY cannot open this installation's secrets/);
  });
});
