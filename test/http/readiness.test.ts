import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { startApi, until } from '../setup/api.ts';

/** What /health/ready says when a database can do less than it should. */
const api = await startApi({ env: { DATABASE_POOL: '2' } });
const log = createLog({ level: 'silent', format: 'json' });
const owner = openPool({ url: api.databases.live, size: 1, log });
after(async () => {
  await owner.close();
  await api.stop();
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const ready = () => api.call('GET', '/health/ready', { key: null });
const order = { amount: 500, currency: 'XAF', phone: '+237650000000' };

/** Changes a database for every connection that is made from now on; all that there are end. */
async function change(database: string, text: string): Promise<void> {
  await api.control.run({ text: `alter database ${nameOf(database)} ${text}`, values: [] });
  await api.control.all(sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = ${nameOf(database)} and pid <> pg_backend_pid()`);
}

test('a request pool with no connection left does not make a node look unready', async () => {
  const { sandbox } = api.deps.stores;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding = 0;
  const holders = [1, 2].map(() =>
    sandbox.db.transaction(async (tx) => {
      await tx.all(sql`select 1`);
      holding += 1;
      await held;
    }),
  );
  await until(
    async () => holding,
    (count) => count === 2,
  );
  try {
    const { status, body } = await until(ready, (answer) => answer.body.message === 'ready');
    assert.deepEqual([status, body.message, body.checks.sandbox], [200, 'ready', 'ok']);
  } finally {
    release();
    await Promise.all(holders);
  }
});

test('a database that takes no writes leaves the node ready and says degraded', async () => {
  await change(api.databases.live, 'set default_transaction_read_only = on');
  const { status, body } = await until(ready, ({ body: { checks } }) => checks.live === 'read-only' && checks.sandbox === 'ok');
  assert.deepEqual([status, body.message, body.checks.live, body.checks.sandbox], [200, 'degraded', 'read-only', 'ok']);
  await change(api.databases.live, 'reset default_transaction_read_only');
});

test('writes that fail for want of disk space are 500 with Retry-After, and readiness says degraded', async () => {
  const sandbox = openPool({ url: api.databases.sandbox, size: 1, log });
  await sandbox.run(sql`
    create function disk_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  await sandbox.run(sql`create trigger disk_full before insert on payments execute function disk_full()`);
  try {
    const refused = await api.call('POST', '/payments', { body: order });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [500, '5']);
    const { status, body } = await until(ready, (answer) => answer.body.checks.sandbox === 'writes fail');
    assert.deepEqual([status, body.message, body.checks.sandbox], [200, 'degraded', 'writes fail']);
  } finally {
    await sandbox.run(sql`drop trigger disk_full on payments`);
    await sandbox.close();
  }
  assert.equal((await api.call('POST', '/payments', { body: order })).status, 201);
});

test('a statement that waits longer than its deadline is 500 with Retry-After, and repeating the request succeeds', async () => {
  const sandbox = openPool({ url: api.databases.sandbox, size: 1, log });
  await sandbox.run(sql`
    create function canceled() returns trigger language plpgsql as
    $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$`);
  await sandbox.run(sql`create trigger canceled before insert on payments execute function canceled()`);
  const headers = { 'idempotency-key': 'waited-too-long' };
  try {
    const refused = await api.call('POST', '/payments', { body: order, headers });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [500, '5']);
  } finally {
    await sandbox.run(sql`drop trigger canceled on payments`);
    await sandbox.close();
  }
  assert.equal((await api.call('POST', '/payments', { body: order, headers })).status, 201);
});

test('a database that no node is known to reach leaves the node ready and says degraded, until it is back', async () => {
  await change(api.databases.live, 'allow_connections false');
  const { status, body } = await until(ready, (answer) => answer.body.checks.live === 'unreachable');
  assert.deepEqual([status, body.message, body.checks.control], [200, 'degraded', 'ok']);
  await change(api.databases.live, 'allow_connections true');
  await until(ready, (answer) => answer.body.checks.live !== 'unreachable');
});
