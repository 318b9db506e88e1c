import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { asUnavailable, DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { until } from '../setup/api.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { addressOf, VirtualAddress } from './servers.ts';

/** A database that accepts connections and never answers, and one that stops answering in the middle of a statement. */
const log = createLog({ level: 'silent', format: 'json' });
const home = newFolder();
/** Deadline of statements that are to exceed it. Before that they are made ready within it, on a busy machine too. */
const STALLED_MS = 3_000;
let databases: Databases;
let address: VirtualAddress;
before(async () => {
  databases = await cloneDatabases();
  address = new VirtualAddress(addressOf(databases.live));
  await address.listen();
});
after(async () => {
  address.close();
  await databases.drop();
  fs.rmSync(home, { recursive: true, force: true });
});

const isUnavailable = (error: unknown) => asUnavailable(error) instanceof DatabaseUnavailable;

test('a dedicated client, as migrations and backups use, gives up a server that does not answer, connected or not', async () => {
  const client = await connectClient(address.url(databases.live), 300);
  address.passes = false;
  await assert.rejects(client.query('select 1'), isUnavailable);
  await client.end();
  await assert.rejects(connectClient(address.url(databases.live)), isUnavailable);
  address.passes = true;
});

test('a connection is closed soon after its end, though the server does not close its side', async () => {
  const client = await connectClient(address.url(databases.live));
  address.passes = false;
  try {
    const ended = client.end().then(() => 'ended');
    assert.equal(await Promise.race([ended, sleep(30_000, 'it waits', { ref: false })]), 'ended');
  } finally {
    address.passes = true;
  }
});

test('a connection that is not used keeps what it has prepared for five minutes', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const pool: DbPool = openPool({ url: databases.live, size: 1, log });
    await pool.all(sql`select 1`);
    mock.timers.tick(299_000);
    assert.equal(pool.use().idle, 1);
    mock.timers.tick(2_000);
    assert.equal(pool.use().idle, 0);
    await pool.close();
  } finally {
    mock.timers.reset();
  }
});

test('a pool gives up a connection in progress, and the transaction whose statement stalls does not wait for a rollback', async () => {
  const pool: DbPool = openPool({ url: address.url(databases.live), size: 1, statement_ms: STALLED_MS, log });
  const stalled = pool.transaction(async (tx) => {
    await tx.all(sql`select 1`);
    address.passes = false;
    await tx.all(sql`select 2`);
  });
  await assert.rejects(stalled, isUnavailable);
  assert.deepEqual(pool.use(), { busy: 0, idle: 0, waiting: 0, most: 1 });
  await assert.rejects(pool.all(sql`select 3`), isUnavailable);
  address.passes = true;
  assert.equal((await pool.all(sql`select 4`)).length, 1);
  await pool.close();
});

test('a commit that stalls closes its connection, and is neither followed by a rollback nor made again', async () => {
  const pool: DbPool = openPool({ url: address.url(databases.live), size: 1, statement_ms: STALLED_MS, log });
  // A new connection prepares statements.
  await pool.all(sql`select 0`);
  const sent = mock.method(pg.Client.prototype, 'query');
  let runs = 0;
  try {
    const stalled = pool.transaction(async (tx) => {
      runs += 1;
      await tx.all(sql`select 1`);
      address.passes = false;
    });
    await assert.rejects(stalled, isUnavailable);
    const texts = sent.mock.calls.map(({ arguments: [text] }) => text as unknown);
    assert.deepEqual([runs, texts.includes('commit'), texts.includes('rollback'), pool.use().busy], [1, true, false, 0]);
  } finally {
    sent.mock.restore();
    address.passes = true;
    await pool.close();
  }
});

test('a server without a further connection does not keep a pool from using those that it has', async () => {
  const role = `limited_${process.pid}`;
  const owner = openPool({ url: databases.live, size: 1, log });
  await owner.run({ text: `create role ${role} login connection limit 1`, values: [] });
  const url = Object.assign(new URL(databases.live), { username: role }).href;
  const pool: DbPool = openPool({ url, size: 8, log, circuit: 'test' });
  try {
    await pool.transaction(async (tx) => {
      const others = await Promise.allSettled(Array.from({ length: 7 }, () => pool.all(sql`select 1`)));
      assert.deepEqual(new Set(others.map(({ status }) => status)), new Set(['rejected']));
      assert.equal((await tx.all(sql`select 1`)).length, 1);
    });
    assert.equal(pool.circuit(), 'closed');
    assert.equal((await pool.all(sql`select 1`)).length, 1);
  } finally {
    await pool.close();
    await owner.run({ text: `drop role ${role}`, values: [] });
    await owner.close();
  }
});

test('while the database answers nothing, requests are answered at once without a try, and it is used again when it is back', async () => {
  const behind = (url: string) => address.url(url);
  const { control, sandbox, live, drop } = databases;
  // Keys are found in the control database, which stays in reach: what is tested is the store of the request.
  const program: Program = await startProgram({
    dataDir: home,
    databases: { control, sandbox: behind(sandbox), live, drop },
    env: { DATABASE_POOL: '2' },
  });
  const create = () =>
    call(program.url, program.keys.sandbox.secret, 'POST', '/payments', { amount: 500, currency: 'XAF', phone: '+237650000000' });
  const lines = (state: string) => program.log().split(`"database":"sandbox","circuit":"${state}"`).length - 1;
  try {
    assert.equal((await create()).status, 201);
    address.passes = false;
    address.target = null;
    address.cut();
    await until(create, () => lines('open') > 0);
    const answers = await Promise.all(Array.from({ length: 40 }, create));
    for (const { status, headers, body } of answers) {
      assert.deepEqual([status, headers.get('retry-after'), body.status], [500, '5', 'Internal Server Error']);
    }
    const [made, from] = [address.made, performance.now()];
    await Promise.all(Array.from({ length: 40 }, create));
    // Its trials, and those of the probe, which a slow machine has more time for; not a connection for each request.
    const most = 10 + 4 * Math.floor((performance.now() - from) / 1_000);
    assert.ok(address.made - made < most, `${address.made - made} connections of ${most}`);
    address.passes = true;
    address.target = addressOf(databases.live);
    await until(create, ({ status }) => status === 201);
    // The log of the program arrives here beside its answers.
    await until(
      async () => lines('closed'),
      (count) => count > 0,
    );
    assert.deepEqual([lines('open'), lines('closed')], [1, 1]);
  } finally {
    assert.equal(await program.stop(), 0);
  }
});
