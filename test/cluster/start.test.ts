import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { isRunning } from '../../cluster/processes.ts';
import { rowsOf } from '../../cluster/observer.ts';
import { startCluster } from '../../cluster/start.ts';
import { statusOf } from '../../cluster/status.ts';
import { killCluster, stopCluster } from '../../cluster/stop.ts';
import { noCluster } from './packages.ts';

test('a small cluster starts, serves through its balancers, shows its status and stops without a trace', {
  skip: noCluster(),
}, async (t) => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-cluster-'));
  process.once('exit', () => killCluster(data));
  t.after(async () => {
    await stopCluster(data);
    fs.rmSync(data, { recursive: true, force: true });
  });
  const { state } = await startCluster({ data, apis: 1, workers: 1, redis: null, pgbouncer: null }, { env: {} });

  const status = await statusOf(data);
  assert.equal(status.running, true);
  assert.ok(state.members.some(({ name }) => name === status.primary));
  const roles = status.lines.filter(({ kind }) => kind === 'patroni').map((line) => line.state.split(',')[0]);
  assert.deepEqual(roles.sort(), ['leader', 'replica', 'sync_standby']);
  const ready = await fetch(`${state.api_url}/health/ready`);
  assert.equal(ready.status, 200);
  assert.equal((await fetch(`${state.api_url}/payments`)).status, 401);
  const [row] = await rowsOf<{ user: string; schema: string }>(
    state.owner_urls.live,
    'select current_user as user, to_regclass($1) as schema',
    ['payments'],
  );
  assert.deepEqual(row, { user: 'pirogue_owner', schema: 'payments' });

  await stopCluster(data);
  assert.ok(state.processes.every((one) => !isRunning(one)));
  assert.equal((await statusOf(data)).running, false);
});
