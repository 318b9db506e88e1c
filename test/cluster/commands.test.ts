import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { chosenFaults } from '../../cluster/faults-command.ts';
import { FAULTS } from '../../cluster/faults/catalogue.ts';
import { OptionError, readOptions } from '../../cluster/options.ts';
import { findPrograms, missingText } from '../../cluster/packages.ts';
import { simulatorsIn } from '../../cluster/parts/program.ts';
import { freePorts } from '../../cluster/ports.ts';
import { isRunning, signalProcess, startProcess } from '../../cluster/processes.ts';
import { ownUrls, programNames, startCluster } from '../../cluster/start.ts';
import { readState, record, type State, writeState } from '../../cluster/state.ts';
import { statusOf, statusText } from '../../cluster/status.ts';
import { stopCluster } from '../../cluster/stop.ts';

const NONE = { control: '', sandbox: '', live: '' };

/** A cluster of processes that only wait. */
function fakeCluster(t: TestContext, names: readonly string[]): State {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-cluster-test-'));
  const state: State = {
    ...{ folder, source: '/', api_url: 'http://127.0.0.1:1', members: [], owner_urls: NONE, service_urls: NONE },
    ...{ service_env: {}, redis_url: '', simulators: [], processes: [] },
    choices: { ports: {}, passwords: { superuser: '', replication: '', rewind: '', owner: '', service: '' }, secrets_key: '' },
  };
  writeState(state);
  for (const name of names) {
    const command = ['/bin/sleep', '60'];
    record(
      state,
      startProcess({ name, kind: 'redis', command, env: {}, cwd: '/', log: `${folder}/${name}.log`, address: 'nowhere' }),
    );
  }
  t.after(async () => {
    await stopCluster(folder);
    fs.rmSync(folder, { recursive: true });
  });
  return state;
}

describe('options', () => {
  test('what is not given has a default; faults get a folder of their own', () => {
    const options = readOptions(['start'], '/here');
    assert.deepEqual(
      { data: options?.data, apis: options?.apis, workers: options?.workers },
      { data: '/here/var/cluster', apis: 2, workers: 2 },
    );
    assert.equal(readOptions(['faults'], '/here')?.data, null);
    assert.deepEqual(readOptions(['faults', '--only', 'a,b'], '/here')?.only, ['a', 'b']);
    assert.equal(readOptions(['--help']), null);
  });

  for (const wrong of [
    [],
    ['begin'],
    ['start', 'stop'],
    ['start', '--apis', '0'],
    ['start', '--apis', 'x'],
    ['start', '--nothing'],
  ]) {
    test(`${wrong.join(' ') || 'no command'} is rejected`, () => assert.throws(() => readOptions(wrong), OptionError));
  }

  test('databases of the caller are taken all or not at all', () => {
    assert.equal(ownUrls({}), null);
    assert.throws(() => ownUrls({ LIVE_DATABASE_URL: 'postgresql://x' }), /set all three/);
  });
});

describe('faults', () => {
  test('all run in the order of the catalogue; a seed begins with a later one; names choose', () => {
    const names = (only: string[], seed: number) => chosenFaults({ only, seed }).map(({ name }) => name);
    const all = FAULTS.map(({ name }) => name);
    assert.deepEqual(names([], 1), all);
    assert.deepEqual(names([], 3), [...all.slice(2), ...all.slice(0, 2)]);
    assert.deepEqual(names([], 1 + all.length), all);
    assert.deepEqual(names(['redis-gone'], 5), ['redis-gone']);
    assert.throws(() => names(['nothing'], 1), OptionError);
  });
});

describe('packages', () => {
  test('a missing program is reported with its package and the line that installs it', () => {
    const { missing } = findPrograms(['haproxy'], '');
    const text = missingText(['haproxy', 'etcd-server']);
    assert.match(text, /apt-get install --no-install-recommends haproxy etcd-server$/);
    assert.ok(missing.length === 0 || missing.includes('haproxy'));
  });

  test('an unknown file for PgBouncer is rejected before anything is started', {
    skip: process.platform !== 'linux',
  }, async (t) => {
    const { folder } = fakeCluster(t, []);
    const options = { data: path.join(folder, 'new'), apis: 1, workers: 1, redis: 'redis://127.0.0.1:1', pgbouncer: '/none' };
    await assert.rejects(startCluster(options, { env: {} }), /--pgbouncer \/none: no such file|not installed: /);
    assert.equal(readState(options.data), null);
  });
});

describe('processes', { skip: process.platform !== 'linux' }, () => {
  test('status shows what runs and what has ended', async (t) => {
    const state = fakeCluster(t, ['one', 'two']);
    assert.equal((await statusOf(state.folder)).running, true);
    const [one] = state.processes;
    if (one) signalProcess(one, 'SIGKILL');
    while (one && isRunning(one)) await new Promise((resolve) => setTimeout(resolve, 10));
    const status = await statusOf(state.folder);
    assert.deepEqual(
      status.lines.map(({ name, state }) => [name, state]),
      [
        ['one', 'ended'],
        ['two', 'running'],
      ],
    );
    assert.equal(status.running, false);
    assert.match(statusText(status), /one +\d+ +ended +nowhere/);
  });

  test('stop ends what was started, and is idempotent', async (t) => {
    const state = fakeCluster(t, ['one', 'two']);
    assert.deepEqual(await stopCluster(state.folder), ['one', 'two']);
    assert.ok(state.processes.every((one) => !isRunning(one)));
    assert.deepEqual(await stopCluster(state.folder), []);
    assert.equal((await statusOf(state.folder)).running, false);
    assert.deepEqual(await stopCluster(path.join(state.folder, 'nothing')), []);
  });

  test('a frozen process is stopped too', async (t) => {
    const state = fakeCluster(t, ['one']);
    const [one] = state.processes;
    if (one) signalProcess(one, 'SIGSTOP');
    assert.deepEqual(await stopCluster(state.folder), ['one']);
  });

  test('a process that has got the pid of one of ours is left alone', async (t) => {
    const [state, other] = [fakeCluster(t, []), fakeCluster(t, ['other'])];
    const [process] = other.processes;
    assert.ok(process);
    record(state, { ...process, name: 'ours', started: '1' });
    assert.deepEqual(await stopCluster(state.folder), []);
    assert.equal(isRunning(process), true);
  });
});

test('ports are different from each other', async () => {
  const ports = Object.values(await freePorts(['a', 'b', 'c', 'd']));
  assert.equal(new Set(ports).size, 4);
});

test('API and worker processes are numbered', () => {
  assert.deepEqual(programNames({ apis: 2, workers: 1 }), ['api1', 'api2', 'worker1']);
});

test('addresses and credentials of the simulators are read from what they print, those of an earlier start not', () => {
  const printed = (port: number) =>
    `wave  http://127.0.0.1:${port}\n  api_key     k\n  add it:    npm run pirogue -- providers add wave --set base_url=http://127.0.0.1:${port} api_key=k=1\n  look in: x\n\n`;
  assert.deepEqual(simulatorsIn(printed(20_100) + printed(20_200), 20_200), [
    { name: 'wave', url: 'http://127.0.0.1:20200', credentials: { base_url: 'http://127.0.0.1:20200', api_key: 'k=1' } },
  ]);
});
