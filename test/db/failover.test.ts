import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { asUnavailable, DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Queryable, sql } from '../../src/kit/sql.ts';
import { connectClient, HISTORY } from '../../src/platform/db/client.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { until } from '../setup/api.ts';
import { Server, VirtualAddress } from './servers.ts';

/** Two servers, of which one is the primary, and what a program does when the other becomes it. */
const log = createLog({ level: 'silent', format: 'json' });
let [first, second]: [Server, Server] = [] as never;
const addresses: VirtualAddress[] = [];
const pools: DbPool[] = [];
before(async () => {
  first = await Server.primary();
  await first.run('create table written (n int primary key)');
  second = await first.standby();
});
after(async () => {
  for (const pool of pools) await pool.close();
  for (const address of addresses) address.close();
  await Promise.all([first?.remove(), second?.remove()]);
});

function poolAt(url: string, size = 4): DbPool {
  const pool = openPool({ url, size, log, circuit: 'test' });
  pools.push(pool);
  return pool;
}

/** URL of several ports, as libpq has it. */
const urlOf = (ports: readonly number[], attribute = 'primary') =>
  `postgresql://pirogue@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=${attribute}`;
const portOf = async (db: Queryable) =>
  Number((await db.maybe<{ port: string }>(sql`select current_setting('port') as port`))?.port);
let next = 0;
const write = (db: Queryable) => db.run(sql`insert into written values (${next++})`);
/** Writes until it succeeds; the failures. */
async function writeAgain(db: Queryable): Promise<unknown[]> {
  const failures: unknown[] = [];
  await until(
    () =>
      write(db).catch((error) => {
        failures.push(error);
        return 0;
      }),
    (rows) => rows === 1,
  );
  return failures;
}

test('a URL of several hosts reaches the primary, wherever it stands, past a standby and a host where nothing listens', async () => {
  const nobody = 1; // a reserved port
  for (const ports of [
    [first.port, second.port],
    [second.port, first.port],
    [nobody, second.port, first.port],
  ]) {
    for (const attribute of ['primary', 'read-write']) {
      const pool = poolAt(urlOf(ports, attribute), 3);
      assert.deepEqual(await Promise.all([portOf(pool), portOf(pool), portOf(pool)]), [first.port, first.port, first.port]);
    }
    const client = await connectClient(urlOf(ports));
    assert.equal((await client.query('show port')).rows[0].port, String(first.port));
    await client.end();
  }
});

test('a role without privileges may read the history of a server', async () => {
  await first.run('create role plain login');
  const client = await connectClient(first.url('postgres').replace('pirogue@', 'plain@'));
  const { rows } = await client.query(HISTORY);
  assert.equal(rows[0]?.timeline, 1);
  await client.end();
});

test('a host that accepts and never answers delays the search by a moment only', async () => {
  const mute = new VirtualAddress({ host: '127.0.0.1', port: first.port });
  addresses.push(mute);
  await mute.listen();
  mute.passes = false;
  const pool = poolAt(urlOf([mute.port, second.port, first.port]));
  assert.equal(await portOf(pool), first.port);
  assert.ok(mute.open > 0, 'it is still being waited for');
});

test('a wrong database name is reported as such, not as a missing primary', async () => {
  const pool = poolAt(urlOf([second.port, first.port]).replace('/postgres', '/nowhere'));
  await assert.rejects(write(pool), /database "nowhere" does not exist/);
});

test('standbys alone are no primary: unavailable, and the error says who answered', async () => {
  const pool = poolAt(urlOf([second.port, 1]));
  await assert.rejects(write(pool), (error: Error) => {
    assert.ok(error instanceof DatabaseUnavailable);
    assert.match(error.message, new RegExp(`no host is the primary: 127.0.0.1:${second.port} is a standby; .*ECONNREFUSED`));
    return true;
  });
});

test('a primary without a free connection leaves the circuit closed: the connections of the pool go on working', async () => {
  await first.run('create role few login');
  const pool = poolAt(urlOf([first.port, second.port]).replace('pirogue@', 'few@'), 16);
  const sleepers = (s: number) => Promise.all([1, 2].map(() => pool.all(sql`select pg_sleep(${s}::float8)`)));
  await sleepers(0.3);
  await first.run('alter role few connection limit 2');
  const two = sleepers(3);
  await until(
    async () => pool.use(),
    ({ busy }) => busy === 2,
  );
  const refused = await Promise.allSettled(Array.from({ length: 8 }, () => portOf(pool)));
  assert.ok(refused.every(({ status }) => status === 'rejected'));
  assert.equal(pool.circuit(), 'closed');
  await two;
  assert.equal(await portOf(pool), first.port);
});

test('one virtual address that moves: after one failed write no connection to the server that was demoted is used', async () => {
  const address = new VirtualAddress({ host: '127.0.0.1', port: first.port });
  addresses.push(address);
  await address.listen();
  const pool = poolAt(address.url(first.url('postgres')));
  const four = () => Promise.all([1, 2, 3, 4].map(() => pool.all(sql`select current_setting('port') as port, pg_sleep(0.05)`)));
  await four();
  assert.equal(pool.use().idle, 4);
  // The server goes on answering reads, as one that has been demoted without losing its connections.
  await first.run(`alter system set default_transaction_read_only = on`, 'select pg_reload_conf()');
  await second.run('select pg_promote()');
  address.target = { host: '127.0.0.1', port: second.port };
  await until(
    () => pool.maybe<{ on: string }>(sql`select current_setting('default_transaction_read_only') as on`),
    (row) => row?.on === 'on',
  );
  const failures = await writeAgain(pool);
  assert.equal(failures.length, 1);
  assert.ok(asUnavailable(failures[0]) instanceof DatabaseUnavailable);
  const ports = (await four()).flat().map((row) => Number((row as { port: string }).port));
  assert.deepEqual(ports, Array(4).fill(second.port));
});

test('a primary that is killed: the program writes to the one promoted in its place, and the tools find it too', async () => {
  // The second is the primary now; the first becomes a fresh standby of it.
  await first.remove();
  first = await second.standby();
  const url = urlOf([first.port, second.port]);
  const pool = poolAt(url);
  const idle = poolAt(urlOf([second.port, first.port]));
  for (const each of [pool, idle]) assert.equal(await portOf(each), second.port);
  await second.kill();
  await assert.rejects(write(pool), DatabaseUnavailable);
  await first.run('select pg_promote()');
  await writeAgain(pool);
  assert.equal(await portOf(pool), first.port);
  const client = await connectClient(url);
  await client.query('create database moved');
  await client.end();
  await migrate(url.replace('/postgres', '/moved'), 'control');
  // Started again as a primary, as by a supervisor that knows of no promotion: writes there would be lost.
  await first.kill();
  await second.start();
  await assert.rejects(write(idle), /was the primary before another server was promoted/, 'the process has used the later one');
  await assert.rejects(write(pool), /was the primary before another server was promoted/);
  await first.start();
  for (const each of [pool, idle]) {
    await writeAgain(each);
    assert.equal(await portOf(each), first.port);
  }
  // Back as a standby, it is passed over.
  await second.kill();
  second.becomeStandby();
  await second.start();
  assert.equal(await portOf(poolAt(urlOf([second.port, first.port]))), first.port);
});
