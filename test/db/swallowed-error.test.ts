import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, type Queryable, sql } from '../../src/kit/sql.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** PostgreSQL answers COMMIT with ROLLBACK, and no error, when a statement of the transaction has failed before. */
let databases: Databases;
let pool: DbPool;
before(async () => {
  databases = await cloneDatabases();
  pool = openPool({ url: databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  await pool.run(sql`create table kept (n integer primary key)`);
});
after(async () => {
  await pool.close();
  await databases.drop();
});

const failIn = (tx: Queryable) => tx.run(sql`select 1 / 0`).catch(() => {});

for (const [title, db] of [
  ['a plain transaction', () => pool as Db],
  ['a transaction of one team', () => pool.seeing(1n)],
] as const) {
  test(`${title} that swallowed the error of a statement is reported as failed, with that error as its cause`, async () => {
    const work = db().transaction(async (tx) => {
      await tx.all(sql`select 1`);
      await failIn(tx);
      return 'done';
    });
    await assert.rejects(work, (error: Error) => {
      assert.match(error.message, /rolled back/);
      assert.match((error.cause as Error).message, /division by zero/);
      return true;
    });
    assert.deepEqual(pool.use(), { busy: 0, idle: 1, waiting: 0, most: 1 }, 'its connection is free again');
    assert.equal(await db().transaction(async () => 'done'), 'done');
  });
}

test('data that a transaction wrote before the swallowed error is not reported as stored', async () => {
  const work = pool.transaction(async (tx) => {
    await tx.run(sql`insert into kept values (1)`);
    await failIn(tx);
  });
  await assert.rejects(work, /rolled back/);
  assert.deepEqual(await pool.all(sql`select n from kept`), []);
});

test('a swallowed serialisation failure is retried like a thrown one', async () => {
  let runs = 0;
  await pool.transaction(async (tx) => {
    runs++;
    if (runs > 1) return;
    await tx.run(sql`do $$ begin raise exception using errcode = 'serialization_failure'; end $$`).catch(() => {});
  });
  assert.equal(runs, 2);
});
