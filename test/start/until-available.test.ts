import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../src/kit/log.ts';
import { untilAvailable } from '../../src/program/start/until-available.ts';

const log = createLog({ level: 'silent', format: 'json' });
const stopped = Promise.resolve('SIGTERM');

test('a try that does not end is given up some time after the process was stopped', async () => {
  const hanging = () => new Promise<object>(() => {});
  const began = performance.now();
  const result = untilAvailable(hanging, log, stopped, 300);
  assert.equal(await Promise.race([result, sleep(5_000, 'it waits')]), undefined);
  assert.ok(performance.now() - began >= 290, 'it had its time');
});

test('a try that is under way when the process is stopped may end', async () => {
  const ending = async () => {
    await sleep(100);
    return { ready: true };
  };
  assert.deepEqual(await untilAvailable(ending, log, stopped, 5_000), { ready: true });
});
