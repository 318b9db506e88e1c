// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { knownMigrations } from '../../src/program/cli/migrations.ts';
import { parsed, pirogue } from './command.ts';
import { until } from '../setup/api.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';

const home = newFolder();
const [dataDir, elsewhere, backup, second] = ['data', 'elsewhere', 'backup', 'second'].map((name) => path.join(home, name)) as [
  string,
  string,
  string,
  string,
];

/** Divided in the sandbox, so that a backup holds tables of both kinds. */
const PARTITIONED = ['payments', 'postings', 'journals'];

let program: Program;

before(async () => {
  for (const folder of [dataDir, elsewhere]) fs.mkdirSync(folder, { mode: 0o711 });
  program = await startProgram({ dataDir });
});
after(async () => {
  await program.stop();
  fs.rmSync(home, { recursive: true, force: true });
});

/** Pays with a number that always succeeds. @returns the payment's id */
async function pay({ url, keys }: Program, fields: object = {}): Promise<string> {
  const { secret } = keys.sandbox;
  const made = await call(url, secret, 'POST', '/payments', { amount: 500, currency: 'XAF', phone: '+237650000000', ...fields });
  assert.equal(made.status, 201);
  const { id } = made.body.transaction;
  const charged = await call(url, secret, 'POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  assert.equal(charged.status, 202);
  return id;
}

/** What lists and searches of the earlier payments answer, to the byte. */
async function answers(id: string): Promise<string[]> {
  const paths = [
    `/payments/${id}`,
    '/payments?search=earlier',
    '/payments?search=earli&per_page=2',
    '/payments?search=earli&per_page=2&page=2',
  ];
  return Promise.all(
    paths.map(async (at) => {
      const answer = await fetch(`${program.url}${at}`, { headers: { authorization: program.keys.sandbox.secret } });
      return `${answer.status} ${await answer.text()}`;
    }),
  );
}

test('a backup taken during payments restores elsewhere: ledger, keys, pages, partitions and earlier payments are intact', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await pay(program, { reference: 'earlier' }));
  const earlier = ids[0] as string;
  await until(
    () => answers(earlier),
    ([, list]) => list?.match(/"status":"succeeded"/g)?.length === 3,
  );
  const converted = await pirogue(['partition', ...PARTITIONED, '--environment', 'sandbox', '--partitions', '4', '--json'], {
    DATA_DIR: dataDir,
  });
  assert.deepEqual(
    parsed(converted).tables.map(({ result }: { result: string }) => result),
    PARTITIONED.map(() => 'partitioned'),
  );
  const read = await answers(earlier);
  assert.ok(
    read.every((answer) => answer.startsWith('200 ') && answer.includes('earlier')),
    read.join('\n'),
  );
  let going = true;
  const during: string[] = [];
  const traffic = (async () => {
    while (going) during.push(await pay(program));
  })();
  const made = await pirogue(['backup', backup, '--json'], { DATA_DIR: dataDir });
  going = false;
  await traffic;
  assert.equal(parsed(made).secrets_key, true);
  assert.ok(during.length > 0);
  const later = await pay(program);
  await program.stop();

  const restored = parsed(await pirogue(['restore', backup, '--json'], { DATA_DIR: elsewhere }));
  assert.equal(restored.migrations_missing, 0);
  assert.equal(parsed(await pirogue(['ledger', 'verify', '--json'], { DATA_DIR: elsewhere })).ok, true);

  for (const { table, partitions } of parsed(
    await pirogue(['partition', '--check', ...PARTITIONED, '--environment', 'sandbox', '--json'], { DATA_DIR: elsewhere }),
  ).tables)
    assert.equal(partitions, 4, table);

  program = await startProgram({ dataDir: elsewhere, env: { PORT: new URL(program.url).port } });
  assert.deepEqual(await answers(earlier), read);
  const { secret } = program.keys.sandbox;
  const status = async (id: string) => (await call(program.url, secret, 'GET', `/payments/${id}`)).status;
  assert.deepEqual([await status(earlier), await status(later)], [200, 404]);
  const fresh = await call(program.url, secret, 'POST', '/payments', { amount: 500, currency: 'XAF', phone: '+237650000000' });
  assert.equal((await fetch(fresh.body.authorization_url)).status, 200);
  // The key that seals and signs is the one of before: a page that was handed out then still opens.
  assert.deepEqual(fs.readFileSync(path.join(elsewhere, 'secrets.key')), fs.readFileSync(path.join(dataDir, 'secrets.key')));
});

test('only its owner can read a backup', () => {
  const open = fs
    .readdirSync(backup, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => (fs.statSync(file).mode & 0o077) !== 0);
  assert.deepEqual(open, []);
  assert.equal(fs.statSync(backup).mode & 0o077, 0);
});

test('neither backup nor restore overwrites an existing file', async () => {
  const again = await pirogue(['backup', backup], { DATA_DIR: dataDir });
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is not empty/);
  const onto = await pirogue(['restore', backup], { DATA_DIR: dataDir });
  assert.equal(onto.code, 1);
  assert.match(onto.stderr, /exists already/);
});

test('a second backup can be taken (the tests below use it)', async () => {
  assert.equal((await pirogue(['backup', second, '--json'], { DATA_DIR: elsewhere })).code, 0);
});

test('a damaged or unfinished backup is refused, and leaves nothing behind', async () => {
  const target = path.join(home, 'third');
  fs.mkdirSync(target, { mode: 0o711 });
  const file = path.join(backup, 'cluster', 'global', 'pg_control');
  const bytes = fs.readFileSync(file);
  bytes[100] = (bytes[100] as number) ^ 1;
  fs.writeFileSync(file, bytes);
  const damaged = await pirogue(['restore', backup], { DATA_DIR: target });
  assert.equal(damaged.code, 1);
  assert.match(damaged.stderr, /pg_control of the backup is damaged/);
  assert.deepEqual(
    fs.readdirSync(target).filter((name) => /^pg18($|\.init)|keys|secrets/.test(name)),
    [],
  );
  bytes[100] = (bytes[100] as number) ^ 1;
  fs.writeFileSync(file, bytes);
  const secrets = fs.readFileSync(path.join(backup, 'secrets.key'));
  fs.writeFileSync(path.join(backup, 'secrets.key'), 'damaged');
  const late = await pirogue(['restore', backup], { DATA_DIR: target });
  assert.match(late.stderr, /secrets.key of the backup is damaged/);
  fs.writeFileSync(path.join(backup, 'secrets.key'), secrets);
  const { code, stdout } = await pirogue(['restore', backup], { DATA_DIR: target });
  assert.equal(code, 0, 'what failed before is not in the way');
  assert.match(
    stdout,
    /\nStart no process of role "all" or "worker" yet: .+\nNext: .+"pirogue ledger verify".+"pirogue reconcile"/,
  );
  fs.rmSync(path.join(backup, 'manifest.json'));
  assert.match((await pirogue(['restore', backup], { DATA_DIR: target })).stderr, /is not a backup/);
});

test('a backup of a newer Pirogue is refused before anything is restored', async () => {
  const target = path.join(home, 'newer');
  fs.mkdirSync(target, { mode: 0o711 });
  const file = path.join(second, 'manifest.json');
  const own = fs.readFileSync(file, 'utf8');
  const { migrations, ...manifest } = JSON.parse(own);
  assert.deepEqual(migrations, {
    control: knownMigrations('control'),
    sandbox: knownMigrations('store'),
    live: knownMigrations('store'),
  });
  migrations.live.push('9999_future');
  fs.writeFileSync(file, JSON.stringify({ ...manifest, migrations, version: '9.0.0' }));
  try {
    const { code, stderr } = await pirogue(['restore', second], { DATA_DIR: target });
    assert.equal(code, 1);
    assert.match(stderr, /migrated by a newer Pirogue \(9999_future\)\. Restore it with the version .*: 9\.0\.0 or later/);
    assert.deepEqual(
      fs.readdirSync(target).filter((name) => !name.endsWith('.lock')),
      [],
    );
  } finally {
    fs.writeFileSync(file, own);
  }
});

test('a restore that was killed is never opened by a start; the next restore begins again', async () => {
  const target = path.join(home, 'killed');
  fs.mkdirSync(target, { mode: 0o711 });
  // As a kill just before the cluster is put in place leaves the folder.
  fs.writeFileSync(path.join(target, 'restore.unfinished'), 'restoring\n');
  fs.copyFileSync(path.join(elsewhere, 'secrets.key'), path.join(target, 'secrets.key'));
  const opened = await pirogue(['ledger', 'verify'], { DATA_DIR: target });
  assert.notEqual(opened.code, 0);
  assert.match(opened.stderr, /was interrupted: run "pirogue restore" again/);
  assert.ok(!fs.existsSync(path.join(target, 'pg18')), 'no empty database under the old keys');
  const again = await pirogue(['restore', second, '--json'], { DATA_DIR: target });
  assert.equal(parsed(again).migrations_missing, 0);
  assert.ok(!fs.existsSync(path.join(target, 'restore.unfinished')));
});

test('a key that is pruned after the database was copied is still in the backup', async () => {
  const file = path.join(elsewhere, 'secrets.key');
  const keys = fs.readFileSync(file, 'utf8');
  const pruned = path.join(home, 'pruned');
  fs.writeFileSync(file, `${keys}${Buffer.alloc(32, 7).toString('base64')}\n`);
  const whole = fs.readFileSync(file, 'utf8');
  let ended = false;
  const running = pirogue(['backup', pruned, '--json'], { DATA_DIR: elsewhere }).finally(() => {
    ended = true;
  });
  // A test that is held up for seconds may find the backup finished.
  const copied = () => fs.existsSync(path.join(`${pruned}.unfinished`, 'cluster', 'PG_VERSION'));
  while (!copied() && !ended) await new Promise((r) => setTimeout(r, 5));
  fs.writeFileSync(file, keys);
  assert.equal((await running).code, 0);
  assert.equal(fs.readFileSync(path.join(pruned, 'secrets.key'), 'utf8'), whole);
});

test('a backup without any secrets key is refused; the last line names what was really copied', async () => {
  const away = path.join(home, 'away');
  const [whole, partial] = [path.join(home, 'whole'), path.join(home, 'partial')];
  const both = await pirogue(['backup', whole], { DATA_DIR: elsewhere });
  assert.match(both.stdout, /\nincludes keys\.json and secrets\.key: store it where only you can read it\n$/);
  fs.renameSync(path.join(elsewhere, 'secrets.key'), away);
  try {
    const refused = await pirogue(['backup', partial], { DATA_DIR: elsewhere });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /has no secrets\.key and SECRETS_KEY is not set.*Restore .* or set SECRETS_KEY/);
    assert.deepEqual([partial, `${partial}.unfinished`].filter(fs.existsSync), []);
    const SECRETS_KEY = randomBytes(32).toString('base64');
    const { stdout } = await pirogue(['backup', partial], { DATA_DIR: elsewhere, SECRETS_KEY });
    assert.match(stdout, /\nincludes keys\.json: store .*\nSECRETS_KEY comes from the environment and is not included/);
    assert.equal(fs.existsSync(path.join(partial, 'secrets.key')), false);
  } finally {
    fs.renameSync(away, path.join(elsewhere, 'secrets.key'));
  }
});

test('databases that Pirogue does not run are not backed up, and the error points to docs/backup.md', async () => {
  const env = {
    DATA_DIR: dataDir,
    CONTROL_DATABASE_URL: 'postgresql://h/a',
    SANDBOX_DATABASE_URL: 'postgresql://h/b',
    LIVE_DATABASE_URL: 'postgresql://h/c',
  };
  const refused = await pirogue(['backup', path.join(home, 'none')], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /docs\/backup\.md/);
});
