import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { purgeSweeps } from '../../src/edge/purge/sweeps.ts';
import { createLog } from '../../src/kit/log.ts';
import { lowestIdAt, newId } from '../../src/kit/ids.ts';
import { pgCode, sql } from '../../src/kit/sql.ts';
import {
  deletesWithinPeriods,
  dropPartition,
  makePartitions,
  PartitionsBusy,
  partitionUse,
} from '../../src/platform/db/partitions.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type Api, FakeClock, startApi, until } from '../setup/api.ts';
import { asService } from '../setup/databases.ts';

const DAY_MS = 86_400_000;
const JANUARY = Date.UTC(2030, 0, 15);
const MARCH = Date.UTC(2030, 2, 15);
const UNIQUE_VIOLATION = '23505';
const INSUFFICIENT_PRIVILEGE = '42501';

let api: Api;
let owner: DbPool;
const clock = new FakeClock();

before(async () => {
  api = await startApi({ clock, workers: false, partitions: false });
  owner = openPool({ url: api.databases.sandbox, size: 4, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await api.stop();
});

const store = () => api.deps.stores.sandbox.db;

/** Inserts an event of that moment, as the service does. */
async function insertEvent(resource_id: string, sequence: number, at: number, type = 'payment.created'): Promise<string> {
  const id = newId('evt', 'sandbox', at);
  await store().run(sql`
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    values (${api.team.id}, ${id}, ${type}, ${resource_id}, ${sequence}, 0, '{}', ${new Date(at)})`);
  return id;
}

const partitionOf = async (id: string) =>
  (await owner.maybe<{ name: string }>(sql`select tableoid::regclass::text as name from events where id = ${id}`))?.name;

/** Tries again while a partition is busy: autovacuum has one now and then, and the locks of a failed write are released after its error is sent. */
async function dropUnlessBusy(keep_from: number): Promise<string | undefined> {
  for (;;) {
    try {
      return await dropPartition(store(), 'sandbox', 'events', keep_from);
    } catch (error) {
      if (!(error instanceof PartitionsBusy)) throw error;
      await untilUnlocked();
    }
  }
}

/** The lock of a call that failed is released after its error is sent, and a call without it does nothing. */
const untilUnlocked = () => owner.run(sql`select pg_advisory_xact_lock(hashtextextended('pirogue_partitions', 0))`);

const rejected = (code: string) => (error: unknown) => pgCode(error) === code;

test('the bounds of partitions are the ids that the program makes', async () => {
  for (const at of [0, 1, 31, 32, 1_763_000_000_000, Date.UTC(2026, 11, 1), Date.UTC(2400, 0, 1) + 999]) {
    for (const environment of ['sandbox', 'live'] as const) {
      const row = await owner.maybe(sql`select pirogue_lowest_id('evt', ${environment}, ${new Date(at)}) as id`);
      assert.deepEqual(row, { id: lowestIdAt('evt', environment, at) });
    }
  }
});

test('partitions are made for the current period and two more, once, by any number of processes', async () => {
  const made = await Promise.allSettled([1, 2, 3].map(() => makePartitions(store(), 'sandbox', JANUARY)));
  assert.ok(made.some(({ status }) => status === 'fulfilled'));
  assert.equal(await makePartitions(store(), 'sandbox', JANUARY), 0);
  assert.equal(await partitionOf(await insertEvent('trx_a', 1, JANUARY)), 'pirogue_partitions.events_203001');
  assert.equal(await partitionOf(await insertEvent('trx_a', 2, MARCH)), 'pirogue_partitions.events_203003');
  const use = await partitionUse(store());
  assert.deepEqual(
    use.map(({ table, partitions }) => `${table} ${partitions}`),
    [
      ...['delivery_attempts 3', 'event_bodies 3', 'events 3', 'idempotency_answers 3', 'mails 3'],
      ...['provider_exchanges 3', 'request_log 3', 'request_log_days 3'],
    ],
  );
});

test('a row of a period without a partition is stored all the same; that period gets none, and the others do', async () => {
  const may = Date.UTC(2030, 4, 20);
  const id = await insertEvent('trx_b', 1, may);
  assert.equal(await partitionOf(id), 'pirogue_partitions.events_default');
  assert.ok((await partitionUse(store())).find(({ table }) => table === 'events')?.overflowing);
  assert.equal(await deletesWithinPeriods(store(), 'events'), true);
  await makePartitions(store(), 'sandbox', may);
  assert.equal(await partitionOf(await insertEvent('trx_b', 2, may + DAY_MS)), 'pirogue_partitions.events_default');
  assert.equal(await partitionOf(await insertEvent('trx_b', 3, may + 30 * DAY_MS)), 'pirogue_partitions.events_203006');
  // The default partition is emptied when nothing in it is within its retention.
  const before_june = Date.UTC(2030, 5, 1);
  while ((await dropPartition(store(), 'sandbox', 'events', before_june)) !== undefined);
  assert.equal(await partitionOf(id), undefined);
  assert.ok(!(await partitionUse(store())).find(({ table }) => table === 'events')?.overflowing);
  assert.equal(await deletesWithinPeriods(store(), 'events'), false);
});

test('the number of an event is unique for its resource for ever, across partitions and after they are dropped', async () => {
  const at = Date.UTC(2030, 5, 10);
  await makePartitions(store(), 'sandbox', at);
  await insertEvent('trx_c', 1, at);
  await insertEvent('trx_c', 2, at);
  await assert.rejects(insertEvent('trx_c', 2, at + 40 * DAY_MS), rejected(UNIQUE_VIOLATION));
  await assert.rejects(insertEvent('trx_c', 1, at + DAY_MS), rejected(UNIQUE_VIOLATION), 'the first, within its partition');
  await dropUnlessBusy(Date.UTC(2030, 6, 1));
  await assert.rejects(insertEvent('trx_c', 2, at + 40 * DAY_MS), rejected(UNIQUE_VIOLATION));
  await insertEvent('trx_c', 3, at + 40 * DAY_MS);
  // Of two at once, one is recorded.
  const both = await Promise.allSettled([insertEvent('trx_c', 4, at + 40 * DAY_MS), insertEvent('trx_c', 4, at + 70 * DAY_MS)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  // Tests of an endpoint are numbered anew once the earlier ones are forgotten.
  await insertEvent('wh_c', 2, at, 'webhook.test');
  await insertEvent('wh_c', 1, at + 40 * DAY_MS, 'webhook.test');
});

test('a partition is not dropped while an event in it is being sent again, nor while the delivery is pending', async () => {
  const at = Date.UTC(2031, 0, 10);
  const keep_from = Date.UTC(2031, 1, 1);
  await makePartitions(store(), 'sandbox', at);
  const id = await insertEvent('trx_d', 1, at);
  const drop = () => dropPartition(store(), 'sandbox', 'events', keep_from);
  while ((await dropPartition(store(), 'sandbox', 'events', at)) !== undefined);
  await store().transaction(async (tx) => {
    await tx.run(sql`select 1 from events where team_id = ${api.team.id} and id = ${id}`);
    await tx.run(sql`insert into deliveries (team_id, endpoint_id, event_id) values (${api.team.id}, 'wh_d', ${id})`);
    await assert.rejects(drop(), PartitionsBusy);
  });
  await untilUnlocked();
  assert.equal(await drop(), undefined);
  assert.equal(await partitionOf(id), 'pirogue_partitions.events_203101');
  await store().run(sql`delete from deliveries where event_id = ${id}`);
  assert.match((await drop()) ?? '', /events_203101/);
  assert.equal(await partitionOf(id), undefined);
});

test('a partition whose event is sent again while the lock of its table is waited for is kept', async () => {
  const at = Date.UTC(2031, 2, 10);
  await makePartitions(store(), 'sandbox', at);
  const id = await insertEvent('trx_h', 1, at);
  while ((await dropUnlessBusy(at)) !== undefined);
  const waits = () =>
    owner.maybe(sql`
      select from pg_locks where not granted and relation = 'events'::regclass
        and database = (select oid from pg_database where datname = current_database()) limit 1`);
  // The drop waits 100 ms at most, so that another try is made where this one takes longer.
  const dropWhileSending = () =>
    store().transaction(async (tx) => {
      await tx.run(sql`select 1 from events where team_id = ${api.team.id} and id = ${id}`);
      await tx.run(sql`insert into deliveries (team_id, endpoint_id, event_id) values (${api.team.id}, 'wh_h', ${id})`);
      let ended = false;
      const dropped = dropPartition(store(), 'sandbox', 'events', Date.UTC(2031, 3, 1))
        .then((name) => name ?? 'nothing')
        .catch((error) => assert.ok(error instanceof PartitionsBusy))
        .finally(() => {
          ended = true;
        });
      while (!ended && !(await waits()));
      return { dropped };
    });
  for (let result: unknown; result === undefined; ) {
    await store().run(sql`delete from deliveries where event_id = ${id}`);
    result = await (await dropWhileSending()).dropped;
  }
  assert.match((await partitionOf(id)) ?? '', /events_203103/);
  await store().run(sql`delete from deliveries where event_id = ${id}`);
  assert.match((await dropUnlessBusy(Date.UTC(2031, 3, 1))) ?? '', /events_203103/);
});

test('partitions are made and dropped while many write and read; nothing is lost, and nobody fails', async () => {
  const at = Date.UTC(2031, 5, 10);
  let stopping = false;
  const ids: string[] = [];
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let i = 1; !stopping; i++) {
      const id = await insertEvent(`trx_e${writer}`, i, at + (i % 100) * DAY_MS);
      ids.push(id);
      await store().maybe(sql`select body from events where team_id = ${api.team.id} and id = ${id}`);
    }
  });
  const busy = (error: unknown) => assert.ok(error instanceof PartitionsBusy);
  for (let day = 0; day < 60; day += 3) {
    await makePartitions(store(), 'sandbox', at + day * DAY_MS).catch(busy);
    await dropPartition(store(), 'sandbox', 'events', at - DAY_MS).catch(busy);
  }
  stopping = true;
  await Promise.all(writers);
  const [kept] = await owner.all<{ n: number }>(sql`select count(*)::integer as n from events where id = any(${ids})`);
  assert.equal(kept?.n, ids.length);
});

test('a mail that is not sent yet keeps its partition', async () => {
  await store().run(sql`
    insert into mails (team_id, kind, facts, created_at) values (${api.team.id}, 'dropped', '{}', '2030-01-16T00:00:00Z')`);
  const drop = () => dropPartition(store(), 'sandbox', 'mails', MARCH);
  assert.match((await drop()) ?? '', /mails_20300121/);
  assert.match((await drop()) ?? '', /mails_20300128/);
  assert.equal(await drop(), undefined);
  await store().run(sql`update mails set due_at = null where team_id = ${api.team.id}`);
  assert.match((await drop()) ?? '', /mails_20300114/);
});

test('rows from before a table was partitioned are deleted row by row, and the rest is dropped with its partition', async () => {
  const old = clock.now() - 95 * DAY_MS;
  const end = lowestIdAt('evt', 'sandbox', clock.now() + 5 * DAY_MS);
  while ((await dropUnlessBusy(Date.UTC(2040, 0, 1))) !== undefined);
  await owner.run({
    text: `alter table events detach partition pirogue_partitions.events_default;
      truncate pirogue_partitions.events_default;
      alter table pirogue_partitions.events_default rename to events_before;
      alter table events attach partition pirogue_partitions.events_before for values from (minvalue) to ('${end}')`,
    values: [],
  });
  await owner.run({ text: 'create table pirogue_partitions.events_default partition of events default', values: [] });
  assert.equal(await deletesWithinPeriods(store(), 'events'), true);
  for (let i = 1; i <= 1_201; i++) await insertEvent('trx_f', i, old + i);
  const kept = await insertEvent('trx_f', 1_202, clock.now());
  const waiting = await insertEvent('trx_h', 2, old);
  await store().run(sql`insert into deliveries (team_id, endpoint_id, event_id) values (${api.team.id}, 'wh_h', ${waiting})`);
  const purge = async () => {
    for (const { round } of purgeSweeps(api.deps, api.deps.stores.sandbox)) while ((await round()) > 0);
  };
  const left = () => owner.all<{ id: string }>(sql`select id from events where resource_id = 'trx_f'`);
  await purge();
  assert.deepEqual(await left(), [{ id: kept }]);
  assert.equal(await partitionOf(waiting), 'pirogue_partitions.events_before', 'it is not delivered yet');
  await store().run(sql`delete from deliveries where event_id = ${waiting}`);
  await purge();
  assert.equal(await partitionOf(waiting), undefined);
  clock.advance(100 * DAY_MS);
  // A partition that autovacuum has is left to a later round.
  await until(
    async () => {
      await purge();
      return left();
    },
    (rows) => rows.length === 0,
  );
  assert.equal(await partitionOf(await insertEvent('trx_g', 1, old)), 'pirogue_partitions.events_default');
});

test('the service cannot use a partition directly, nor make, change or drop one by itself', async () => {
  const client = new pg.Client({ connectionString: asService(api.databases.sandbox) });
  await client.connect();
  try {
    for (const role of ['pirogue_app', 'pirogue_all_teams']) {
      for (const text of [
        'select * from pirogue_partitions.events_default',
        'delete from pirogue_partitions.events_default',
        'create table pirogue_partitions.mine (n integer)',
        'alter table events detach partition pirogue_partitions.events_default',
        'drop table pirogue_partitions.events_default',
        'update pirogue_partitions.rules set needed = null',
      ]) {
        await client.query(`set role ${role}`);
        await assert.rejects(client.query(text), rejected(INSUFFICIENT_PRIVILEGE), text);
      }
    }
    await client.query('set role pirogue_app');
    await assert.rejects(
      client.query("select pirogue_drop_partition('events', 'sandbox', now())"),
      rejected(INSUFFICIENT_PRIVILEGE),
    );
  } finally {
    await client.end();
  }
});
