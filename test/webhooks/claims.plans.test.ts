import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { must } from '../../src/kit/errors.ts';
import { createLog } from '../../src/kit/log.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { type Queryable, type Sql, sql } from '../../src/kit/sql.ts';
import { type Claim, claimDue, type Outcome, recordOutcomes } from '../../src/money/webhooks/deliveries-store.ts';
import { findSendable } from '../../src/money/webhooks/store.ts';
import { Deliveries } from '../setup/deliveries.ts';
import { EVERY_TURN } from '../../src/platform/work/shards.ts';

const hooks = new Deliveries();

/** Statements that were sent, with the results that they had. */
function watched(db: Queryable) {
  const sent: Sql[] = [];
  const all: Queryable['all'] = (statement) => {
    sent.push(statement);
    return db.all(statement);
  };
  const maybe: Queryable['maybe'] = (statement) => {
    sent.push(statement);
    return db.maybe(statement);
  };
  return { db: { ...db, all, maybe } as Queryable, sent };
}

const claim = (db: Queryable, rows: number) =>
  claimDue(db, {
    after: '',
    rows,
    endpoints: 512,
    lease_ms: 60_000,
    slots: rows,
    failing_slots: 2,
    failing_rows: rows,
    busy: {},
    turn: EVERY_TURN,
  });

/** What the worker records when every endpoint answered. */
const answered = ({ rows, claim: holder }: Claim): Outcome[] =>
  rows.map(({ id, event_type }) => ({
    id: String(id),
    claim: holder,
    retry_ms: null,
    attempt: {
      attempt_id: `whd_test_${id}`,
      event_type,
      succeeded: true,
      status: 200,
      body: 'ok',
      error: null,
      ms: 3,
      at: new Date().toISOString(),
    },
  }));

async function explained({ text, values, by_key }: Sql) {
  const rows = await hooks.store.db.all<{ 'QUERY PLAN': string }>({
    text: `explain (analyze, buffers) ${text}`,
    values,
    ...(by_key && { by_key }),
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  return { plan, blocks: Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1]) };
}

/** Returns a value of a statement as it is written in SQL. */
function literal(value: unknown): string {
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value));
}

/** Makes endpoints like this one. */
function copies(endpoint_id: string, count: number) {
  return hooks.store.db.run(sql`
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, api_version, created_at, updated_at)
    select team_id, id || i, url, secret_sealed, events, api_version, created_at, updated_at
    from webhook_endpoints, generate_series(1, ${count}::integer) i where id = ${endpoint_id}`);
}

/** Makes deliveries to the copies in turn, all due at the same instant, as those of a batch of payments are. */
function backlog(endpoint_id: string, endpoints: number, count: number) {
  return hooks.store.db.run(sql`
    with made as (
      insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
      select ${hooks.merchant.team.id}::bigint, ${endpoint_id}::text || i, 'payment.created', 'trx_test_' || i, 1, 1, '{}'::bytea, now()
      from generate_series(1, ${count}::integer) i
    )
    insert into deliveries (team_id, endpoint_id, event_id)
    select ${hooks.merchant.team.id}::bigint, ${endpoint_id}::text || 1 + i % ${endpoints}::integer, ${endpoint_id}::text || i from generate_series(1, ${count}::integer) i`);
}

test('claims and outcomes reach their rows by keys, whatever PostgreSQL knows of the tables', async () => {
  const { id } = await hooks.register();
  await copies(id, 5);
  await backlog(id, 5, 50);
  const { db, sent } = watched(hooks.store.db);
  const claimed = await claim(db, 20);
  assert.equal((await findSendable(db, must(claimed.rows[0], 'it is due')))?.body.toString(), '{}');
  await recordOutcomes(db, { environment: 'sandbox', disable_after_days: 5 }, answered(claimed));
  assert.equal(sent.length, 3);
  for (const statement of sent) {
    assert.ok(statement.name && statement.by_key, 'planned once');
    const { plan } = await explained(statement);
    assert.doesNotMatch(plan, /Seq Scan on (?:deliveries|events|webhook_endpoints)|Hash Join|Merge Join/);
  }
});

test('a claim that was planned while the tables were empty reads what it claims, not the backlog', async () => {
  const pool = openPool({ url: hooks.api.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  after(() => pool.close());
  await pool.run({ text: 'truncate deliveries, events, webhook_endpoints cascade', values: [] });
  const service = pool.seeing('all_teams');
  const { db, sent } = watched(service);
  for (let i = 0; i < 8; i++) await claim(db, 30);
  const { id } = await hooks.register();
  await copies(id, 1);
  await backlog(id, 1, 20_000);
  assert.equal((await claim(db, 30)).rows.length, 30);
  const { name, values } = sent.at(-1) as Sql;
  const rows = await service.transaction(
    (tx) =>
      tx.all<{ 'QUERY PLAN': string }>({
        text: `explain (analyze, buffers) execute "all ${name}"(${values.map(literal).join(', ')})`,
        values: [],
      }),
    'by_key',
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.ok(Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1]) < 500, plan);
});
