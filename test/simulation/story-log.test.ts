import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { randomFrom } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { storyLog } from './story-log.ts';

test('an error of the service is a complaint unless a fault explains it', () => {
  const complaints: string[] = [];
  const log = storyLog(new Scheduler(randomFrom('log'), 0, false), (what) => complaints.push(what));
  log.warn({ err: new TypeError('x is undefined') }, 'warned');
  log.error({ err: new DatabaseUnavailable(new Error('Connection terminated')) }, 'lost');
  log.error({ err: Object.assign(new Error('canceling statement'), { code: '57014' }) }, 'waited');
  log.error({ err: new Error('the step has not ended within 300000 ms') }, 'paused');
  assert.deepEqual(complaints, []);
  log.error({ err: new TypeError('x is undefined') }, 'a request failed');
  log.fatal({ err: Object.assign(new Error('duplicate key'), { code: '23505' }) }, 'a sweep failed');
  assert.deepEqual(complaints, [
    'the service logged error: a request failed TypeError: x is undefined',
    'the service logged fatal: a sweep failed Error: duplicate key',
  ]);
});
