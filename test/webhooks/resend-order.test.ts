import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { requeueRange } from '../../src/money/webhooks/range-store.ts';
import { Deliveries } from '../setup/deliveries.ts';

const hooks = new Deliveries();
const TYPE = 'payment.succeeded';

test('events of a resource are sent again in their sequence, even if the clocks of their writers disagreed', async () => {
  const endpoint = await hooks.register();
  const team_id = hooks.merchant.team.id;
  const ids = ['evt_test_a1', 'evt_test_b1', 'evt_test_a2', 'evt_test_a3', 'evt_test_b2'];
  await hooks.store.db.run(sql`
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    select ${team_id}::bigint, id, ${TYPE}, resource_id, sequence, 1, '{}'::bytea, '2026-11-01T00:00:00Z'::timestamptz + ms * interval '1 ms'
    from unnest(${ids}::text[], ${['trx_a', 'trx_b', 'trx_a', 'trx_a', 'trx_b']}::text[], ${[1, 1, 2, 3, 2]}::bigint[],
      ${[50, 20, 10, 60, 70]}::integer[]) e (id, resource_id, sequence, ms)`);
  const range = { team_id, types: [TYPE], from: 'evt_test_a', to: 'evt_test_c' };
  const { events } = await hooks.store.db.transaction((tx) => requeueRange(tx, endpoint.id, range, 10));
  assert.equal(events, ids.length);
  const queued = await hooks.store.db.all<{ event_id: string }>(sql`
    select event_id from deliveries where endpoint_id = ${endpoint.id} order by due_at`);
  assert.deepEqual(
    queued.map(({ event_id }) => event_id),
    ['evt_test_b1', 'evt_test_a1', 'evt_test_a2', 'evt_test_a3', 'evt_test_b2'],
  );
});
