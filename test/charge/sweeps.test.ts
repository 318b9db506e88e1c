import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { expirySweep, pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import type { Sql } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { FakeClock } from '../setup/api.ts';

/** The sweeps of charges without a database: what they claim, when they start what they claimed, and what they say when that fails. */
const clock = new FakeClock();
const SLOTS = 16;

const SWEEPS = [
  {
    ...{ make: pollSweep, name: 'attempt-polls', lease_ms: 30_000, start_ms: 10_000, idle_ms: 200 },
    failure: 'a look at an attempt failed; it comes due again',
  },
  {
    ...{ make: trancheSweep, name: 'tranches', lease_ms: 60_000, start_ms: 30_000, idle_ms: 250 },
    failure: 'the next tranche could not be sent; it comes due again',
  },
];

for (const { make, name, lease_ms, start_ms, idle_ms, failure } of SWEEPS)
  for (const late_ms of [-1, 0]) {
    const title = late_ms < 0 ? 'starts while enough of its lease is left' : 'is left to the next claim once it waited too long';
    test(`${name}: what was claimed ${title}`, async () => {
      let now = 1_000;
      const time = mock.method(performance, 'now', () => now);
      const { promise: gate, reject } = Promise.withResolvers<never>();
      gate.catch(() => {});
      const errors: [{ sweep: string; environment: string }, string][] = [];
      const claims: unknown[][] = [];
      let steps = 0;
      const wait = () => {
        steps++;
        return gate;
      };
      const rows = Array.from({ length: SLOTS + 1 }, (_, n) => ({ team_id: 1n, id: `att_${n}`, provider_account: 'one' }));
      const all = async ({ values }: Sql) => {
        if (claims.push([...values]) === 1) return rows;
        return wait();
      };
      const log = { error: (...said: (typeof errors)[number]) => errors.push(said) };
      const sweep = make(
        { clock, log, providers: { byAccount: wait } } as unknown as Parameters<typeof make>[0],
        { environment: 'live', db: { all, maybe: wait } } as unknown as Store,
      );
      assert.deepEqual([sweep.name, sweep.environment, sweep.idle_ms], [name, 'live', idle_ms]);
      const round = sweep.round();
      while (steps < SLOTS) await new Promise(setImmediate);
      now += start_ms + late_ms;
      reject(new Error('closed'));
      await round;
      time.mock.restore();
      const times = claims[0]?.filter((value) => value instanceof Date);
      assert.deepEqual(times, [new Date(clock.now() + lease_ms), new Date(clock.now())]);
      assert.equal(steps, late_ms < 0 ? SLOTS + 1 : SLOTS);
      assert.deepEqual([errors[0]?.[0].sweep, errors[0]?.[0].environment, errors[0]?.[1]], [name, 'live', failure]);
    });
  }

test('payment-expiry: a round without an expired payment is one statement and no transaction', async () => {
  const statements: Sql[] = [];
  const maybe = async (statement: Sql) => void statements.push(statement);
  const deps = { clock } as unknown as Parameters<typeof expirySweep>[0];
  const sweep = expirySweep(deps, { environment: 'live', db: { maybe } } as unknown as Store);
  assert.equal(await sweep.round(), 0);
  assert.equal(statements.length, 1);
  assert.deepEqual(statements[0]?.values[0], new Date(clock.now()));
});
