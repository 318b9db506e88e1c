import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { claimDue } from '../../src/money/webhooks/deliveries-store.ts';
import { EVERY_TURN } from '../../src/platform/work/shards.ts';
import { Deliveries } from '../setup/deliveries.ts';

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
