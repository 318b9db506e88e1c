import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { DbClient } from '../../src/platform/db/client.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { migrateFrom } from '../../src/platform/db/migrate.ts';
import { abandon, CannotPartition, inTurn } from '../../src/platform/db/partitioning/convert.ts';
import { type Databases, cloneDatabases } from '../setup/databases.ts';
import { partition, partitionCut } from './partitioning.ts';

/** Migrations of a later release, on a store whose payments are partitioned. */
let databases: Databases;
let folder: string;
let client: DbClient;
const QUICK = { lock_timeout_ms: 300, first_wait_ms: 50, report: () => {} };

before(async () => {
  databases = await cloneDatabases();
  await partition(databases.live, 'payments');
});
after(() => databases.drop());
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-migrations-'));
  client = await connectClient(databases.live);
});
afterEach(async () => {
  await client.end();
  fs.rmSync(folder, { recursive: true });
});

let number = 1_000;
function write(text: string): void {
  // Those that are applied already must precede it.
  for (const name of applied) fs.writeFileSync(path.join(folder, `${name}.sql`), '-- Up Migration\n');
  fs.writeFileSync(path.join(folder, `${++number}_later.sql`), text);
}
let applied: string[] = [];
beforeEach(async () => {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by id');
  applied = rows.map(({ name }) => name);
});

async function indexes(name: string) {
  const { rows } = await client.query(
    `select c.relname as name, i.indisvalid as valid, c.relkind as kind, c.relispartition as attached
     from pg_class c join pg_index i on i.indexrelid = c.oid where c.relname like $1 order by 1`,
    [name],
  );
  return rows;
}

const BUILD =
  '-- migration: no transaction\ncreate index concurrently if not exists payments_fresh on payments (team_id, bearer);\n';
const BUILT = [
  ...[0, 1, 2, 3].map((n) => ({ name: `payments_${n}_fresh`, valid: true, kind: 'i', attached: true })),
  { name: 'payments_fresh', valid: true, kind: 'I', attached: false },
];

test('an index of a partitioned table is built concurrently, beside an open writer', async () => {
  write(BUILD);
  const writer = await connectClient(databases.live);
  await writer.query('begin');
  await writer.query('lock table pirogue_partitions.payments_2 in row exclusive mode');
  const migrated = migrateFrom(folder, databases.live, QUICK);
  await new Promise((resolve) => setTimeout(resolve, 2 * QUICK.lock_timeout_ms));
  await writer.query('commit');
  await writer.end();
  await migrated;
  assert.deepEqual(await indexes('payments%fresh'), BUILT);
});

test('an interrupted build is continued, and its invalid part is built again', async () => {
  await client.query('drop index payments_fresh');
  await client.query('create index payments_fresh on only payments (team_id, bearer)');
  await client.query('create index payments_1_fresh on pirogue_partitions.payments_1 (team_id, bearer)');
  await client.query(`update pg_index set indisvalid = false where indexrelid = 'pirogue_partitions.payments_1_fresh'::regclass`);
  write(BUILD);
  await migrateFrom(folder, databases.live, QUICK);
  assert.deepEqual(await indexes('payments%fresh'), BUILT);
});

test('an index of a partitioned table is dropped', async () => {
  write('-- migration: no transaction\ndrop index concurrently if exists payments_fresh;\n');
  await migrateFrom(folder, databases.live, QUICK);
  assert.deepEqual(await indexes('payments%fresh'), []);
});

test('a column and a check are added to all partitions', async () => {
  write(
    `alter table payments add column later text; alter table payments add constraint payments_later check (later <> '') not valid;`,
  );
  await migrateFrom(folder, databases.live, QUICK);
  const { rows } = await client.query(
    `select count(*)::integer as n from pg_attribute a join pg_inherits h on h.inhrelid = a.attrelid
     where h.inhparent = 'payments'::regclass and attname = 'later'`,
  );
  assert.equal(rows[0].n, 4);
});

test('a migration waits for the end of a conversion that has begun, or for its being abandoned', async () => {
  assert.ok(await partitionCut(databases.live, 'transfers', ['copy', 1]));
  write('alter table transfers add column later text;');
  await assert.rejects(migrateFrom(folder, databases.live, QUICK), /partitioning of transfers has begun and is not finished/);
  await inTurn(databases.live, QUICK, (turn) => abandon(turn, databases.live, 'transfers', QUICK));
  await migrateFrom(folder, databases.live, QUICK);
  const { rows } = await client.query(`select to_regclass('pirogue_partitions.transfers') as copy`);
  assert.equal(rows[0].copy, null);
  // With the column, as if it had never begun.
  await partition(databases.live, 'transfers');
  assert.equal((await client.query('select later from transfers')).rowCount, 0);
});

test('what a partitioned table cannot have is named, and nothing is changed', async () => {
  await client.query('create unique index attempts_probe on attempts (provider_key)');
  await client.query('create view probe as select id from attempts');
  await client.query('create publication every_table for all tables');
  await assert.rejects(partition(databases.live, 'attempts'), (error) => {
    assert.ok(error instanceof CannotPartition);
    assert.match(error.message, /the unique index attempts_probe does not contain team_id/);
    assert.match(error.message, /view probe depends on it/);
    assert.match(error.message, /the publication every_table would lose it/);
    return true;
  });
  await client.query('drop view probe; drop index attempts_probe; drop publication every_table');
  await partition(databases.live, 'attempts');
});

test('more partitions than the server has locks for are rejected, with the setting that suffices', async () => {
  const { rows } = await client.query(`select current_setting('max_locks_per_transaction')::integer as locks`);
  // Each partition of event_sequences takes two locks, and so few of them do not change what the other tables take.
  const partitions = 2 * rows[0].locks;
  let needed = 0;
  await assert.rejects(partition(databases.live, 'event_sequences', { partitions }), (error) => {
    assert.ok(error instanceof CannotPartition);
    const [, is, held, set] =
      /max_locks_per_transaction is (\d+), and .* up to (\d+) locks: set it to (\d+)/.exec(error.message) ?? [];
    assert.equal(Number(is), rows[0].locks);
    needed = Number(held);
    assert.ok(2 * Number(set) >= needed);
    return true;
  });
  // What PostgreSQL counts: the locks of one look-up in each table that is partitioned now.
  await client.query('begin');
  await client.query(
    `select from payments, attempts, transfers where payments.team_id = pirogue_team() and attempts.team_id = pirogue_team() and transfers.team_id = pirogue_team()`,
  );
  const held = await client.query(
    `select count(*)::integer as locks from pg_locks where pid = pg_backend_pid() and relation in (
       select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'pirogue_partitions')`,
  );
  await client.query('commit');
  assert.ok(held.rows[0].locks > 100);
  assert.ok(needed >= held.rows[0].locks + 2 * partitions, `${needed} locks are expected, ${held.rows[0].locks} are held before`);
  await partition(databases.live, 'event_sequences');
});
