import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectClient, type DbClient } from '../../src/platform/db/client.ts';
import { type Databases, cloneDatabases } from '../setup/databases.ts';
import { until } from '../setup/api.ts';
import { checksum, partition, partitionCut, withOwner } from './partitioning.ts';

/*
 * Writers of many small transactions while their table is copied in small batches: insertions, updates and deletions of the same rows, in any
 * order, some rolled back. The expected rows are kept by the test.
 */

const WRITERS = 4;
const ROWS = 60;
const TEAM = 7;

let databases: Databases;
before(async () => {
  databases = await cloneDatabases();
});
after(() => databases.drop());

/** Numbers that look random and are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const idOf = (writer: number, n: number) => `att_${String(n).padStart(3, '0')}_${writer}`;

async function write(client: DbClient, id: string, polls: number | null): Promise<void> {
  if (polls === null) await client.query('delete from attempts where team_id = $1 and id = $2', [TEAM, id]);
  else {
    await client.query(
      `insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, provider_key, created_at, polls)
       values ($1, $2, $2, 'p', 'cm.mtn', 'open', 1, 'XAF', $2, '2026-01-01', $3)
       on conflict (team_id, id) do update set polls = excluded.polls`,
      [TEAM, id, polls],
    );
  }
}

/** One writer with rows of its own, which lie between those of the others. */
class Writer {
  readonly expected = new Map<string, number>();
  transactions = 0;
  going = true;
  readonly #number: number;
  readonly #next: (below: number) => number;

  constructor(number: number) {
    this.#number = number;
    this.#next = numbers(number + 1);
  }

  async run(client: DbClient): Promise<void> {
    while (this.going) {
      // In any order: a writer that has a late row asks for an early one.
      const changes = Array.from({ length: 1 + this.#next(4) }, () => {
        const id = idOf(this.#number, this.#next(ROWS));
        return [id, this.#next(3) === 0 ? null : this.#next(1_000)] as const;
      });
      await client.query('begin');
      for (const [id, polls] of changes) await write(client, id, polls);
      const kept = this.#next(5) > 0;
      await client.query(kept ? 'commit' : 'rollback');
      this.transactions++;
      if (!kept) continue;
      for (const [id, polls] of changes) {
        if (polls === null) this.expected.delete(id);
        else this.expected.set(id, polls);
      }
    }
  }
}

test('no change is lost, undone or repeated, and no writer fails, while a table is copied', { timeout: 400_000 }, async () => {
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(n));
  const clients = await Promise.all(writers.map(() => connectClient(databases.live)));
  const running = writers.map((writer, n) => writer.run(clients[n] as DbClient));
  const counted = () => writers.reduce((sum, { transactions }) => sum + transactions, 0);
  while (counted() < 200) await new Promise((resolve) => setTimeout(resolve, 10));
  const early = counted();
  await partition(databases.live, 'attempts', { batch_rows: 5 });
  const late = counted();
  while (counted() < late + 100) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const writer of writers) writer.going = false;
  await Promise.all(running);
  await Promise.all(clients.map((client) => client.end()));
  assert.ok(late - early > 20, `${late - early} transactions during the conversion`);

  await withOwner(databases.live, async (client) => {
    const { rows } = await client.query<{ id: string; polls: number }>('select id, polls from attempts order by id');
    const expected = writers.flatMap(({ expected: own }) => [...own].map(([id, polls]) => ({ id, polls })));
    assert.deepEqual(
      rows,
      expected.sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    assert.equal((await checksum(client, 'attempts')).rows, expected.length);
  });
});

test('copying gives way to a transaction that holds rows and asks for more', async () => {
  await withOwner(databases.sandbox, async (client) => {
    for (let n = 0; n < 20; n++) await write(client, idOf(0, n), 0);
    let copied = false;
    const reports: number[] = [];
    const work = partition(databases.sandbox, 'attempts', {
      batch_rows: 20,
      progress: (step, rows) => {
        if (step === 'copy') reports.push(rows);
        if (step !== 'copy') copied = true;
      },
    });
    while (reports.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await client.query('begin');
    await write(client, idOf(0, 19), 1);
    // Copying waits for row 19, and this for row 0, which copying has just written. By then PostgreSQL has looked for a deadlock of copying,
    // found none, and would end this transaction.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await write(client, idOf(0, 0), 1);
    await client.query('commit');
    await work;
    assert.ok(copied);
    const { rows } = await client.query('select id from attempts where polls = 1 order by id');
    assert.deepEqual(rows, [{ id: idOf(0, 0) }, { id: idOf(0, 19) }]);
  });
});

test('a row that is deleted while its batch is copied stays deleted', async () => {
  const url = databases.sandbox;
  await withOwner(url, async (holder) => {
    const insert = `insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_key, stage, key_id,
      request_id, created_at, updated_at) select 7, 'po_' || n, 1, 0, 'XAF', 'failed', '{}', 'cm.mtn', n, 'closed', 'k', 'r', now(), now()
      from generate_series(1, 9) n`;
    await holder.query(insert);
    assert.ok(await partitionCut(url, 'transfers', ['copy', 1]));
    // Copying waits for this transaction at its last row: the others are written and not committed.
    await holder.query('begin');
    await holder.query(`update transfers set polls = 1 where id = 'po_9'`);
    const work = partition(url, 'transfers', { copy_lock_timeout_ms: 30_000 });
    await withOwner(url, async (other) => {
      const waiting = `select 1 from pg_stat_activity where wait_event = 'transactionid' and query like '%insert into "pirogue_partitions"."transfers"%'`;
      await until(
        async () => (await other.query(waiting)).rowCount,
        (found) => found === 1,
      );
      const deleted = other.query(`delete from transfers where id = 'po_1'`);
      // Without waiting for the end of the batch, it would be done by now.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await holder.query('commit');
      await Promise.all([deleted, work]);
    });
    const { rows } = await holder.query('select id, polls from transfers order by id');
    assert.deepEqual(
      rows,
      Array.from({ length: 8 }, (_, n) => ({ id: `po_${n + 2}`, polls: n === 7 ? 1 : 0 })),
    );
  });
});

test('a transaction with a snapshot from before copying finds all rows: the tables are switched after it', async () => {
  const url = databases.live;
  await withOwner(url, async (reader) => {
    const insert = `insert into event_sequences (team_id, resource_id, recorded_to) select 7, 'trx_' || n, n from generate_series(1, 9) n`;
    await withOwner(url, (client) => client.query(insert));
    await reader.query('begin isolation level repeatable read');
    await reader.query('select count(*) from schema_migrations');
    let work: Promise<unknown> = Promise.resolve();
    const waits = new Promise<void>((resolve) => {
      work = partition(url, 'event_sequences', { lock_timeout_ms: 200, report: () => resolve() });
    });
    await Promise.race([waits, work]);
    const { rows } = await reader.query('select count(*)::integer as n from event_sequences');
    assert.deepEqual(rows, [{ n: 9 }]);
    await reader.query('commit');
    await work;
    assert.equal((await checksum(reader, 'event_sequences')).rows, 9);
    const left = await reader.query(`select 1 from pg_class where relname = 'conversions_barrier'`);
    assert.equal(left.rowCount, 0);
  });
});

/**
 * Makes transactions with `application_name` 'late' wait between looking for a row in the copy and writing it, until nobody else has advisory
 * lock 1. PostgreSQL evaluates the indexes of a table in the order in which they were made, and the keys are made again after this one.
 */
const LATE_WRITERS = `
  create function public.wait_if_late(polls integer) returns boolean language plpgsql immutable as $$
  begin
    if current_setting('application_name') = 'late' then perform pg_advisory_xact_lock_shared(1); end if;
    return true;
  end $$;
  create index late_writers on pirogue_partitions.attempts (polls) where public.wait_if_late(polls);
  alter table pirogue_partitions.attempts drop constraint attempts_pkey, add constraint attempts_pkey primary key (team_id, id);
  drop index pirogue_partitions.attempts_one_open;
  create unique index attempts_one_open on pirogue_partitions.attempts (team_id, payment_id) where status in ('created', 'open', 'unknown')`;

/** Advisory locks of this database that are waited for: those of other tests are not meant. */
const WAITING = `select 1 from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

test('a writer whose row is copied in the moment between looking for it and writing it does not fail', async () => {
  const own = await cloneDatabases();
  const url = own.live;
  await withOwner(url, async (late) => {
    for (let n = 0; n < 9; n++) await write(late, idOf(0, n), 0);
    assert.ok(await partitionCut(url, 'attempts', ['copy', 1]));
    await withOwner(url, async (other) => {
      await other.query(LATE_WRITERS);
      await other.query('select pg_advisory_lock(1)');
      await late.query(`set application_name = 'late'`);
      const written = write(late, idOf(0, 5), 7);
      written.catch(() => {});
      await until(
        async () => (await other.query(WAITING)).rowCount,
        (found) => found === 1,
      );
      const copied = partitionCut(url, 'attempts', ['index', 1]);
      copied.catch(() => {});
      await until(
        async () => (await other.query('select 1 from pirogue_partitions.attempts')).rowCount,
        (found) => found === 9,
      );
      await other.query('select pg_advisory_unlock(1)');
      await written;
      assert.ok(await copied);
      await other.query('drop index pirogue_partitions.late_writers');
      await partition(url, 'attempts');
      const { rows } = await other.query('select id, polls from attempts where polls > 0');
      assert.deepEqual(rows, [{ id: idOf(0, 5), polls: 7 }]);
      assert.equal((await checksum(other, 'attempts')).rows, 9);
    });
  });
  await own.drop();
});
