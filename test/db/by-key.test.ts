import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { type Queryable, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** Transactions whose statements reach their rows by keys, on a single connection. */
let databases: Databases;
let pool: DbPool;
before(async () => {
  databases = await cloneDatabases();
  pool = openPool({ url: databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await pool.close();
  await databases.drop();
});

const IDS = ['trx_1', 'trx_2'];
/** The name of a statement is that of its place, so all transactions below share it. */
const lock = (db: Queryable) =>
  db.all<{ plan: string }>(sql`
    select id from payments where (team_id, id) in (select * from unnest(${[1n, 1n]}::bigint[], ${IDS}::text[])) for update`);
const planOf = async (db: Queryable) => {
  const rows = await db.all<{ statement: string; name: string }>(sql`
    select name, statement from pg_prepared_statements where statement like '%for update%' and not statement like '%pg_prepared%'`);
  return rows.map(({ name }) => name.split(' ')[0]).sort();
};
const settings = (db: Queryable) =>
  db.maybe(sql`select current_setting('enable_seqscan') as seqscan, current_setting('enable_hashjoin') as hashjoin,
    current_setting('enable_mergejoin') as mergejoin, current_setting('plan_cache_mode') as plans`);

const USUAL = { seqscan: 'on', hashjoin: 'on', mergejoin: 'on', plans: 'auto' };
const BY_KEY = { seqscan: 'off', hashjoin: 'off', mergejoin: 'off', plans: 'force_generic_plan' };

for (const [title, scope] of [
  ['of one team', 1n],
  ['of all teams', 'all_teams'],
] as const) {
  test(`a transaction ${title} by keys restricts the plans of its own statements only`, async () => {
    const db = pool.seeing(scope);
    assert.deepEqual(await db.transaction(settings), USUAL);
    assert.deepEqual(await db.transaction(settings, 'by_key'), BY_KEY);
    assert.deepEqual(await db.transaction(settings), USUAL);
    await db.transaction(() => Promise.reject(new Error('rolled back')), 'by_key').catch(() => {});
    assert.deepEqual(await db.transaction(settings), USUAL);
    assert.deepEqual(await settings(db), USUAL);
  });
}

test('a plan that was kept outside is not used by keys', async () => {
  const db = pool.seeing(1n);
  await db.transaction(lock);
  await db.transaction(lock, 'by_key');
  const names = await planOf(pool);
  assert.equal(names.length, 2);
  assert.ok(names.includes('key'), names.join(', '));
});
