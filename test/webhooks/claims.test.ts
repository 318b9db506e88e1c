import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { claimDue } from '../../src/money/webhooks/deliveries-store.ts';
import { dropDeliveries, dropQueuesOfInactive } from '../../src/money/webhooks/store.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { EVERY_TURN } from '../../src/platform/work/shards.ts';
import { Deliveries } from '../setup/deliveries.ts';
import { untilLocked } from '../setup/locks.ts';

const hooks = new Deliveries();

/** Claims all that is due, for a worker that sends nothing yet. */
async function claimed(lease_ms: number): Promise<number> {
  const limits = { rows: 10, endpoints: 10, slots: 5, failing_slots: 1, failing_rows: 5 };
  const { rows } = await claimDue(hooks.store.db, { after: '', lease_ms, busy: {}, turn: EVERY_TURN, ...limits });
  return rows.length;
}

for (const failing of [false, true])
  test(`${failing ? 'a retry to a failing endpoint' : 'a first try'} is claimed by another worker once its lease is over, and by nobody before`, async () => {
    const { id } = await hooks.register();
    await hooks.announce();
    if (failing) {
      await hooks.store.db.run(sql`update webhook_endpoints set failing_since = pirogue_now() where id = ${id}`);
      await hooks.store.db.run(sql`update deliveries set tries = 1 where endpoint_id = ${id}`);
    }
    assert.equal(await claimed(-1_000), 1);
    assert.equal(await claimed(600_000), 1, 'the lease was over');
    assert.equal(await claimed(600_000), 0, 'another worker has it');
  });

for (const [what, drop] of [
  ['with its deactivation', ({ id }) => hooks.store.db.transaction((tx) => dropDeliveries(tx, id))],
  ['afterwards', (ref) => hooks.store.db.transaction((tx) => dropQueuesOfInactive(tx, [ref]))],
] as [string, (ref: { team_id: bigint; id: string }) => Promise<void>][])
  test(`a delivery that is claimed while the queue of its endpoint is dropped ${what} is kept`, async () => {
    const { id } = await hooks.register();
    await hooks.announce(2);
    await hooks.store.db.run(sql`update webhook_endpoints set active = false where id = ${id}`);
    const url = hooks.api.databases.sandbox;
    const worker = await connectClient(url);
    try {
      await worker.query('begin');
      await worker.query('update deliveries set claim = gen_random_uuid() where id = (select min(id) from deliveries)');
      const dropped = drop({ team_id: hooks.merchant.team.id, id });
      await untilLocked(url, 'delete from deliveries');
      await worker.query('commit');
      await dropped;
    } finally {
      await worker.end();
    }
    const kept = await hooks.store.db.all<{ claimed: boolean }>(sql`select claim is not null as claimed from deliveries`);
    assert.deepEqual(kept, [{ claimed: true }]);
  });
