import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Queryable, sql } from '../../src/kit/sql.ts';
import { type CommandLine, environmentOf, openCommandLine, pirogue } from '../cli/command.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { until } from '../setup/api.ts';

const root = path.join(import.meta.dirname, '..', '..');
const HOUR_MS = 3_600_000;
const SECRETS_KEY = Buffer.alloc(32).fill('key').toString('base64');
const log = createLog({ level: 'silent', format: 'json' });

/** Twice as fast since two hours ago: it is two hours later than it is. */
const CLOCK_SPEED = `2@${Math.floor((Date.now() - 2 * HOUR_MS) / 1000)}`;

let cli: CommandLine;
let sandbox: ReturnType<typeof openPool>;
let dataDir: string;
before(async () => {
  cli = await openCommandLine();
  dataDir = newFolder();
  sandbox = openPool({ url: cli.databases.sandbox, size: 2, log });
});
after(async () => {
  await sandbox.close();
  await cli.close();
});

async function running<T>(env: Record<string, string>, work: (program: Program) => Promise<T>): Promise<T> {
  const program = await startProgram({ dataDir, databases: cli.databases, env: { SECRETS_KEY, ...env } });
  try {
    return await work(program);
  } finally {
    await program.stop();
  }
}

/** By how many hours a moment is ahead of real time, to the nearest. */
const hoursAhead = (moment: Date | string) => Math.round((new Date(moment).getTime() - Date.now()) / HOUR_MS) + 0;

async function pay({ url, keys }: Program, headers: Record<string, string> = {}) {
  const { body } = await call(
    url,
    keys.sandbox.secret,
    'POST',
    '/payments',
    { amount: 100, currency: 'XAF', phone: '1' },
    headers,
  );
  return body.transaction as { id: string; created_at: string };
}

async function newest(db: Queryable, statement: ReturnType<typeof sql>): Promise<Date> {
  const rows = await until(
    () => db.all<{ at: Date }>(statement),
    (found) => found.length > 0,
  );
  return (rows[0] as { at: Date }).at;
}

test('CLOCK_SPEED changes all time: payments, the day of an idempotency key, mail to the owner and its limit', async () => {
  await running({ CLOCK_SPEED }, async (program) => {
    const paid = await pay(program, { 'idempotency-key': 'a-day' });
    assert.equal(hoursAhead(paid.created_at), 2);
    await sandbox.run(sql`update idempotency_keys set created_at = created_at - interval '23 hours' where key = 'a-day'`);
    assert.equal((await pay(program, { 'idempotency-key': 'a-day' })).id, paid.id);
    await sandbox.run(sql`update idempotency_keys set created_at = created_at - interval '2 hours' where key = 'a-day'`);
    assert.equal(await pay(program, { 'idempotency-key': 'a-day' }), undefined, 'spent');
    await call(program.url, program.keys.sandbox.secret, 'GET', '/payments', undefined, { origin: 'https://shop.example' });
    assert.equal(hoursAhead(await newest(sandbox, sql`select created_at as at from mails`)), 2);
    assert.equal(hoursAhead(await newest(sandbox, sql`select taken_at as at from mail_turns`)), 2);
  });
});

test('a process or command without CLOCK_SPEED uses the modified time too, and warns about it', async () => {
  await running({}, async (program) => {
    assert.equal(hoursAhead((await pay(program)).created_at), 2);
    assert.match(program.log(), /the clock of the database live is modified by CLOCK_SPEED/);
  });
  await cli.json('teams', 'create', '--name', 'Awa', '--email', 'awa@shop.example');
  const entry = sql`select created_at as at from audit_entries where action = 'team.create' order by id desc limit 1`;
  assert.equal(hoursAhead(await newest(cli.control, entry)), 2);
});

test('production does not start on a database with a modified clock', async () => {
  const production = { PROFILE: 'production', PUBLIC_URL: 'https://pay.example', SECRETS_KEY };
  await assert.rejects(
    running(production, async () => {}),
    /PROFILE=production requires real time/,
  );
  await assert.rejects(
    running({ ...production, CLOCK_SPEED }, async () => {}),
    /CLOCK_SPEED is set/,
  );
});

test('doctor reports a modified clock: a warning in development, a failure in production', async () => {
  const time = async (env: Record<string, string>) => {
    const { stdout } = await pirogue(['doctor', '--json'], { ...cli.env, ...env });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string; advice: string }[] };
    return checks.find(({ name }) => name === 'time');
  };
  const found = await time({});
  assert.deepEqual([found?.status, found?.detail], ['warn', 'modified in control, sandbox, live']);
  const failed = await time({ PROFILE: 'production', SECRETS_KEY });
  assert.equal(failed?.status, 'fail');
  assert.match(failed?.advice ?? '', /"PROFILE=development CLOCK_SPEED=off npm start -- migrate"/);
});

test('CLOCK_SPEED=off restores the real time permanently; with the role migrate no team is made', async () => {
  const teams = () => cli.control.all(sql`select id from teams order by id`);
  const [before, folder] = [await teams(), newFolder()];
  const env = { ...environmentOf(cli.env), DATA_DIR: folder, SECRETS_KEY, PROFILE: 'development', CLOCK_SPEED: 'off' };
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts', 'migrate'], { cwd: root, env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.deepEqual([await teams(), fs.existsSync(path.join(folder, 'keys.json'))], [before, false]);
  fs.rmSync(folder, { recursive: true });
  await running({}, async (program) => {
    assert.equal(hoursAhead((await pay(program)).created_at), 0);
    assert.doesNotMatch(program.log(), /is modified by CLOCK_SPEED/);
  });
});
