import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import pg from 'pg';
import { type Prepared, precededBy, submitOn, submitTo } from '../../src/platform/db/driver.ts';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** Each test is one undocumented behaviour of pg or pg-pool that src/platform/db/driver.ts lists. */
const SRC = path.join(import.meta.dirname, '..', '..', 'src');
const SETTER = { name: 'driver_setting', text: "select set_config('pirogue.driver', $1, true) as setting" };
const DIVIDER = { name: 'driver_division', text: 'select 1 / $1::int' };
const CURRENT = "select current_setting('pirogue.driver', true) as setting";

/** The hooks that the driver calls on a query. */
interface Hooks {
  prepare(): void;
  handleDataRow(): void;
  handleCommandComplete(): void;
}

let databases: Databases;
let pool: pg.Pool;
before(async () => {
  databases = await cloneDatabases();
  pool = poolOf();
  await pool.query('create table moves (n integer)');
});
afterEach(() => {
  assert.deepEqual([pool.totalCount, pool.idleCount, pool.waitingCount], [1, 1, 0], 'the connection is free again');
});
after(async () => {
  await pool.end();
  await databases.drop();
});

function poolOf(options: pg.PoolConfig = {}): pg.Pool {
  return new pg.Pool({
    connectionString: databases.sandbox,
    max: 1,
    onConnect: async (client) => {
      await client.query({ ...SETTER, values: [''] });
      await client.query({ ...DIVIDER, values: ['1'] });
    },
    ...options,
  });
}

const setting = (value: string): Prepared => ({ name: SETTER.name, values: [value] });
const run = (first: Prepared, statement: Sql) => submitTo(pool, precededBy([first], statement));
const current = async () => (await pool.query(CURRENT)).rows[0].setting;

suite('pg.Query', () => {
  test('prepare is called once for an extended query, with or without values', async (t) => {
    for (const statement of [sql`select 1`, sql`select ${2}::int`]) {
      const query = precededBy([setting('a')], statement);
      const { mock } = t.mock.method(query as unknown as Hooks, 'prepare');
      await submitTo(pool, query);
      assert.equal(mock.callCount(), 1);
    }
  });

  test('the handlers are called once for each message in its order, those of the preceding statement first', async (t) => {
    const query = precededBy([setting('a')], sql`select n from generate_series(1, 2) as n`);
    const calls: string[] = [];
    for (const hook of ['handleDataRow', 'handleCommandComplete'] as const) {
      const original = (query as unknown as Hooks)[hook];
      t.mock.method(query as unknown as Hooks, hook, function (this: Hooks, ...messages: []) {
        calls.push(hook);
        return original.apply(this, messages);
      });
    }
    await submitTo(pool, query);
    const [row, complete] = ['handleDataRow', 'handleCommandComplete'];
    assert.deepEqual(calls, [row, complete, row, row, complete]);
  });

  test('rows, fields, command and row count are those of the statement', async () => {
    const { rows, fields, command, rowCount } = await run(setting('a'), sql`select n from generate_series(1, 2) as n`);
    assert.deepEqual(rows, [{ n: 1 }, { n: 2 }]);
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['n'],
    );
    assert.deepEqual([command, rowCount], ['SELECT', 2]);
    assert.equal((await run(setting('a'), sql`insert into moves values (1), (2), (3)`)).rowCount, 3);
  });

  test('a statement executed before prepare runs first, in the transaction of the query; its settings end with it', async () => {
    const { rows } = await run(setting('seven'), { text: CURRENT, values: [] });
    assert.deepEqual(rows, [{ setting: 'seven' }]);
    assert.equal(await current(), '');
  });

  test('several statements run before it, in their order', async () => {
    const query = precededBy([setting('first'), setting('second')], { text: CURRENT, values: [] });
    assert.deepEqual((await submitTo(pool, query)).rows, [{ setting: 'second' }]);
  });

  test('begin may precede: the transaction stays open for the statements that follow', async () => {
    const client = await pool.connect();
    await client.query({ name: 'driver_begin', text: 'begin' });
    await client.query('rollback');
    const began = precededBy([{ name: 'driver_begin', values: [] }, setting('open')], sql`select 1 as one`);
    assert.deepEqual((await submitOn(client, began)).rows, [{ one: 1 }]);
    assert.deepEqual((await client.query(CURRENT)).rows, [{ setting: 'open' }]);
    assert.equal((await client.query('commit')).command, 'COMMIT');
    client.release();
  });

  test('a query submitted to a connection rejects with its error', async () => {
    const client = await pool.connect();
    await assert.rejects(submitOn(client, precededBy([setting('a')], sql`select 1 / 0`)), /division by zero/);
    client.release();
  });

  test('a failed statement rejects the query and ends the setting', async () => {
    await assert.rejects(run(setting('seven'), sql`select 1 / 0`), /division by zero/);
    assert.equal(await current(), '');
  });

  test('a failed preceding statement rejects the query, and the statement is not executed', async () => {
    await pool.query('truncate moves');
    await assert.rejects(run({ name: DIVIDER.name, values: ['0'] }, sql`insert into moves values (9)`), /division by zero/);
    assert.deepEqual((await pool.query('select n from moves')).rows, []);
  });

  test('a named statement is prepared once and reused', async () => {
    const named = (n: number): Sql => ({ name: 'driver_named', text: 'select $1::int as n', values: [n] });
    for (const n of [1, 2]) assert.deepEqual((await run(setting('a'), named(n))).rows, [{ n }]);
    const prepared = "select generic_plans + custom_plans as uses from pg_prepared_statements where name = 'driver_named'";
    assert.equal(Number((await pool.query(prepared)).rows[0].uses), 2);
  });
});

suite('pg.Client with pipeline', () => {
  let client: pg.Client;
  before(async () => {
    client = new pg.Client({ connectionString: databases.sandbox, pipeline: true } as pg.ClientConfig);
    await client.connect();
    await client.query({ ...SETTER, values: [''] });
    await client.query({ ...DIVIDER, values: ['1'] });
  });
  after(() => client.end());
  const send = (statement: Sql) => submitOn(client, precededBy([setting('a')], statement));

  test('a statement is sent without waiting for the one before, and each has its own answer', async (t) => {
    const { connection } = client as unknown as { connection: { sync(): void } };
    const { mock } = t.mock.method(connection, 'sync');
    const answers = [send(sql`select 1 as n`), client.query('select $1::int as n', [2]), send(sql`select 3 as n`)];
    assert.equal(mock.callCount(), 3, 'before any answer');
    assert.deepEqual(
      (await Promise.all(answers)).map(({ rows }) => rows),
      [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]],
    );
  });

  test('in a transaction, those that were sent after a failed one fail too, and what follows the rollback does not', async () => {
    const named = (name: string, text: string): Sql => ({ name, text, values: [] });
    const results = await Promise.allSettled([
      client.query('begin'),
      send(named('driver_fails', 'select 1 / 0')),
      send(named('driver_follows', 'select 4 as n')),
      client.query('rollback'),
    ]);
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'done'));
    assert.deepEqual(codes, ['done', '22012', '25P02', 'done']);
    assert.deepEqual((await send(named('driver_follows', 'select 4 as n'))).rows, [{ n: 4 }], 'it is prepared anew');
  });
});

suite('pg.Pool', () => {
  test('query_timeout rejects a submitted query', async () => {
    const hasty = poolOf({ query_timeout: 50 });
    await assert.rejects(submitTo(hasty, precededBy([setting('a')], sql`select pg_sleep(2)`)), /Query read timeout/);
    await hasty.end();
  });

  test('onConnect is awaited before the first statement', async () => {
    const events: string[] = [];
    const fresh = poolOf({
      onConnect: async (client) => {
        await client.query({ ...SETTER, values: [''] });
        events.push('connected');
      },
    });
    const { rows } = await submitTo(fresh, precededBy([setting('first')], { text: CURRENT, values: [] }));
    events.push(rows[0].setting);
    await fresh.end();
    assert.deepEqual(events, ['connected', 'first']);
  });
});

test('no other file depends on the internals of the driver', () => {
  const internals =
    /\bpg\.(?:Query|Connection)\b|\bas unknown as (?:pg|Promise<pg)\b|'pg(?:-pool|-protocol)?\/|'pg-(?:pool|protocol)'/;
  const files = fs
    .globSync('**/*.ts', { cwd: SRC })
    .filter((file) => internals.test(fs.readFileSync(path.join(SRC, file), 'utf8')));
  assert.deepEqual(files, ['platform/db/driver.ts']);
});
