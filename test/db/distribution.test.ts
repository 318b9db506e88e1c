import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { IDENTITIES, KEYLESS, KEYS, UNDISTRIBUTED } from './distribution.ts';

/** A store whose tables are distributed by team_id needs it in every table, in every unique index and in every foreign key. */
let databases: Databases;
let owner: DbPool;
before(async () => {
  databases = await cloneDatabases();
  owner = openPool({ url: databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await databases.drop();
});

async function names(statement: Sql): Promise<string[]> {
  return (await owner.all<{ name: string }>(statement)).map(({ name }) => name);
}

const listed = (list: object) => Object.keys(list).sort();

test('every table has a team_id that is never null, or is named with a reason', async () => {
  const found = await names(sql`
    select c.relname::text collate "C" as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (
      select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and a.attnotnull)
    order by 1`);
  assert.deepEqual(found, listed(UNDISTRIBUTED));
});

test('every table of teams has a primary key, or is named with a reason', async () => {
  const found = await names(sql`
    select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary) order by 1`);
  assert.deepEqual(found, listed(KEYLESS));
});

test('every primary key and unique index of a table of teams contains team_id, or is named with a reason', async () => {
  const found = await names(sql`
    select i.indexrelid::regclass::text collate "C" as name from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and i.indisunique and c.relname <> all (${Object.keys(UNDISTRIBUTED)})
      and not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and a.attnum = any (i.indkey))
    order by 1`);
  assert.deepEqual(found, listed(KEYS));
});

test('every foreign key leads to a row of the same team', async () => {
  const found = await names(sql`
    select c.conname as name from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
      select 1 from unnest(c.conkey, c.confkey) k(own, other)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
      join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.other
      where a.attname = 'team_id' and b.attname = 'team_id')
    order by 1`);
  assert.deepEqual(found, []);
});

test('every identity column is a bigint and is named with a reason', async () => {
  const found = await names(sql`
    select (c.relname || '.' || a.attname) collate "C" as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attidentity <> '' and a.atttypid = 'int8'::regtype
    order by 1`);
  assert.deepEqual(found, listed(IDENTITIES));
  const small = await names(sql`
    select attname::text as name from pg_attribute where attidentity <> '' and atttypid <> 'int8'::regtype`);
  assert.deepEqual(small, []);
});
