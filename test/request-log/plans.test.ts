import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { makePartitions } from '../../src/platform/db/partitions.ts';
import { listRequests, type Wanted } from '../../src/tenants/request-log/service.ts';
import { MAX_SCANNED } from '../../src/tenants/request-log/store.ts';
import { type Visits, visitsOf } from '../plans/visits.ts';
import { type Api, startApi } from '../setup/api.ts';

/** Of each partition, the first entry is read to compare them. */
const PARTITIONS = 10;
const ROWS = 30_000;
const EVERY_MS = 15_000;

let api: Api;
let sent: Sql[] = [];
const now = Date.now();
before(async () => {
  const watch = (statement: Sql) => {
    if (/from request_log\b/.test(statement.text)) sent.push(statement);
    return null;
  };
  api = await startApi({ workers: false, watch: (database) => (database === 'live' ? watch : undefined) });
  const owner = openPool({
    url: api.databases.live,
    size: 1,
    log: createLog({ level: 'silent', format: 'json' }),
    statement_ms: 120_000,
  });
  for (let day = 6; day >= 0; day--) await makePartitions(owner, 'live', now - day * 86_400_000);
  await fill(owner);
  await owner.close();
});
after(() => api.stop());

/** Requests of the last five days, of which one in a thousand failed. */
async function fill(owner: DbPool): Promise<void> {
  await owner.run(sql`
    insert into request_log (team_id, id, request_id, method, path, status, duration_ms, caller, created_at)
    select ${api.team.id}, overlay(pirogue_lowest_id('rql', 'live', at) placing lpad(n::text, 16, '0') from 15), 'r-' || n, 'GET',
      '/payments', case when n % 1000 = 0 then 500 else 200 end, 1, 'key_' || n % 7, at
    from generate_series(1, ${ROWS}::integer) n, lateral (
      select ${new Date(now)}::timestamptz - n * ${EVERY_MS}::integer * interval '1 ms' as at) t`);
  await owner.run({ text: 'vacuum analyze request_log', values: [] });
}

/** Lists one page and returns what its statement reads. */
async function visits(wanted: Partial<Wanted>): Promise<{ found: number; next: string; read: Visits[] }> {
  const store = api.deps.stores.live.of(api.team.id);
  sent = [];
  const { items, meta } = await listRequests(api.deps, store, api.team.id, { cursor: '', ...wanted }, now);
  const [statement] = sent;
  assert.ok(statement && sent.length === 1);
  return { found: items.length, next: meta.next_cursor, read: await store.db.transaction((tx) => visitsOf(tx, statement)) };
}

const EXPECTED: readonly [name: string, wanted: Partial<Wanted>, found: number, most: number][] = [
  ['no filter', {}, 50, 100],
  ['a request id', { request_id: 'r-29000' }, 1, 10],
  ['failures', { status_from: 400, status_to: 599 }, 30, 100],
  ['one key', { caller: 'key_3' }, 50, MAX_SCANNED],
  ['nothing', { method: 'PUT' }, 0, MAX_SCANNED],
  ['a day', { day: new Date(now - 2 * 86_400_000).toISOString().slice(0, 10) }, 50, 100],
];

for (const [name, wanted, found, most] of EXPECTED) {
  test(`${name}: what a page reads is bounded, at the start and further on`, async () => {
    const first = await visits(wanted);
    assert.equal(first.found, found);
    const second = await visits({ ...wanted, cursor: first.next });
    for (const { rows, plan } of [...first.read, ...second.read]) assert.ok(rows <= most + PARTITIONS, `${rows} rows: ${plan}`);
  });
}
