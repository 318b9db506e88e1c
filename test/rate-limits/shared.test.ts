import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { within } from '../../src/platform/rate-limits/deadline.ts';
import { type Connection, SharedCounters } from '../../src/platform/rate-limits/shared.ts';

const log = createLog({ level: 'silent', format: 'json' });
const LIMITS = [
  { name: 'a', ceiling: 3 },
  { name: 'b', ceiling: 5 },
];

/** A Redis that answers what the test says. */
function connection(answer: (command: readonly string[]) => Promise<unknown>): Connection & { sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    send: (command) => {
      sent.push(command[0] as string);
      return answer(command);
    },
    open: async () => {},
    close: () => {},
  };
}

test('a request takes one round trip and calls the script by its digest', async () => {
  const redis = connection(async () => [0, 1, 59_000, 4, 1_000]);
  const counters = new SharedCounters({ connection: redis, log, timeout_ms: 1_000 });
  await counters.open();
  redis.sent.length = 0;
  assert.deepEqual(await counters.take(LIMITS, 1_000_000), {
    tripped: null,
    standings: [
      { count: 1, resets_at: 1_059_000 },
      { count: 4, resets_at: 1_001_000 },
    ],
  });
  assert.deepEqual(redis.sent, ['EVALSHA']);
  await counters.close();
});

test('a timeout returns null, and nothing more is sent until a probe is answered', async () => {
  let silent = false;
  const redis = connection(() => (silent ? new Promise(() => {}) : Promise.resolve([0, 1, 1, 1, 1])));
  const counters = new SharedCounters({ connection: redis, log, timeout_ms: 20 });
  await counters.open();
  silent = true;
  assert.equal(await counters.take(LIMITS, 0), null);
  redis.sent.length = 0;
  assert.deepEqual([await counters.take(LIMITS, 0), await counters.look(LIMITS, 0)], [null, null]);
  assert.deepEqual([redis.sent, counters.answering], [[], false]);
});

test('time during which the process is busy does not count towards the timeout', async (context) => {
  // Both clocks are the test's: on a loaded machine the process itself is paused at any point.
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let now_ms = 0;
  context.mock.method(performance, 'now', () => now_ms);
  const outcomes: string[] = [];
  const ask = (name: string, promise: Promise<unknown>) =>
    within(10, promise).then(
      () => outcomes.push(`${name} answered`),
      () => outcomes.push(`${name} rejected`),
    );
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  const answer = Promise.withResolvers<void>();
  const busy = ask('busy', answer.promise);
  now_ms = 60;
  context.mock.timers.tick(10);
  await turn();
  assert.deepEqual(outcomes, [], 'the timer fired 50 ms late, so the deadline starts again');
  answer.resolve();
  await busy;

  const idle = ask('idle', new Promise(() => {}));
  now_ms += 10;
  context.mock.timers.tick(10);
  await idle;
  assert.deepEqual(outcomes, ['busy answered', 'idle rejected']);
});

test('a promise that never settles is rejected', async () => {
  await assert.rejects(within(1, new Promise(() => {})), /no answer within 1 ms/);
});
