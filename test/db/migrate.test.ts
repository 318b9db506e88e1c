import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient, type DbClient } from '../../src/platform/db/client.ts';
import { TableBlocked } from '../../src/platform/db/lock-tries.ts';
import { migrateFrom } from '../../src/platform/db/migrate.ts';
import { headOf } from '../../src/platform/db/migration-waits.ts';
import { type Databases, emptyDatabases } from '../setup/databases.ts';

/** How long a reader holds its table if nothing ends it earlier. */
const HELD_MS = 60_000;
const QUICK = { lock_timeout_ms: 300, first_wait_ms: 50 };

let databases: Databases;
let folder: string;
let client: DbClient;
before(async () => {
  databases = await emptyDatabases();
});
after(() => databases.drop());
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-migrations-'));
  client = await connectClient(databases.sandbox);
  await client.query('drop table if exists schema_migrations, probe');
  await client.query('create table probe (id bigint generated always as identity primary key, name text)');
});
afterEach(async () => {
  await client.end();
  fs.rmSync(folder, { recursive: true });
});

function write(name: string, text: string): void {
  fs.writeFileSync(path.join(folder, name), `-- Up Migration\n\n${text}\n`);
}

async function names(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by id');
  return rows.map(({ name }) => name);
}

/** Reads the table in a transaction that stays open until the returned function is called, or for HELD_MS. */
async function reader(): Promise<() => Promise<void>> {
  const connection = await connectClient(databases.sandbox);
  await connection.query(`set application_name = 'a long report'`);
  await connection.query('begin');
  await connection.query(`select count(*) from probe where name = 'Awa' or id = 4711`);
  let ended = false;
  const end = async () => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    await connection.query('commit');
    await connection.end();
  };
  const timer = setTimeout(end, HELD_MS);
  return end;
}

test('a reader that holds a table delays the migration, and not the writers of that table', async () => {
  write('0001_column.sql', 'alter table probe add column added text;');
  const end = await reader();
  const writer = await connectClient(databases.sandbox);
  let written = 0;
  let writing = true;
  const writes = (async () => {
    for (; writing; await sleep(5)) {
      await writer.query(`insert into probe (name) values ('x')`);
      written++;
    }
  })();
  const counts: number[] = [];
  const migrated = migrateFrom(folder, databases.sandbox, {
    ...QUICK,
    // A busy machine may not get to the writer within 50 ms.
    first_wait_ms: 200,
    report: () => {
      counts.push(written);
      if (counts.length === 4) void end();
    },
  });
  await migrated;
  writing = false;
  await writes;
  await writer.end();
  await end();
  // Between two tries the writers that waited behind the migration pass.
  assert.ok(counts.length >= 4, `${counts.length} tries`);
  assert.deepEqual([...new Set(counts)], counts, 'writes succeeded between any two tries');
  assert.deepEqual(await names(), ['0001_column']);
});

test('a migration that stays blocked names the session that blocks it, without the values of its statement', async () => {
  write('0001_column.sql', 'alter table probe add column added text;');
  const end = await reader();
  const lines: string[] = [];
  try {
    await assert.rejects(
      migrateFrom(folder, databases.sandbox, { ...QUICK, max_tries: 2, report: (_, message) => lines.push(message) }),
      (error) => {
        assert.ok(error instanceof TableBlocked);
        assert.match(
          error.message,
          /in 2 tries: pid \d+ \(.*a long report, idle in transaction\), transaction of \d+ s: select count/,
        );
        assert.doesNotMatch(error.message, /Awa|4711/);
        return true;
      },
    );
    assert.equal(lines.length, 1, 'one line for each try that is repeated');
    assert.match(lines[0] ?? '', /try 1 of 2: pid \d+/);
  } finally {
    await end();
  }
  await migrateFrom(folder, databases.sandbox, QUICK);
  assert.deepEqual(await names(), ['0001_column']);
});

test('the server ends a migration that stops while it holds a table', async () => {
  write('0001_row.sql', `insert into probe (name) values (current_setting('idle_in_transaction_session_timeout'));`);
  await migrateFrom(folder, databases.sandbox, QUICK);
  const { rows } = await client.query('select name from probe order by id desc limit 1');
  assert.equal(rows[0].name, '10s');
});

test('finished files are not repeated when a later one is blocked', async () => {
  write('0001_row.sql', `insert into probe (name) values ('once');`);
  write('0002_column.sql', 'alter table probe add column added text;');
  const end = await reader();
  await migrateFrom(folder, databases.sandbox, { ...QUICK, report: () => void end() });
  const { rows } = await client.query(`select count(*)::int as n from probe where name = 'once'`);
  assert.equal(rows[0].n, 1);
});

test('an index of a file without a transaction is built concurrently, while a writer holds the table', async () => {
  write(
    '0001_index.sql',
    '-- migration: no transaction\n-- Of names; found by name.\ncreate index concurrently if not exists probe_name on probe (name);\ncreate index concurrently if not exists probe_both\n  on probe (name, id);',
  );
  const writer = await connectClient(databases.sandbox);
  await writer.query('begin');
  await writer.query(`insert into probe (name) values ('open')`);
  const migrated = migrateFrom(folder, databases.sandbox, QUICK);
  // The build waits for the writer, beyond the limit of locks; other writers do not wait for the build.
  await client.query(`insert into probe (name) values ('other')`);
  await sleep(2 * QUICK.lock_timeout_ms);
  await client.query(`insert into probe (name) values ('other')`);
  await writer.query('commit');
  await writer.end();
  await migrated;
  const { rows } = await client.query(`select indexrelid::regclass::text as name, indisvalid from pg_index
    where indrelid = 'probe'::regclass and not indisprimary order by 1`);
  assert.deepEqual(rows, [
    { name: 'probe_both', indisvalid: true },
    { name: 'probe_name', indisvalid: true },
  ]);
});

test('an index whose build was interrupted is built again', async () => {
  write(
    '0001_index.sql',
    '-- migration: no transaction\ncreate unique index concurrently if not exists probe_name on probe (name);',
  );
  await client.query(`insert into probe (name) values ('twice'), ('twice')`);
  await assert.rejects(migrateFrom(folder, databases.sandbox, QUICK), /could not create unique index/);
  const valid = `select indisvalid from pg_index where indexrelid = 'probe_name'::regclass`;
  assert.deepEqual((await client.query(valid)).rows, [{ indisvalid: false }], 'it left an invalid index');
  await client.query('delete from probe');
  await migrateFrom(folder, databases.sandbox, QUICK);
  assert.deepEqual((await client.query(valid)).rows, [{ indisvalid: true }]);
  assert.deepEqual(await names(), ['0001_index']);
});

test('two processes that migrate at once, one of them building an index, both end', async () => {
  write('0001_index.sql', '-- migration: no transaction\ncreate index concurrently if not exists probe_name on probe (name);');
  write('0002_row.sql', `insert into probe (name) values ('once');`);
  const silent = { ...QUICK, report: () => {} };
  await Promise.all(Array.from({ length: 3 }, () => migrateFrom(folder, databases.sandbox, silent)));
  assert.deepEqual(await names(), ['0001_index', '0002_row']);
  const { rows } = await client.query('select count(*)::int as n from probe');
  assert.equal(rows[0].n, 1);
});

test('a deadline of statements that the role has does not end a migration', async () => {
  write('0001_slow.sql', 'select pg_sleep(1.2);');
  const name = new URL(databases.sandbox).pathname.slice(1);
  await client.query(`alter database ${name} set statement_timeout = '1s'`);
  try {
    await migrateFrom(folder, databases.sandbox, QUICK);
  } finally {
    await client.query(`alter database ${name} reset statement_timeout`);
  }
  assert.deepEqual(await names(), ['0001_slow']);
});

const HEADS: readonly (readonly [string, string])[] = [
  [`select * from payments where phone = '+237650000000' and id = 42`, 'select * from payments where phone = ? and id = ?'],
  [`update t set a = E'it\\'s', b = 'don''t' where c1 = 1.5e3`, 'update t set a = E?, b = ? where c1 = ?'],
  [`select $1 /* Awa */ from t -- secret`, 'select $1 from t'],
  [`do $body$ select 'x' $body$`, 'do ?'],
  [`insert into t values ('cut off in the mid`, 'insert into t values (?'],
];
for (const [query, head] of HEADS) {
  test(`the beginning of a statement has no values: ${head}`, () => assert.equal(headOf(query), head));
}
