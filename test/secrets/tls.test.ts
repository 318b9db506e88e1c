import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pirogue } from '../cli/command.ts';
import { cloneDatabases } from '../setup/databases.ts';
import { noRedis, PROGRAM } from '../rate-limits/redis-server.ts';
import { newFolder, startProgram } from '../ops/program.ts';
import { freePort, until } from '../setup/api.ts';
import { selfSigned } from '../setup/certificate.ts';
import { query } from '../db/helpers.ts';
import { startTlsPostgres, type TlsPostgres } from './tls-postgres.ts';

const NAMES = ['control', 'sandbox', 'live'] as const;

/** A certificate that is its own authority, and the files of it and of one that nobody knows. */
function authority(folder: string) {
  const certificate = selfSigned();
  const [ours, foreign] = [path.join(folder, 'ca.crt'), path.join(folder, 'foreign.crt')];
  fs.writeFileSync(ours, certificate.cert);
  fs.writeFileSync(foreign, selfSigned().cert);
  return { certificate, ours, foreign };
}

describe('PostgreSQL over TLS by URL', { skip: process.platform === 'win32' && 'unix accounts' }, () => {
  const home = newFolder();
  const { certificate, ours, foreign } = authority(home);
  let server: TlsPostgres;
  before(async () => {
    server = await startTlsPostgres(path.join(home, 'database'), certificate, NAMES);
  });
  after(async () => {
    await server?.stop();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  const databases = (parameters: string) => {
    const [control = '', sandbox = '', live = ''] = NAMES.map((name) => server.url(name, parameters));
    return { control, sandbox, live, drop: async () => {} };
  };
  const refused = async (parameters: string, why: RegExp) => {
    const { control, sandbox, live } = databases(parameters);
    const env = { DATA_DIR: home, CONTROL_DATABASE_URL: control, SANDBOX_DATABASE_URL: sandbox, LIVE_DATABASE_URL: live };
    const { code, stderr } = await pirogue(['teams', 'list'], env);
    assert.equal(code, 1, `${parameters} is refused`);
    assert.match(stderr, why);
  };

  test('sslmode=verify-full with the CA: the service migrates and runs, and every connection is encrypted', async (t) => {
    const dataDir = path.join(home, 'service');
    fs.mkdirSync(dataDir);
    const program = await startProgram({ dataDir, databases: databases(`sslmode=verify-full&sslrootcert=${ours}`) });
    t.after(() => program.stop());
    const connections = await query(
      server.url('control', 'sslmode=no-verify'),
      `select s.ssl, s.version from pg_stat_activity a join pg_stat_ssl s using (pid) where a.application_name = 'pirogue'`,
    );
    assert.ok(connections.length > 0 && connections.every(({ ssl }) => ssl === true), JSON.stringify(connections));
  });

  test('a certificate of another CA is rejected', () =>
    refused(`sslmode=verify-full&sslrootcert=${foreign}`, /its certificate is not accepted: .*self.signed/));

  test('without a trusted CA only sslmode=no-verify connects', async () => {
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      await refused(`sslmode=${mode}`, /its certificate is not accepted: .*self.signed/);
  });

  test('a server without TLS is rejected', () => refused('sslmode=disable', /rejects the user, or connections without TLS/));

  test('a certificate for another host is rejected', async () => {
    const other = selfSigned('db.example');
    fs.writeFileSync(path.join(home, 'other.crt'), other.cert);
    server.present(other);
    await until(
      () =>
        query(server.url('control', `sslmode=verify-full&sslrootcert=${ours}`), 'select 1').then(
          () => false,
          () => true,
        ),
      (shown) => shown,
    );
    await refused(
      `sslmode=verify-full&sslrootcert=${path.join(home, 'other.crt')}`,
      /its certificate is not accepted: .*altnames/,
    );
  });
});

describe('Redis over TLS by URL', { skip: noRedis() }, () => {
  const home = newFolder();
  const { certificate, ours, foreign } = authority(home);
  let port: number;
  let end: () => Promise<void>;
  before(async () => {
    port = await freePort();
    fs.writeFileSync(path.join(home, 'redis.key'), certificate.key, { mode: 0o600 });
    const tls = ['--tls-port', String(port), '--tls-cert-file', ours, '--tls-key-file', path.join(home, 'redis.key')];
    const args = ['--port', '0', ...tls, '--tls-auth-clients', 'no', '--bind', '127.0.0.1', '--save', '', '--dir', home];
    const child = spawn(PROGRAM as string, args, { stdio: 'ignore' });
    process.on('exit', () => child.kill('SIGKILL'));
    end = async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    };
  });
  after(async () => {
    await end?.();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  /** Where a service with this authority counts. */
  async function counts(
    t: { after(end: () => unknown): void },
    name: string,
    ca: string,
    fits: (where: string) => boolean,
  ): Promise<string> {
    const databases = await cloneDatabases();
    const dataDir = path.join(home, name);
    fs.mkdirSync(dataDir);
    const env = {
      REDIS_URL: `rediss://localhost:${port}`,
      NODE_EXTRA_CA_CERTS: ca,
      RATE_LIMITS: 'on',
      REDIS_TIMEOUT_MS: '10000',
    };
    const program = await startProgram({ dataDir, databases, env });
    t.after(async () => {
      await program.stop();
      await databases.drop();
    });
    const ready = async () => {
      const body = (await (await fetch(`${program.url}/health/ready`)).json()) as { details: { rate_limits: string } };
      return body.details.rate_limits;
    };
    return until(ready, fits);
  }

  test('rediss:// with the CA in NODE_EXTRA_CA_CERTS: the node counts in Redis', async (t) => {
    assert.equal(await counts(t, 'known', ours, (where) => where === 'redis'), 'redis');
  });

  test('a certificate of another CA is rejected: the node counts locally and logs it', async (t) => {
    assert.match(await counts(t, 'foreign', foreign, (where) => where !== 'redis'), /this node: redis does not answer/);
  });
});
