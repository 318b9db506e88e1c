import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { purgeSweeps } from '../../src/edge/purge/sweeps.ts';
import { lowestIdAt, newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { migrateFrom } from '../../src/platform/db/migrate.ts';
import { dropPartition, makePartitions, partitionUse } from '../../src/platform/db/partitions.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { newFolder } from '../ops/program.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { emptyDatabases } from '../setup/databases.ts';

const DAY_MS = 86_400_000;
/** Three partitions of eight tables. */
const ALL = 24;

let api: Api;
let owner: DbPool;
const clock = new FakeClock();
const log = createLog({ level: 'silent', format: 'json' });

before(async () => {
  api = await startApi({ clock, workers: false, partitions: false });
  owner = openPool({ url: api.databases.sandbox, size: 8, log });
});
after(async () => {
  await owner.close();
  await api.stop();
});

const store = () => api.deps.stores.sandbox.db;

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

test('of several processes that make partitions at once, one makes them, and none fails', async () => {
  for (const year of [2031, 2032, 2033]) {
    const at = Date.UTC(year, 0, 15);
    const made = await Promise.all([1, 2, 3, 4].map(() => makePartitions(owner, 'sandbox', at)));
    assert.equal(sum(made), ALL);
  }
});

test('of several processes that drop partitions at once, each drops another or none, and none fails', async () => {
  const dropped: (string | undefined)[] = [];
  for (let round = 0; round < 12; round++) {
    const now = [1, 2, 3, 4].map(() => dropPartition(owner, 'sandbox', 'idempotency_answers', Date.UTC(2034, 0, 1)));
    dropped.push(...(await Promise.all(now)));
  }
  const names = dropped.filter((name) => name !== undefined);
  assert.equal(names.length, 9);
  assert.equal(new Set(names).size, 9);
});

test('a table that is in use for long does not keep the others from getting and losing partitions', async () => {
  const has = async (name: string) => (await owner.all(sql`select from pg_class where relname = ${name}`)).length === 1;
  await owner.transaction(async (tx) => {
    await tx.run(sql`select count(*) from events`);
    await makePartitions(owner, 'sandbox', Date.UTC(2034, 0, 15));
    assert.deepEqual([await has('mails_20340116'), await has('idempotency_answers_20340115')], [true, true]);
    assert.equal(await has('events_203401'), false);
    clock.advance(Date.UTC(2034, 3, 1) - clock.now());
    const [partitions] = purgeSweeps(api.deps, api.deps.stores.sandbox);
    while (((await partitions?.round()) ?? 0) > 0);
    assert.deepEqual([await has('mails_20340116'), await has('idempotency_answers_20340115')], [false, false]);
  });
});

test('every partition has the indexes of the table that it continues', async () => {
  await makePartitions(owner, 'sandbox', Date.UTC(2036, 0, 15));
  const found = await owner.all<{ parent: string; part: string; indexes: string }>(sql`
    select p.relname as parent, c.relname as part, (
      select string_agg(i.indisunique || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* ON [^ ]+ ', ' '), '; ' order by 1)
      from (select i.indisunique, i.indexrelid from pg_index i where i.indrelid = c.oid
        order by regexp_replace(pg_get_indexdef(i.indexrelid), '^.* ON [^ ]+ ', ' ')) i) as indexes
    from pg_partitioned_table t join pg_class p on p.oid = t.partrelid join pg_inherits h on h.inhparent = p.oid
      join pg_class c on c.oid = h.inhrelid`);
  for (const parent of new Set(found.map((one) => one.parent))) {
    const parts = found.filter((one) => one.parent === parent);
    const first = parts.find(({ part }) => part === `${parent}_default`);
    for (const { part, indexes } of parts) assert.equal(indexes, first?.indexes, part);
  }
});

test('the older bodies of an event are deleted with it, so that no erasure misses them', async () => {
  const id = newId('evt', 'sandbox', Date.UTC(2036, 0, 20));
  await store().run(sql`
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    values (${api.team.id}, ${id}, 'payment.created', 'trx_h', 1, 0, '{}', now())`);
  await store().run(
    sql`insert into event_bodies (team_id, event_id, api_version, body) values (${api.team.id}, ${id}, '1', '{}')`,
  );
  await store().run(sql`delete from events where team_id = ${api.team.id} and id = ${id}`);
  assert.deepEqual(await owner.all(sql`select 1 from event_bodies where event_id = ${id}`), []);
});

test('a default partition whose rows were deleted one by one is reported as empty after the next round', async () => {
  const mails = async () => (await partitionUse(owner)).find(({ table }) => table === 'mails')?.overflowing;
  await store().run(sql`
    insert into mails (team_id, kind, facts, created_at) values (${api.team.id}, 'dropped', '{}', '2020-01-16T00:00:00Z')`);
  assert.equal(await mails(), true);
  await store().run(sql`delete from mails where team_id = ${api.team.id}`);
  while ((await dropPartition(store(), 'sandbox', 'mails', Date.UTC(2021, 0, 1))) !== undefined);
  assert.equal(await mails(), false);
});

test('a store that is taken for that of the other environment loses nothing and gets no partitions', async () => {
  const id = newId('evt', 'sandbox', Date.UTC(2036, 0, 21));
  await store().run(sql`
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    values (${api.team.id}, ${id}, 'payment.created', 'trx_i', 1, 0, '{}', now())`);
  const other = /another environment/;
  await assert.rejects(dropPartition(store(), 'live', 'events', Date.UTC(2040, 0, 1)), other);
  // The lock of a call that failed is released after its error is sent, and a call without the lock does nothing.
  await owner.run(sql`select pg_advisory_xact_lock(hashtextextended('pirogue_partitions', 0))`);
  await assert.rejects(makePartitions(store(), 'live', Date.UTC(2036, 3, 1)), other);
  assert.equal((await owner.all(sql`select from events where id = ${id}`)).length, 1);
});

test('a write into a period that gets its partition meanwhile does not fail', async () => {
  const insert = (at: number) => {
    const id = newId('evt', 'sandbox', at);
    return owner.run(sql`
      insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
      values (${api.team.id}, ${id}, 'payment.created', ${id}, 1, 0, '{}', now())`);
  };
  const at = Date.UTC(2050, 0, 15);
  let written = Promise.resolve(0);
  await owner.transaction(async (tx) => {
    let made = 0;
    // None while another call has the lock: that of a call that failed is released after its error is sent.
    while (made === 0) made = await makePartitions(tx, 'sandbox', at);
    assert.equal(made, ALL);
    written = insert(at);
    written.catch(() => {});
    await sleep(200);
  });
  assert.equal(await written, 1);
});

test('a migration that stops between two of its files leaves at least two weeks in which events can be recorded', async () => {
  const databases = await emptyDatabases();
  const folder = newFolder();
  const from = path.join(import.meta.dirname, '..', '..', 'migrations', 'store');
  const upTo = async (last: string) => {
    for (const file of fs.readdirSync(from)) if (file < last) fs.copyFileSync(path.join(from, file), path.join(folder, file));
    await migrateFrom(folder, databases.live, {});
  };
  const old = openPool({ url: databases.live, size: 1, log });
  try {
    await upTo('0084');
    const insert = (at: number) => {
      const id = newId('evt', 'live', at);
      return old.run(sql`
        insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
        values (1, ${id}, 'payment.created', ${id}, 1, 0, '{}', ${new Date(at)})`);
    };
    await insert(Date.now());
    await upTo('0087');
    await insert(Date.now() + 14 * DAY_MS);
    await upTo('9');
    const [first] = await old.all<{ upper: string }>(sql`
      select substring(pg_get_expr(relpartbound, oid) from 'TO [(]''(.*)''[)]') as upper from pg_class where relname = 'events_before'`);
    assert.ok(String(first?.upper) > lowestIdAt('evt', 'live', Date.now() + 14 * DAY_MS));
  } finally {
    await old.close();
    await databases.drop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
