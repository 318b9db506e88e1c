import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { createLog } from '../../src/kit/log.ts';
import { startSweep } from '../../src/platform/work/sweep.ts';
import { FakeClock } from '../setup/api.ts';

const log = createLog({ level: 'silent', format: 'json' });

/** A sweep that rests for an hour, after its first round. */
async function rested(round: () => Promise<number>) {
  const clock = new FakeClock();
  const rounds = new EventEmitter();
  const first = once(rounds, 'over');
  const worker = startSweep(
    { name: 'rare', environment: 'sandbox', idle_ms: 3_600_000, round: () => round().finally(() => rounds.emit('over')) },
    { clock, log },
  );
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  return { clock, worker };
}

test('an idle worker is not reported as stuck', async () => {
  const { clock, worker } = await rested(async () => 0);
  clock.advance(600_000);
  assert.equal(worker.lastRound(), clock.now());
  await worker.stop();
});

test('a worker whose round failed has not completed one, however long it is idle', async () => {
  const { clock, worker } = await rested(async () => {
    throw new Error('no database');
  });
  clock.advance(600_000);
  assert.equal(worker.lastRound(), clock.now() - 600_000);
  await worker.stop();
});

const withCode = (code: string) => Object.assign(new Error(code), { code });
for (const [what, error] of [
  ['the database is not available', new DatabaseUnavailable(new Error('no connection'))],
  ['the server ended a statement at its deadline', withCode('57014')],
  ['a lock was not available in time', withCode('55P03')],
] as const)
  test(`a round that failed because ${what} is completed: every node has that database`, async () => {
    const clock = new FakeClock();
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    const round = async () => {
      clock.advance(600_000);
      resolve();
      throw error;
    };
    const worker = startSweep({ name: 'rare', environment: 'sandbox', idle_ms: 3_600_000, round }, { clock, log });
    await failed;
    await new Promise((next) => setImmediate(next));
    assert.equal(worker.lastRound(), clock.now());
    await worker.stop();
  });

test('a worker that cannot end in order stops all the same, so that nobody who waits for it is cut short', async () => {
  const said: unknown[] = [];
  const end = async () => {
    throw new Error('no database');
  };
  const worker = startSweep(
    { name: 'membership', environment: 'sandbox', idle_ms: 3_600_000, round: async () => 0, end },
    { clock: new FakeClock(), log: { ...log, warn: (fields: unknown) => void said.push(fields) } as typeof log },
  );
  await worker.stop();
  assert.equal(said.length, 1);
});
