import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import pg from 'pg';
import { createLog } from '../../src/kit/log.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** A transaction begins with its first statement, in one round trip. */
let databases: Databases;
let pool: DbPool;
before(async () => {
  databases = await cloneDatabases();
  pool = openPool({ url: databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  await pool.run(sql`create table written (n integer primary key)`);
});
after(async () => {
  await pool.close();
  await databases.drop();
});

/** Counts what is sent to the server while the work runs. */
async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  const sent = mock.method(pg.Client.prototype, 'query');
  await work();
  sent.mock.restore();
  return sent.mock.callCount();
}

for (const [title, db] of [
  ['of no team', () => pool],
  ['of a team', () => pool.seeing(7n)],
  ['of all teams', () => pool.seeing('all_teams')],
] as const) {
  test(`a transaction ${title} is begun by its first statement, without a round trip`, async () => {
    const work = () => db().transaction((tx) => tx.all(sql`select 1`));
    assert.equal(await roundTrips(work), 2, 'the statement and the commit');
  });
}

test('a transaction without a statement sends none', async () => {
  assert.equal(await roundTrips(() => pool.seeing(7n).transaction(async () => 'done')), 0);
});

test('work that fails before its first statement leaves no transaction open', async () => {
  await assert.rejects(
    pool.transaction(() => Promise.reject(new Error('early'))),
    /early/,
  );
  assert.deepEqual(pool.use(), { busy: 0, idle: 1, waiting: 0, most: 1 });
});

test('a transaction whose first statement fails is rolled back', async () => {
  const work = pool.transaction(async (tx) => {
    await tx.run(sql`insert into written values (1), (1)`);
  });
  await assert.rejects(work, /duplicate key/);
  assert.deepEqual(await pool.all(sql`select n from written`), [], 'an aborted transaction would refuse it');
});

test('statements that are sent at the same time all belong to the transaction', async () => {
  const work = pool.transaction(async (tx) => {
    await Promise.all([2, 3].map((n) => tx.run(sql`insert into written values (${n})`)));
    throw new Error('undo');
  });
  await assert.rejects(work, /undo/);
  assert.deepEqual(await pool.all(sql`select n from written`), []);
});

test('statements that are sent at the same time run in that order, and the error of the first that fails is the one that is thrown', async () => {
  const counted = () => sql`insert into written select count(*) from written returning n`;
  const numbers = await pool.transaction(async (tx) => {
    await tx.run(sql`delete from written`);
    return Promise.all(Array.from({ length: 20 }, () => tx.maybe<{ n: number }>(counted())));
  });
  assert.deepEqual(
    numbers,
    Array.from({ length: 20 }, (_, n) => ({ n })),
  );
  const twice = pool.transaction((tx) => Promise.all([0, 0, 1].map((n) => tx.all(sql`select 1 / ${n}::int`))));
  await assert.rejects(twice, /division by zero/);
  await pool.run(sql`delete from written`);
});

test('however deep each is awaited, the error is that of the statement that failed, and the connection is not used again', async () => {
  const deep = async (tx: Tx) => {
    await (async () => {
      await (async () => tx.all(sql`select 1 / 0`))();
    })();
  };
  const server = async (tx: Tx) => (await tx.maybe<{ pid: number }>(sql`select pg_backend_pid() as pid`))?.pid;
  const before = await pool.transaction(server);
  const work = pool.transaction((tx) => Promise.all([deep(tx), ...[1, 2, 3].map((n) => tx.all(sql`select ${n}::int`))]));
  await assert.rejects(work, /division by zero/);
  assert.notEqual(await pool.transaction(server), before);
});

test('what goes on after a part of the work has failed sends nothing more', async () => {
  const going: Promise<unknown>[] = [];
  const work = pool.transaction(async (tx) => {
    const fails = async () => {
      await tx.all(sql`select 1`);
      throw new Error('undo');
    };
    const goesOn = async () => {
      for (let n = 100; n < 200; n++) await tx.run(sql`insert into written values (${n})`);
    };
    going.push(goesOn());
    await Promise.all([fails(), ...going]);
  });
  await assert.rejects(work, /undo/);
  await assert.rejects(Promise.all(going), /after the end of its transaction/);
  assert.deepEqual(await pool.all(sql`select n from written`), [], 'after the rollback it would have stayed');
});

test('the settings of a transaction hold for all of its statements and end with it', async () => {
  type Settings = { team: string; planned: string; locks: string };
  const settings = sql`select current_setting('pirogue.team', true) as team, current_setting('plan_cache_mode') as planned,
    current_setting('lock_timeout') as locks`;
  const seen = await pool
    .seeing(7n)
    .transaction(async (tx) => [await tx.maybe<Settings>(settings), await tx.maybe<Settings>(settings)], 'shared');
  const held = { team: '7', planned: 'force_generic_plan', locks: '2s' };
  assert.deepEqual(seen, [held, held]);
  assert.deepEqual(await pool.maybe<Settings>(settings), { team: '', planned: 'auto', locks: '0' });
});

test('a statement that is sent after the end of its transaction is rejected, and does not run on the connection', async () => {
  const kept: { tx?: Tx } = {};
  await pool.transaction(async (tx) => {
    kept.tx = tx;
    await tx.all(sql`select 1`);
  });
  await assert.rejects(
    kept.tx?.run(sql`insert into written values (9)`) ?? Promise.resolve(),
    /after the end of its transaction/,
  );
  assert.deepEqual(await pool.all(sql`select n from written`), []);
});
