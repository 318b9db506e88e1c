import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverOccurred, OFTEN } from './coverage.ts';
import { Fleet } from './fleet.ts';
import type { Profile } from './profiles.ts';
import { Run } from './run.ts';

const PAYMENTS = Number(process.env.SIMULATE_PAYMENTS ?? 1_000);
const SEED = process.env.SIMULATE_SEED ?? 'npm test';
const SIZE = 200;

/** Registers the simulation test of one profile. Each profile has its own file, so that they run in parallel. */
export function simulated(profile: Profile['name']): void {
  test(`nothing differs after ${PAYMENTS} simulated payments in ${profile} worlds, seed ${SEED}`, async () => {
    await using fleet = await Fleet.start(1);
    // The seed contains the profile, so that each profile has its own populations.
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
    assert.deepEqual(neverOccurred(occurred, OFTEN), [], 'these never occurred, so the run proves nothing about them');
  });
}
