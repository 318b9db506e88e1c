// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/kit/sql.ts';
import { randomOf } from '../../simulators/kit/random.ts';
import { report } from '../setup/progress.ts';
import { differences, leftOpen } from './audit.ts';
import { decideByStatement } from './person.ts';
import { Shop } from './shop.ts';
import { startWorld, type World } from './world.ts';

const PAYMENTS = Number(process.env.FAULT_PAYMENTS ?? 200);
/** Another run each day; the seed of a red one is printed and makes it again. */
const SEED = Number(process.env.FAULT_SEED ?? 20_261_121);
/** Answers to the shop between two deaths, on average: on a busy machine too, a life is long enough to get something done. */
const LIFE_ANSWERS = 10;
/** They die in the middle of whatever comes next. */
const LAST_MOMENTS_MS = 300;
const SETTLE_MS = 240_000;

test(`${PAYMENTS} payments under random faults and SIGKILLs: 0 charged twice, 0 lost, 0 unknown left (seed ${SEED})`, async (t) => {
  const world = await startWorld(SEED);
  t.after(() => world.stop());
  const shop = new Shop(world, SEED);
  let serving = true;
  const reaper = reap(world, shop, () => serving);
  const every = Math.max(1, Math.floor(PAYMENTS / 10));
  await shop.serveAll(PAYMENTS, (count) => {
    if (count % every === 0) report(t, `${count} of ${PAYMENTS} orders, ${world.deaths} deaths`);
  });
  serving = false;
  await reaper;
  for (const simulator of world.simulators) simulator.recover();
  const decided = await settled(world);
  t.diagnostic(`${await summary(world)}; ${decided} decided by M-Pesa's statement`);
  assert.deepEqual(await differences(world, PAYMENTS), []);
});

/** Kills the API or the worker now and then. */
async function reap(world: World, shop: Shop, go: () => boolean): Promise<void> {
  const random = randomOf(SEED + 1);
  while (go()) {
    const enough = shop.answers + LIFE_ANSWERS * (0.5 + random());
    while (go() && shop.answers < enough) await sleep(20);
    await sleep(LAST_MOMENTS_MS * random());
    if (go()) await world.kill(random() < 0.5 ? 'api' : 'worker');
  }
}

/** Nobody does anything any more but the workers, and for M-Pesa a person. @returns how many it decided */
async function settled(world: World): Promise<number> {
  const deadline = Date.now() + SETTLE_MS;
  for (let decided = 0; ; ) {
    const open = await leftOpen(world.live);
    if (Object.values(open).every((count) => count === 0)) return decided;
    decided += await decideByStatement(world);
    assert.ok(Date.now() < deadline, `still open: ${JSON.stringify(open)}`);
    await sleep(250);
  }
}

/** What the run was like: a storm that blew nowhere proves nothing. */
async function summary({ live, simulators, deaths }: World): Promise<string> {
  const statuses = await live.all<{ status: string; count: bigint }>(
    sql`select status, count(*) as count from payments group by status order by count desc`,
  );
  const faults = simulators.map(
    ({ name, faults: storm }) => `${name} ${Object.values(storm.counts()).reduce((a, b) => a + b, 0)}`,
  );
  assert.ok(deaths > 0, 'nothing was killed');
  return [
    `${deaths} deaths`,
    `decided by simulators: ${faults.join(', ')}`,
    statuses.map(({ status, count }) => `${count} ${status}`).join(', '),
  ].join('; ');
}
