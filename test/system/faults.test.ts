import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/kit/sql.ts';
import { randomOf } from '../../twins/kit/random.ts';
import { differences, leftOpen } from './audit.ts';
import { Shop } from './shop.ts';
import { startWorld, type World } from './world.ts';

const PAYMENTS = Number(process.env.FAULT_PAYMENTS ?? 200);
/** Another run each day; the seed of a red one is printed and makes it again. */
const SEED = Number(process.env.FAULT_SEED ?? 20_261_121);
/** Time between two deaths, on average. */
const LIFE_MS = 1_500;
const SETTLE_MS = 240_000;

test(`${PAYMENTS} payments under random faults and SIGKILLs: 0 charged twice, 0 lost, 0 unknown left (seed ${SEED})`, async (t) => {
  const world = await startWorld(SEED);
  t.after(() => world.stop());
  const shop = new Shop(world, SEED);
  let serving = true;
  const reaper = reap(world, () => serving);
  const every = Math.max(1, Math.floor(PAYMENTS / 10));
  await shop.serveAll(PAYMENTS, (count) => {
    if (count % every === 0) t.diagnostic(`${count} of ${PAYMENTS} orders, ${world.deaths} deaths`);
  });
  serving = false;
  await reaper;
  for (const twin of world.twins) twin.recover();
  await settled(world);
  t.diagnostic(await summary(world));
  assert.deepEqual(await differences(world, PAYMENTS), []);
});

/** Kills the API or the worker now and then. */
async function reap(world: World, go: () => boolean): Promise<void> {
  const random = randomOf(SEED + 1);
  while (go()) {
    await sleep(LIFE_MS * (0.5 + random()));
    if (go()) await world.kill(random() < 0.5 ? 'api' : 'worker');
  }
}

/** Nobody does anything any more but the workers. */
async function settled(world: World): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const open = await leftOpen(world.live);
    if (Object.values(open).every((count) => count === 0)) return;
    assert.ok(Date.now() < deadline, `still open: ${JSON.stringify(open)}`);
    await sleep(250);
  }
}

/** What the run was like: a storm that blew nowhere proves nothing. */
async function summary({ live, twins, deaths }: World): Promise<string> {
  const statuses = await live.all<{ status: string; count: bigint }>(
    sql`select status, count(*) as count from payments group by status order by count desc`,
  );
  const faults = twins.map(({ name, faults: storm }) => `${name} ${Object.values(storm.counts()).reduce((a, b) => a + b, 0)}`);
  assert.ok(deaths > 0, 'nothing was killed');
  return [
    `${deaths} deaths`,
    `decided by twins: ${faults.join(', ')}`,
    statuses.map(({ status, count }) => `${count} ${status}`).join(', '),
  ].join('; ');
}
