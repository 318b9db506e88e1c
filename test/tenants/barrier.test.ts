import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { APP_ROLE, type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, pgCode, type Queryable, sql } from '../../src/kit/sql.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { many } from '../setup/many.ts';

/** What a statement that forgot its team sees and changes: only what belongs to the team its handle was opened for. */
let databases: Databases;
let owner: DbPool;
let app: DbPool;
let [one, two, all]: Db[] = [];
before(async () => {
  databases = await cloneDatabases();
  const log = createLog({ level: 'silent', format: 'json' });
  owner = openPool({ url: databases.sandbox, size: 2, log });
  // One connection: whatever a statement leaves behind on it, the next one meets.
  app = openPool({ url: databases.sandbox, size: 1, log, role: APP_ROLE });
  [one, two, all] = [app.seeing(1n), app.seeing(2n), app.seeing('all_teams')];
  await owner.run(sql`
    insert into customers (team_id, id, name, email, created_at, updated_at)
    select team, 'cus_' || team || '_' || n, 'Awa ' || n, 'awa' || n || '@shop.example', now(), now()
    from unnest(array[1, 2]) team, generate_series(1, 3) n`);
  await owner.run(sql`insert into customer_search select team_id, id, lower(name) from customers`);
});
after(async () => {
  await Promise.all([app.close(), owner.close()]);
  await databases.drop();
});

const INSUFFICIENT_PRIVILEGE = '42501';
const teamsSeen = async (db: Queryable | undefined) =>
  (await (db as Queryable).all<{ team_id: bigint }>(sql`select distinct team_id from customers order by 1`)).map(
    ({ team_id }) => team_id,
  );
const namesOf = async (team_id: bigint) =>
  (await owner.all<{ name: string }>(sql`select name from customers where team_id = ${team_id} order by id`)).map(
    ({ name }) => name,
  );
const insertFor = (team_id: bigint, id: string) =>
  sql`insert into customers (team_id, id, name, created_at, updated_at) values (${team_id}, ${id}, 'Eve', now(), now())`;

test('a team handle reads its own rows, the handle of all teams reads every row, and a bare pool reads none', async () => {
  assert.deepEqual(await teamsSeen(one), [1n]);
  assert.deepEqual(await teamsSeen(two), [2n]);
  assert.deepEqual(await teamsSeen(all), [1n, 2n]);
  assert.deepEqual(await teamsSeen(app), []);
  assert.deepEqual(await app.transaction((tx) => teamsSeen(tx)), []);
  assert.deepEqual(await one?.all(sql`select id from customers where team_id = ${2n}`), [], 'naming another team does not help');
});

test('an update or delete without a team condition affects only rows of the team', async () => {
  const theirs = await namesOf(2n);
  assert.equal(await one?.run(sql`update customers set name = 'changed'`), 3);
  assert.equal(await one?.run(sql`delete from customer_search`), 3);
  assert.deepEqual([await namesOf(1n), await namesOf(2n)], [['changed', 'changed', 'changed'], theirs]);
  assert.equal(await app.run(sql`update customers set name = 'gone'`), 0);
  await owner.run(sql`update customers set name = 'Awa' where team_id = 1`);
});

test('a row cannot be inserted for another team or moved to it', async () => {
  const refused = { code: INSUFFICIENT_PRIVILEGE, message: /row-level security/ };
  await assert.rejects(async () => one?.run(insertFor(2n, 'cus_x')), refused);
  await assert.rejects(async () => app.run(insertFor(1n, 'cus_x')), refused);
  await assert.rejects(async () => one?.run(sql`update customers set team_id = 2`), refused);
  await assert.rejects(async () => one?.transaction((tx) => tx.run(insertFor(2n, 'cus_x'))), refused);
  assert.equal(await one?.run(insertFor(1n, 'cus_1_4')), 1);
  assert.equal(await all?.run(insertFor(2n, 'cus_2_4')), 1);
});

test('neither role of the service can act as the owner of the tables or change postings', async () => {
  for (const db of [one, all] as Db[]) {
    for (const statement of [sql`update journals set kind = 'x'`, sql`delete from postings`, sql`drop table customers`]) {
      await assert.rejects(async () => db.run(statement), { code: INSUFFICIENT_PRIVILEGE });
    }
  }
});

test('no team setting remains on a connection after a result, an error, a rollback or a commit', async () => {
  const broken = sql`select 1 / (team_id - 1) from customers`;
  for (let round = 0; round < 3; round++) {
    await assert.rejects(async () => one?.run(broken), { code: '22012' });
    assert.deepEqual(await teamsSeen(app), []);
    await assert.rejects(async () => one?.run({ name: 'nonsense', text: 'select nonsense', values: [] }), { code: '42703' });
    assert.deepEqual(await teamsSeen(two), [2n]);
    await assert.rejects(async () => two?.transaction((tx) => tx.run(sql`select 1 / 0`)), { code: '22012' });
    assert.deepEqual(await teamsSeen(app), []);
    await assert.rejects(async () => all?.transaction(() => Promise.reject(new Error('changed its mind'))), /changed its mind/);
    assert.deepEqual(await teamsSeen(app), []);
    assert.deepEqual(await all?.transaction((tx) => teamsSeen(tx)), [1n, 2n]);
    assert.deepEqual(await one?.transaction((tx) => teamsSeen(tx)), [1n]);
    assert.deepEqual(await teamsSeen(app), []);
  }
});

test('a value that cannot be serialised leaves the connection usable', async () => {
  const unsendable = {
    toPostgres: () => {
      throw new Error('no such text');
    },
  };
  await assert.rejects(async () => one?.all(sql`select ${unsendable}::text`), /no such text/);
  assert.deepEqual([await teamsSeen(one), await teamsSeen(app)], [[1n], []]);
});

test('interleaved statements of three handles on two connections each read their own rows', async () => {
  const pool = openPool({ url: databases.sandbox, size: 2, log: createLog({ level: 'silent', format: 'json' }), role: APP_ROLE });
  const handles: [Db, bigint[]][] = [
    [pool.seeing(1n), [1n]],
    [pool.seeing(2n), [2n]],
    [pool.seeing('all_teams'), [1n, 2n]],
    [pool, []],
  ];
  try {
    await many(400, async (i) => {
      const [db, teams] = handles[i % handles.length] as [Db, bigint[]];
      if (i % 7 === 0) await db.run(sql`select 1 / 0`).catch((error) => assert.equal(pgCode(error), '22012'));
      const seen = i % 5 === 0 ? await db.transaction((tx) => teamsSeen(tx)) : await teamsSeen(db);
      assert.deepEqual(seen, teams);
    });
  } finally {
    await pool.close();
  }
});

test('a statement with no, one or many rows returns its count, and each role has its own plan', async () => {
  assert.equal(await one?.maybe(sql`select id from customers where id = 'none'`), undefined);
  assert.deepEqual(await one?.maybe(sql`select id from customers where id = 'cus_1_1'`), { id: 'cus_1_1' });
  assert.equal((await two?.all(sql`select id from customers`))?.length, 4);
  assert.equal(await two?.run(sql`update customers set name = name where id = 'cus_2_1'`), 1);
  for (let i = 0; i < 3; i++) await Promise.all([teamsSeen(one), teamsSeen(all)]);
  const kept = await app.all<{ plans: bigint }>(sql`
    select count(*) as plans from pg_prepared_statements where statement like 'select distinct team_id from customers%'`);
  assert.deepEqual(kept, [{ plans: 2n }]);
});

test('with the policy, queries use the whole key of an index, not only the team', async () => {
  const lookups: [string, RegExp][] = [
    ["select id from customers where team_id = 1 and email_key = 'awa1@shop.example'", /Index Cond: .*email_key/],
    ["select id from customers where team_id = 1 and phone = '+237650000000'", /Index Cond: .*phone/],
    ["select id from journals where team_id = 1 and family = 'refund.created' order by id", /Index Cond: .*family/],
    ["select id from payments where team_id = 1 and reference = 'order-1'", /Index Cond: .*reference/],
    ["select id from payments where team_id = 1 and id < 'trx_z' order by id desc", /Index Cond: .*id < /],
  ];
  for (const [text, wanted] of lookups) {
    const plan = await one?.transaction(async (tx) => {
      await tx.run(sql`set local enable_seqscan = off`);
      await tx.run(sql`set local enable_bitmapscan = off`);
      return tx.all<{ 'QUERY PLAN': string }>({ text: `explain (costs off) ${text}`, values: [] });
    });
    assert.match((plan ?? []).map((line) => line['QUERY PLAN']).join('\n'), wanted, text);
  }
});
