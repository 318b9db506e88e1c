import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { call, newFolder, startProgram } from '../ops/program.ts';
import { until } from '../setup/api.ts';

test('the database under DATA_DIR ends while the service runs: it is started again, and the service goes on', async () => {
  const dataDir = newFolder();
  const program = await startProgram({ dataDir });
  try {
    const { secret } = program.keys.sandbox;
    const create = () => call(program.url, secret, 'POST', '/payments', { amount: 500, currency: 'XAF', phone: '+237650000000' });
    const first = await create();
    assert.equal(first.status, 201);
    const { pid } = readPostmaster(path.join(dataDir, 'pg18')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await until(
      async () => program.log(),
      (log) => log.includes('PostgreSQL was started again'),
    );
    await until(create, ({ status }) => status === 201);
    const kept = await call(program.url, secret, 'GET', `/payments/${first.body.transaction.id}`);
    assert.equal(kept.status, 200);
    await until(
      () => fetch(`${program.url}/health/ready`),
      ({ status }) => status === 200,
    );
    assert.match(program.log(), /PostgreSQL ended by itself/);
    assert.equal(await program.stop(), 0);
  } finally {
    await program.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});
