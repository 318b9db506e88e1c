import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { connectClient } from '../../src/platform/db/client.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { type Db, type Queryable, sql } from '../../src/kit/sql.ts';
import { renderError } from '../../src/tenants/api/replies.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** The server ends connections at every moment of their life, as at a failover; an unhandled event would end this process. */
const log = createLog({ level: 'silent', format: 'json' });
let databases: Databases;
let pool: DbPool;
let operator: DbPool;
before(async () => {
  databases = await cloneDatabases();
  pool = openPool({ url: databases.sandbox, size: 1, log });
  operator = openPool({ url: databases.control, size: 1, log });
});
after(async () => {
  await Promise.all([pool.close(), operator.close()]);
  await databases.drop();
});

const pidOf = async (db: Queryable) => (await db.maybe<{ pid: number }>(sql`select pg_backend_pid() as pid`))?.pid ?? 0;

/** Ends the backend and waits until it is gone. */
async function terminate(pid: number): Promise<void> {
  await operator.all(sql`select pg_terminate_backend(${pid}, 5000)`);
}

const ofTeam = (): Db => pool.seeing(1n);

for (const [title, db] of [
  ['a plain transaction', () => pool as Db],
  ['a transaction of one team', ofTeam],
] as const) {
  test(`${title} that loses its connection between two statements fails and the next one has a new connection`, async () => {
    let lost = 0;
    const work = db().transaction(async (tx) => {
      lost = await pidOf(tx);
      await terminate(lost);
      // Long enough for the end of the connection to arrive while no statement is under way.
      await until(
        async () =>
          tx.all(sql`select 1`).then(
            () => false,
            () => true,
          ),
        (failed) => failed,
      );
      await tx.all(sql`select 2`);
    });
    await assert.rejects(work, DatabaseUnavailable);
    assert.notEqual(await pidOf(db()), lost);
    assert.deepEqual(pool.use(), { busy: 0, idle: 1, waiting: 0, most: 1 });
  });
}

test('a connection lost while its transaction waits for other work is reported at the commit', async () => {
  const work = ofTeam().transaction(async (tx) => {
    await terminate(await pidOf(tx));
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await assert.rejects(work, DatabaseUnavailable);
  assert.equal(pool.use().busy, 0);
});

test('a connection lost during a statement fails that statement as unavailable', async () => {
  const pid = await pidOf(pool);
  const asleep = pool.all(sql`select pg_sleep(30)`);
  const rejected = assert.rejects(asleep, DatabaseUnavailable);
  await until(
    () => operator.maybe<{ event: string }>(sql`select wait_event as event from pg_stat_activity where pid = ${pid}`),
    (row) => row?.event === 'PgSleep',
  );
  await terminate(pid);
  await rejected;
  assert.notEqual(await pidOf(pool), pid);
});

test('a connection lost while idle, or at begin, is replaced', async () => {
  const idle = await pidOf(pool);
  await terminate(idle);
  await until(
    async () => pool.use().idle,
    (count) => count === 0,
  );
  assert.notEqual(await pidOf(pool), idle);
  // The end of the connection and the begin of the next transaction cross each other.
  const next = await pidOf(pool);
  const ended = terminate(next);
  const begun = ofTeam().transaction((tx) => pidOf(tx));
  const [, outcome] = await Promise.allSettled([ended, begun]);
  if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof DatabaseUnavailable, String(outcome.reason));
  await until(
    () => pidOf(ofTeam()).catch(() => next),
    (pid) => pid !== next,
  );
});

test('a dedicated client, as migrations use, survives the loss of its connection', async () => {
  const client = await connectClient(databases.sandbox);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const gone = new Promise<void>((resolve) => client.on('end', () => resolve()));
  await terminate(rows[0]?.pid ?? 0);
  await gone;
  await assert.rejects(client.query('select 1'));
  await client.end();
});

test('requests that lose the database get a 500 in the envelope with Retry-After, and the process keeps serving', async () => {
  const api: Api = await startApi();
  try {
    const create = () => api.call('POST', '/payments', { body: { amount: 500, currency: 'XAF', phone: '+237650000000' } });
    assert.equal((await create()).status, 201);
    const calls = Array.from({ length: 40 }, create);
    for (let round = 0; round < 5; round++) {
      await api.control.all(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${new URL(api.databases.sandbox).pathname.slice(1)} and pid <> pg_backend_pid()`);
    }
    for (const answer of await Promise.all(calls)) {
      assert.ok([201, 500].includes(answer.status), JSON.stringify(answer.body));
      if (answer.status === 201) continue;
      assert.equal(answer.headers.get('retry-after'), '5');
      assert.equal(answer.body.status, 'Internal Server Error');
      assert.match(answer.body.message, /database cannot be reached/);
    }
    await until(create, (answer) => answer.status === 201);
  } finally {
    await api.stop();
  }
});

test('a pool that is closed rejects as unavailable: a request that outlives the shutdown gets a 500 with Retry-After', async () => {
  const ended = openPool({ url: databases.sandbox, size: 1, log });
  await ended.all(sql`select 1`);
  await ended.close();
  for (const db of [ended, ended.seeing(1n)]) {
    for (const late of [() => db.all(sql`select 1`), () => db.transaction((tx) => tx.all(sql`select 1`))]) {
      const error = await late().then(
        () => assert.fail('it was run'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof DatabaseUnavailable, String(error));
      const { code, headers, body } = renderError(error);
      assert.deepEqual([code, headers['Retry-After']], [500, '5']);
      assert.match(String(body.message), /database cannot be reached/);
    }
  }
});

test('connections are created in one place, which listens for their loss', () => {
  const root = path.join(import.meta.dirname, '..', '..');
  const makers = ['src', 'scripts'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (name) =>
          name.endsWith('.ts') &&
          /new pg\.(Client|Pool)\(|extends pg\.(Client|Pool)\b/.test(fs.readFileSync(path.join(root, folder, name), 'utf8')),
      )
      .map((name) => path.posix.join(folder, name.split(path.sep).join('/'))),
  );
  assert.deepEqual(makers.sort(), ['src/platform/db/client.ts', 'src/platform/db/connection-pool.ts']);
});

test('a transaction that the server ends because it was idle for too long fails as unavailable', async () => {
  const work = pool.transaction(async (tx) => {
    const pid = await pidOf(tx);
    await tx.run({ text: "set local idle_in_transaction_session_timeout = '20ms'", values: [] });
    await until(
      () => operator.all(sql`select 1 from pg_stat_activity where pid = ${pid}`),
      (rows) => rows.length === 0,
    );
    await tx.all(sql`select 1`);
  });
  await assert.rejects(work, DatabaseUnavailable);
});
