import { sql } from '../../src/kit/sql.ts';
import { isLate, waitingPayouts } from './oracle-money.ts';
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
  const despite = await sentDespite(world);
  return [...[...world.breaches].map((breach) => `MEANWHILE: ${breach}`), ...despite, ...judge(snapshot)];
}

/**
 * Refunds that were sent again although the service had stored that a person is needed. An answer that it never heard binds it to nothing;
 * what it stores is from before, because it does not apply an answer to an earlier sending, and gets no such answer to a later one.
 */
async function sentDespite({ bank, ground: { live } }: World): Promise<string[]> {
  if (bank.sentDespite.length === 0) return [];
  const stored = await live.all<{ id: string; of: string }>(sql`
    select r.id, a.provider_key as of
    from refunds r cross join json_array_elements(r.legs) as leg join attempts a on a.team_id = r.team_id and a.id = leg->>'attempt_id'
    where leg->>'halted' = 'true'`);
  const halted = new Set(stored.map(({ id, of }) => `${id} ${of}`));
  const wrong = bank.sentDespite.filter(({ refund_id, of }) => halted.has(`${refund_id} ${of}`));
  return wrong.map(({ refund_id, of }) => `HALTED: ${refund_id} of ${of} was sent again although it needs a person`);
}

/** Lets time pass until the delivery queue is empty: each round of a worker takes a limited number of deliveries per endpoint. */
async function drain({ ground: { live, surroundings: around } }: World): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const [left] = await live.all(sql`select 1 from deliveries limit 1`);
    if (!left) return;
    await around.sleep(TURN_MS);
  }
}

function countEnds({ ground: { surroundings: around } }: World, snapshot: Snapshot): void {
  const { shops, moved, mismatches, kept, absorbed } = snapshot;
  for (const { payments, refunds, transfers, disputes, links, invoices, events, retrieved } of shops) {
    for (const [what, all] of Object.entries({ payments, refunds, transfers, disputes, links, invoices }))
      for (const one of all as Shown[]) {
        const { status, reason } = one;
        around.count(`${what}: ${status}`);
        if (isLate(one)) around.count(`${what}: ${status}, arrived late`);
        if (what === 'transfers' && status === 'failed') around.count(`payouts: failed because of ${reason}`);
        if (what === 'transfers' && one.account) around.count(`transfers of sub-accounts: ${status}`);
        if (reason) around.count(`${what}: ${status}, ${reason}`);
      }
    around.count('a payment that was tried again on its page', retrieved.filter(({ retry_of }) => retry_of).length);
    const open = new Set(links.flatMap(({ id, amount }) => (amount === null ? [id] : [])));
    around.count('a payment of a link without an amount', retrieved.filter(({ metadata }) => open.has(metadata?.link)).length);
    for (const { event } of events) around.count(`event ${event}`);
  }
  for (const { flow, denied } of moved) {
    around.count(`moved by a provider: ${flow}`);
    if (denied) around.count(`denied and done: ${flow}`);
  }
  around.count('an amount or currency that differs', mismatches.length);
  around.count('a payout that waits because another amount moved', waitingPayouts(snapshot).size);
  around.count('money that was to be returned is kept', kept.length);
  around.count('money that was returned twice is borne by the platform', absorbed.length);
}
