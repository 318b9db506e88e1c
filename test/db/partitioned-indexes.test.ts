import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { DbClient } from '../../src/platform/db/client.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { migrateFrom } from '../../src/platform/db/migrate.ts';
import { abandon } from '../../src/platform/db/partitioning/convert.ts';
import { CannotPartition } from '../../src/platform/db/partitioning/possible.ts';
import { rehearse } from '../../src/platform/db/partitioning/rehearsal.ts';
import { inTurn } from '../../src/platform/db/partitioning/turn.ts';
import { type Databases, cloneDatabases } from '../setup/databases.ts';
import { partition, partitionCut, visibleShape, withOwner } from './partitioning.ts';

/** Migrations of a later release, on a store whose payments are partitioned. */
let databases: Databases;
let folder: string;
let client: DbClient;
const TABLESPACE = `probe_${process.pid}`;
const QUICK = { lock_timeout_ms: 300, first_wait_ms: 50, report: () => {} };

before(async () => {
  databases = await cloneDatabases();
  await partition(databases.live, 'payments');
});
after(async () => {
  await databases.drop();
  // Of the whole server, and empty now.
  await withOwner(Object.assign(new URL(databases.live), { pathname: '/postgres' }).href, (server) =>
    server.query(`drop tablespace if exists ${TABLESPACE}`),
  );
});
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

test('a partition that was made since an interrupted build has its part of the index already', async () => {
  await client.query('create index mails_fresh on only mails (tries)');
  const { rows } = await client.query(`select pirogue_make_partitions('live', now() + interval '1 year') as made`);
  assert.ok(rows[0].made > 0);
  write('-- migration: no transaction\ncreate index concurrently if not exists mails_fresh on mails (tries);\n');
  await migrateFrom(folder, databases.live, QUICK);
  const parts = await client.query(
    `select count(*)::integer as n from pg_index i where i.indisvalid and pg_get_indexdef(i.indexrelid) ~ 'mails.* [(]tries[)]$'`,
  );
  const partitions = await client.query(`select count(*)::integer as n from pg_inherits where inhparent = 'mails'::regclass`);
  assert.equal(parts.rows[0].n, partitions.rows[0].n + 1);
  await client.query('drop index mails_fresh');
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
  await inTurn(databases.live, { ...QUICK, wait: true }, (turn) => abandon(turn, databases.live, 'transfers', QUICK));
  await migrateFrom(folder, databases.live, QUICK);
  const { rows } = await client.query(`select to_regclass('pirogue_partitions.transfers') as copy`);
  assert.equal(rows[0].copy, null);
  // With the column, as if it had never begun.
  await partition(databases.live, 'transfers');
  assert.equal((await client.query('select later from transfers')).rowCount, 0);
});

/** Of 62 bytes: of 63 that PostgreSQL keeps of a name. */
const LONG = `attempts_${'x'.repeat(53)}`;

type Obstacle = readonly [make: string, remove: string, said: RegExp];

/** What each obstacle is made with, what removes it, and what is said of it: one that PostgreSQL rejects, the known ones, those that comparing finds. */
const OBSTACLES: readonly (readonly Obstacle[])[] = [
  [
    [
      `create index ${LONG}1 on attempts (polls); create index ${LONG}2 on attempts (team_id, polls)`,
      `drop index ${LONG}1, ${LONG}2`,
      /PostgreSQL rejects a partitioned copy: cannot attach/,
    ],
  ],
  [
    [
      'create unique index attempts_probe on attempts (provider_key)',
      'drop index attempts_probe',
      /the unique index attempts_probe does not contain team_id/,
    ],
    ['create view probe as select id from attempts', 'drop view probe', /view probe depends on it/],
    [
      'create publication every_table for all tables',
      'drop publication every_table',
      /the publication every_table would lose it/,
    ],
    [
      'create policy probe on teams_probe using (exists (select from attempts a where a.id = teams_probe.id))',
      'drop policy probe on teams_probe',
      /policy probe on table teams_probe depends on it/,
    ],
    ['create domain probe_row as attempts', 'drop domain probe_row', /type probe_row depends on it/],
    ['create table probe_rows (seen attempts[])', 'drop table probe_rows', /table probe_rows depends on it/],
    [
      `create trigger probe after insert on attempts referencing new table as made for each row execute function probe()`,
      'drop trigger probe on attempts',
      /the trigger probe has transition tables and acts for each row/,
    ],
  ],
  [
    ['create rule probe as on delete to attempts do also notify probe', 'drop rule probe on attempts', /would lose "rule probe/],
    [
      'alter table attempts alter column polls set (n_distinct = -0.5)',
      'alter table attempts alter column polls reset (n_distinct)',
      /would lose "setting of column polls n_distinct=-0.5"/,
    ],
    [
      'alter table attempts force row level security',
      'alter table attempts no force row level security',
      /would lose "row-level security forced on its owner"/,
    ],
    [
      'create statistics probe on provider, channel from attempts',
      'drop statistics probe',
      /would lose "extended statistics probe/,
    ],
    ['alter table attempts cluster on attempts_pkey', 'alter table attempts set without cluster', /attempts_pkey .* clustered"/],
    [
      'create policy probe on attempts to pg_monitor using (exists (select from attempts a where a.id = attempts.payment_id))',
      'drop policy probe on attempts',
      /the policy probe on table .* would depend on the original, which is dropped/,
    ],
    ['alter table attempts set unlogged', 'alter table attempts set logged', /would lose "storage u/],
  ],
];

/** What the command says before it copies a row. */
async function refusal(): Promise<string> {
  const steps: string[] = [];
  const said = await partition(databases.live, 'attempts', { progress: (step) => steps.push(step) }).then(
    () => '',
    (error) => {
      assert.ok(error instanceof CannotPartition, String(error));
      return error.message;
    },
  );
  assert.deepEqual(steps, []);
  return said;
}

test('what a partitioned table cannot have is named before a row is copied, and nothing is changed', async () => {
  await client.query('create table teams_probe (id text)');
  await client.query('create function probe() returns trigger language plpgsql as $$ begin return null; end $$');
  for (const round of OBSTACLES) {
    for (const [make] of round) await client.query(make);
    const said = await refusal();
    for (const [, , words] of round) assert.match(said, words);
    for (const [, remove] of round.toReversed()) await client.query(remove);
  }
  await client.query('drop table teams_probe; drop function probe()');
  const left = await client.query(
    `select relname from pg_class where relname like 'attempts%' and relnamespace = 'pirogue_partitions'::regnamespace`,
  );
  assert.deepEqual(left.rows, []);
  await client.query(`insert into event_sequences (team_id, resource_id, recorded_to) values (7, 'broken', 1)`);
  await client.query(`alter table event_sequences add constraint probe_check check (resource_id <> 'broken') not valid`);
  await assert.rejects(partition(databases.live, 'event_sequences'), (error) => {
    assert.ok(error instanceof CannotPartition);
    assert.match(error.message, /"probe_check" of relation "event_sequences" is violated by some row/);
    return true;
  });
  await client.query('alter table event_sequences drop constraint probe_check; delete from event_sequences');
  await partition(databases.live, 'attempts');
});

/** What the catalogue says of a table and its partitions that no view of information_schema shows. */
async function hidden(table: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `with every as (select $1::regclass::oid as oid union all select inhrelid from pg_inherits where inhparent = $1::regclass),
       leaves as (select c.* from every join pg_class c using (oid) where c.relkind = 'r')
     select distinct line from (
       select concat_ws(' ', 'comment', i.type, replace(i.identity, 'pirogue_partitions.', 'public.'), d.description) as line
         from pg_description d, lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) i where i.identity like '%public.' || $1 || '%'
       union all select concat_ws(' ', 'table in', s.spcname, toast.reloptions)
         from leaves l join pg_tablespace s on s.oid = l.reltablespace join pg_class toast on toast.oid = l.reltoastrelid
       union all select concat_ws(' ', pg_get_indexdef(i.indexrelid, 2, false), 'in', s.spcname)
         from leaves l join pg_index i on i.indrelid = l.oid join pg_class x on x.oid = i.indexrelid join pg_tablespace s on s.oid = x.reltablespace
       union all select concat_ws(' ', 'target of', a.attname, a.attstattarget)
         from every join pg_attribute a on a.attrelid = every.oid where a.attstattarget > 0
       union all select concat_ws(' ', 'sequence', s.sequencename, increment_by, cache_size, has_sequence_privilege('pg_monitor', c.oid, 'select'))
         from pg_sequences s join pg_class c on c.relname = s.sequencename where s.schemaname = 'public' and s.sequencename like $1 || '%') l order by 1`,
    [table],
  );
  return rows.map(({ line }) => line);
}

test('a table that another session changes, and a copy that another one has just made, are named', async () => {
  const busy = ['another session is changing it just now: try again'];
  const check = () => withOwner(databases.live, (owner) => rehearse(owner, 'settlement_items', 4));
  const held = async (change: string) =>
    withOwner(databases.live, async (other) => {
      await other.query('begin');
      await other.query(change);
      assert.deepEqual((await check()).impossible, busy);
    });
  await held('lock table settlement_items in access exclusive mode');
  await held('create table pirogue_partitions.settlement_items (a text)');
  assert.deepEqual(await check(), { impossible: [], differences: [] });
});

test('what operators have set is carried over', async () => {
  await client.query(`set allow_in_place_tablespaces = on`);
  await client.query(`create tablespace ${TABLESPACE} location ''`);
  await client.query(`
    grant select on journals to public; grant select (id) on journals to pg_monitor; grant select on sequence journals_id_seq to pg_monitor;
    create policy probe on journals as restrictive for select to pg_monitor, public using (team_id <> 404);
    create policy two on journals for insert to pg_read_all_stats, pg_monitor with check (true);
    alter table journals add column gone text; grant select (gone) on journals to pg_monitor; alter table journals drop column gone;
    create function probe() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger probe after insert on journals referencing new table as made for each statement execute function probe();
    create index journals_probe on journals (team_id, subject_id) with (fillfactor = 70) tablespace ${TABLESPACE};
    alter table journals set tablespace ${TABLESPACE}; alter index journals_pkey set tablespace ${TABLESPACE};
    alter table journals set (toast.autovacuum_enabled = false, autovacuum_vacuum_threshold = 77);
    alter table journals alter column kind set statistics 777;
    alter sequence journals_id_seq cache 20 increment by 3;
    alter table journals add constraint journals_probe check (kind <> '') not valid;
    comment on table journals is 'It''s a journal'; comment on index journals_pkey is 'A key'; comment on index journals_probe is 'A probe';
    comment on column journals.kind is 'A kind'; comment on policy probe on journals is 'A policy'; comment on trigger probe on journals is 'A trigger';
    comment on constraint journals_pkey on journals is 'A constraint'; comment on sequence journals_id_seq is 'Numbers'`);
  const [visible, before] = [await visibleShape(client), await hidden('journals')];
  assert.equal(before.length, 13, before.join('\n'));
  const number = async () => (await client.query(`select nextval('journals_id_seq')::integer as n`)).rows[0]?.n;
  const last = await number();
  await partition(databases.live, 'journals');
  // Whoever had set an increment of more than one shares the numbers with another sequence. The first session has taken twenty numbers.
  assert.equal(await number(), last + 20 * 3);
  assert.deepEqual([await visibleShape(client), await hidden('journals')], [visible, before]);
  await client.query('drop trigger probe on journals; drop function probe()');
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
