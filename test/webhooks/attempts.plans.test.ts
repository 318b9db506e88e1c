import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { type Queryable, type Sql, sql } from '../../src/kit/sql.ts';
import { listAttempts } from '../../src/money/webhooks/store.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { Deliveries } from '../setup/deliveries.ts';

const hooks = new Deliveries();
const ATTEMPTS = 3_000;
/** A page, and the index up to it; the responses of half of the list fill 250 blocks. */
const MAX_BLOCKS = 150;

test('a late page of attempts does not read the responses of the attempts before it', async () => {
  const { id } = await hooks.register();
  const { db } = hooks.store;
  const team_id = hooks.merchant.team.id;
  await db.run(sql`
    insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, response_status, response_body,
      error, duration_ms, next_attempt_at, created_at)
    select ${team_id}::bigint, 'whd_test_0' || lpad(i::text, 25, '0'), ${id}::text, 'evt_test_' || i, 'payment.created', 1, true, 200,
      (select string_agg(md5(i::text || part::text), '') from generate_series(1, 40) part), null, 3, null, now()
    from generate_series(1, ${ATTEMPTS}::integer) i`);
  const sent: Sql[] = [];
  const all: Queryable['all'] = (statement) => {
    sent.push(statement);
    return db.all(statement);
  };
  const page = ATTEMPTS / 2 / 25;
  const rows = await listAttempts({ ...db, all } as Queryable, { team_id, id }, { kind: 'offset', page, per_page: 25 });
  assert.equal(rows[0]?.event_id, `evt_test_${ATTEMPTS - (page - 1) * 25}`);
  const [{ text, values }] = sent as [Sql];
  const explain = async () =>
    (await db.all<{ 'QUERY PLAN': string }>({ text: `explain (analyze, buffers) ${text}`, values }))
      .map(Object.values)
      .join('\n');
  const blocksOf = (plan: string) => Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1]);
  const owner = openPool({ url: hooks.api.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  let plan = '';
  // A vacuum marks only pages that every transaction can see, and the service works meanwhile.
  for (let tries = 0; tries < 50 && !(blocksOf(plan) < MAX_BLOCKS); tries++) {
    await owner.run({ text: 'vacuum analyze delivery_attempts', values: [] });
    plan = await explain();
  }
  await owner.close();
  assert.ok(blocksOf(plan) < MAX_BLOCKS, plan);
});
