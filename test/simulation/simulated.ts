import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverOccurred, OFTEN } from './coverage.ts';
import { Fleet } from './fleet.ts';
import type { Profile } from './profiles.ts';
import { Run } from './run.ts';

const PAYMENTS = Number(process.env.SIMULATE_PAYMENTS ?? 600);
const SEED = process.env.SIMULATE_SEED ?? 'npm test';
const SIZE = 200;

/** Tests a share of what `npm test` simulates: a file for each profile, so that they run side by side. */
export function simulated(profile: Profile['name']): void {
  test(`nothing differs after ${PAYMENTS} simulated payments in ${profile} worlds, seed ${SEED}`, async () => {
    await using fleet = await Fleet.start(1);
    // Each profile has populations of its own.
    const seed = `${SEED}, ${profile}`;
    const run = new Run({ seed, payments: PAYMENTS, size: SIZE, profile }, (world) => fleet.run(world));
    const { failed, summary, occurred, payments } = await run.all(console.log);
    console.log(summary);
    assert.deepEqual(
      failed.map(({ world, report }) => ({ world, wrong: report.wrong })),
      [],
      `npm run simulate -- --seed "${seed}" --payments ${PAYMENTS} --size ${SIZE} --profile ${profile} --world ${failed[0]?.world}`,
    );
    assert.equal(payments, PAYMENTS);
    assert.deepEqual(neverOccurred(occurred, OFTEN), [], 'the run proves nothing about what never occurred');
  });
}
