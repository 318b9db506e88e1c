import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { clockFinding, databaseFinding } from '../../src/program/cli/doctor/databases.ts';
import { sql } from '../../src/kit/sql.ts';
import { freePort } from '../setup/api.ts';
import { type CommandLine, type Ended, makeFolder, openCommandLine, pirogue } from './command.ts';

interface Finding {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  advice: string | null;
}

let cli: CommandLine;
let env: Record<string, string>;
before(async () => {
  cli = await openCommandLine();
});
after(() => cli.close());
beforeEach(async () => {
  env = { ...cli.env, PORT: String(await freePort()) };
});

/** The findings by name, after holding the document against its shape and the exit code. */
async function examine(changes: Record<string, string> = {}): Promise<Record<string, Finding>> {
  const ended = await pirogue(['doctor', '--json'], { ...env, ...changes });
  assert.equal(ended.stderr, '');
  const { ok, checks, ...nothing } = JSON.parse(ended.stdout) as { ok: boolean; checks: Finding[] };
  assert.deepEqual(nothing, {});
  assert.equal(
    ok,
    checks.every(({ status }) => status !== 'fail'),
  );
  assert.equal(ended.code, ok ? 0 : 1);
  for (const check of checks) {
    assert.deepEqual(Object.keys(check), ['name', 'status', 'detail', 'advice']);
    assert.equal(check.advice === null, check.status === 'ok', JSON.stringify(check));
  }
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

function assertFails(finding: Finding | undefined, detail: RegExp, advice: RegExp): void {
  assert.equal(finding?.status, 'fail', JSON.stringify(finding));
  assert.match(finding.detail, detail);
  assert.match(finding.advice as string, advice);
}

async function serving<T>(
  answers: Record<string, { code: number; body: unknown }>,
  work: (port: string) => Promise<T>,
): Promise<T> {
  const server = http.createServer((request, response) => {
    const { code, body } = answers[request.url as string] ?? { code: 404, body: {} };
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(String((server.address() as AddressInfo).port));
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const alive = { code: 200, body: { code: 200, status: 'OK', message: 'alive' } };

test('passes on a healthy installation', async () => {
  const found = await examine();
  assert.deepEqual(
    Object.entries(found).map(([name, { status }]) => `${name} ${status}`),
    [
      'node ok',
      'configuration ok',
      'data directory ok',
      'disk ok',
      'secrets key ok',
      'database control ok',
      'database sandbox ok',
      'database live ok',
      'public keys ok',
      'clock ok',
      'address ok',
    ],
  );
});

test('prints one line for each check, with advice for each failed one', async () => {
  const good = await pirogue(['doctor'], env);
  assert.equal(good.code, 0);
  assert.match(good.stdout, /^ok {4}node {2,}26/);
  assert.doesNotMatch(good.stdout, /→/);
  const bad = await pirogue(['doctor'], { ...env, LIVE_DATABASE_URL: 'postgresql://127.0.0.1:1/nowhere' });
  assert.equal(bad.code, 1);
  assert.match(
    bad.stdout,
    /\nfail {2}database live {3,}nothing listens at its address\n +→ Start that PostgreSQL, or correct LIVE_DATABASE_URL\.\n/,
  );
});

test('an invalid setting fails, and checks that depend on it are skipped', async () => {
  const found = await examine({ DATABASE_POOL: 'many' });
  assertFails(found.configuration, /DATABASE_POOL=many/, /Correct it/);
  assert.deepEqual(Object.keys(found), ['node', 'configuration']);
});

test('production warns of teams whose public keys for live can do more than pay', async () => {
  const production = {
    PROFILE: 'production',
    PUBLIC_URL: 'https://pay.example',
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  assert.equal((await examine(production))['public keys']?.status, 'ok');
  const { id } = await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example');
  await cli.json('keys', 'create', '--team', id, '--environment', 'sandbox', '--kind', 'public');
  assert.equal((await examine(production))['public keys']?.status, 'ok');
  await cli.json('keys', 'create', '--team', id, '--environment', 'live', '--kind', 'public');
  const found = (await examine(production))['public keys'];
  assert.equal(found?.status, 'warn');
  assert.match(found.detail, new RegExp(id));
  assert.match(found.advice as string, /teams set ID --public-keys pay-only/);
  const development = (await examine())['public keys'];
  assert.equal(development?.status, 'ok');
  assert.match(development.detail, /pay-only/);
  await cli.json('teams', 'set', id, '--public-keys', 'pay-only');
  assert.equal((await examine(production))['public keys']?.status, 'ok');
});

describe('databases', () => {
  test('databases that are down fail, and the other checks still run', async () => {
    const found = await examine({
      CONTROL_DATABASE_URL: 'postgresql://u:canary@127.0.0.1:1/a',
      SANDBOX_DATABASE_URL: 'postgresql://127.0.0.1:1/b',
      LIVE_DATABASE_URL: 'postgresql://127.0.0.1:1/c',
    });
    for (const store of ['control', 'sandbox', 'live']) {
      assertFails(found[`database ${store}`], /nothing listens/, new RegExp(`${store.toUpperCase()}_DATABASE_URL`));
    }
    assert.equal(found.clock, undefined);
    assert.equal(found.address?.status, 'ok');
    assert.doesNotMatch(JSON.stringify(found), /canary/);
  });

  test('databases that do not exist fail', async () => {
    const found = await examine({ LIVE_DATABASE_URL: cli.databases.live.replace(/_live/, '_nowhere') });
    assertFails(found['database live'], /no database of that name/, /LIVE_DATABASE_URL/);
  });

  test('databases of another environment fail', async () => {
    const { control, sandbox, live } = cli.databases;
    const found = await examine({ SANDBOX_DATABASE_URL: live, LIVE_DATABASE_URL: sandbox });
    assertFails(found['database sandbox'], /database of the live environment/, /SANDBOX_DATABASE_URL/);
    assertFails(found['database live'], /database of the sandbox environment/, /LIVE_DATABASE_URL/);
    const twice = await examine({ LIVE_DATABASE_URL: `${sandbox}?application_name=other` });
    assert.equal(twice['database sandbox']?.status, 'ok');
    assertFails(twice['database live'], /database of the sandbox environment/, /LIVE_DATABASE_URL/);
    const mixed = await examine({ CONTROL_DATABASE_URL: live, LIVE_DATABASE_URL: control });
    assertFails(mixed['database control'], /database of the live environment/, /CONTROL_DATABASE_URL/);
    assert.equal(mixed['database live']?.status, 'fail');
  });

  test('databases with an older schema fail until they are migrated', async () => {
    const behind = await openCommandLine();
    try {
      await behind.control.run(sql`drop table schema_migrations`);
      const { stdout } = await pirogue(['doctor', '--json'], { ...behind.env, PORT: env.PORT as string });
      const { checks } = JSON.parse(stdout) as { checks: Finding[] };
      assertFails(
        checks.find(({ name }) => name === 'database control'),
        /empty/,
        /pirogue migrate/,
      );
    } finally {
      await behind.close();
    }
  });

  test('databases with a newer schema fail', async () => {
    await cli.control.run(sql`insert into schema_migrations (name, run_on) values ('9999_future', now())`);
    try {
      assertFails((await examine())['database control'], /9999_future/, /Update Pirogue/);
    } finally {
      await cli.control.run(sql`delete from schema_migrations where name = '9999_future'`);
    }
  });
});

test('a server older than 15 fails', () => {
  assertFails(
    databaseFinding('database live', { version_num: 140013, version: '14.13' }, 'store', []),
    /14\.13 is too old/,
    /15 or later/,
  );
});

test('a clock difference of one second is ok; ten seconds fail', () => {
  assert.deepEqual(
    [
      [0, -1_000],
      [1_001, 0],
      [0, -10_001],
    ].map((skews) => clockFinding(skews).status),
    ['ok', 'warn', 'fail'],
  );
});

describe('address', () => {
  test('an address in use by another program fails', async () => {
    await serving({}, async (PORT) => assertFails((await examine({ PORT })).address, /another program/, /set PORT/));
  });

  test('an address of another machine fails', async () => {
    assertFails((await examine({ HOST: '192.0.2.1' })).address, /not an address of this machine/, /HOST/);
  });

  test('a port where the service responds is ok, with its readiness', async () => {
    await serving(
      { '/health/live': alive, '/health/ready': { code: 200, body: { checks: { workers: 'ok' } } } },
      async (PORT) => {
        const found = await examine({ PORT });
        assert.match(found.address?.detail as string, /Pirogue responds/);
        assert.deepEqual(found.workers, { name: 'workers', status: 'ok', detail: 'running', advice: null });
      },
    );
  });

  test('an address where a degraded service responds is a warning', async () => {
    const ready = { code: 200, body: { message: 'degraded', checks: { control: 'ok', live: 'read-only', workers: 'ok' } } };
    await serving({ '/health/live': alive, '/health/ready': ready }, async (PORT) => {
      const { workers } = await examine({ PORT });
      assert.deepEqual([workers?.status, workers?.detail], ['warn', 'the service is degraded: live read-only']);
    });
  });

  test('an address where the service responds as not ready fails', async () => {
    const checks = { control: 'ok', live: 'unreachable', workers: 'stuck: expiry' };
    await serving({ '/health/live': alive, '/health/ready': { code: 503, body: { checks } } }, async (PORT) => {
      assertFails((await examine({ PORT })).workers, /not ready: live unreachable, workers stuck: expiry$/, /log/);
    });
  });
});

describe('machine', () => {
  test('a data directory that does not exist yet is ok', async () => {
    const folder = makeFolder();
    const found = await examine({ DATA_DIR: path.join(folder, 'not', 'yet') });
    assert.match(found['data directory']?.detail as string, /created by the first start/);
    assert.deepEqual(fs.readdirSync(folder), []);
    fs.rmSync(folder, { recursive: true });
  });

  test('a data directory that is a file fails', async () => {
    const file = path.join(cli.dataDir, 'file');
    fs.writeFileSync(file, '');
    assertFails((await examine({ DATA_DIR: file }))['data directory'], /not a folder/, /DATA_DIR/);
  });

  test('a data directory that is not writable fails', {
    skip: process.getuid?.() === 0 && 'root may write anywhere',
  }, async () => {
    const folder = makeFolder();
    fs.chmodSync(folder, 0o500);
    assertFails((await examine({ DATA_DIR: folder }))['data directory'], /is not writable/, /DATA_DIR/);
    fs.rmdirSync(folder);
  });

  test('an invalid secrets key fails; one that other users can read is a warning', async () => {
    const file = path.join(cli.dataDir, 'secrets.key');
    fs.writeFileSync(file, 'short', { mode: 0o600 });
    assertFails((await examine())['secrets key'], /32 bytes/, /Restore the file from a backup/);
    fs.writeFileSync(file, Buffer.alloc(32, 5).toString('base64'));
    fs.chmodSync(file, 0o644);
    assert.equal((await examine())['secrets key']?.status, 'warn');
    fs.chmodSync(file, 0o600);
    assert.equal((await examine())['secrets key']?.status, 'ok');
    fs.rmSync(file);
  });
});

test('secrets sealed with another key fail', async () => {
  const other = await openCommandLine();
  try {
    await other.json('secrets', 'status');
    const sealed = async (env: Record<string, string>): Promise<Finding | undefined> => {
      const { stdout } = await pirogue(['doctor', '--json'], { ...other.env, ...env });
      return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'sealed secrets');
    };
    assert.equal((await sealed({}))?.status, 'ok');
    const wrong = await sealed({ SECRETS_KEY: Buffer.from(`${'w'.repeat(31)}o`).toString('base64') });
    assert.equal(wrong?.status, 'fail');
    assert.match(wrong?.detail ?? '', /SECRETS_KEY cannot open this installation's secrets/);
  } finally {
    await other.close();
  }
});

test('an embedded database that does not exist yet is reported and not created', async () => {
  const folder = makeFolder();
  const { code, stdout }: Ended = await pirogue(['doctor', '--json'], { DATA_DIR: folder, PORT: env.PORT as string });
  assert.equal(code, 0);
  assert.match(stdout, /none yet: the first start creates them/);
  assert.deepEqual(fs.readdirSync(folder), []);
  fs.rmSync(folder, { recursive: true });
});
