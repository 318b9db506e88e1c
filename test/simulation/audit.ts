import { sql } from '../../src/kit/sql.ts';
import { isLate } from './oracle-money.ts';
import { judge } from './oracle.ts';
import type { World } from './population.ts';
import { type Shown, type Snapshot, takeSnapshot } from './snapshot.ts';

const MAX_TURNS = 300;
const TURN_MS = 1_000;

/** Compares everything that the world holds once nothing is under way. */
export async function audit(world: World): Promise<string[]> {
  await drain(world);
  const snapshot = await takeSnapshot(world);
  countEnds(world, snapshot);
  return [...[...world.breaches].map((breach) => `MEANWHILE: ${breach}`), ...judge(snapshot)];
}

/** Lets time pass until the delivery queue is empty: each round of a worker takes a limited number of deliveries per endpoint. */
async function drain({ ground: { live, surroundings: around } }: World): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const [left] = await live.all(sql`select 1 from deliveries limit 1`);
    if (!left) return;
    await around.sleep(TURN_MS);
  }
}

function countEnds({ ground: { surroundings: around } }: World, { shops, moved, mismatches, kept, absorbed }: Snapshot): void {
  for (const { payments, refunds, transfers, disputes, links, invoices, events } of shops) {
    for (const [what, all] of Object.entries({ payments, refunds, transfers, disputes, links, invoices }))
      for (const one of all as Shown[]) {
        const { status, reason } = one;
        around.count(`${what}: ${status}`);
        if (isLate(one)) around.count(`${what}: ${status}, arrived late`);
        if (what === 'transfers' && one.account) around.count(`transfers of sub-accounts: ${status}`);
        if (reason) around.count(`${what}: ${status}, ${reason}`);
      }
    for (const { event } of events) around.count(`event ${event}`);
  }
  for (const { flow, denied } of moved) {
    around.count(`moved by a provider: ${flow}`);
    if (denied) around.count(`denied and done: ${flow}`);
  }
  around.count('an amount or currency that differs', mismatches.length);
  around.count('money that was to be returned is kept', kept.length);
  around.count('money that was returned twice is borne by the platform', absorbed.length);
}
