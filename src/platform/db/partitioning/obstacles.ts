import type { DbClient } from '../client.ts';
import { nameIn } from '../partitioned-indexes.ts';
import { rehearse } from './rehearsal.ts';
import { KEPT_FOR_EVER, type KeptTable, PARTITIONS_SCHEMA } from './tables.ts';

/**
 * Returns what prevents a table from being partitioned, in words. When the list is empty, the switch, days later, also finds no obstacle
 * unless the table has been changed meanwhile.
 * @param partitions number of partitions that it would have
 * @param together tables that would be partitioned with it: their locks count too
 */
export async function obstaclesOf(
  client: DbClient,
  table: KeptTable,
  partitions: number,
  together: readonly KeptTable[] = [table],
): Promise<string[]> {
  const { rows } = await client.query<{ obstacle: string }>(OBSTACLES, [
    ...[nameIn('public', table), PARTITIONS_SCHEMA, table],
    ...[KEPT_FOR_EVER, partitions, together],
  ]);
  const known = rows.map(({ obstacle }) => obstacle);
  const rehearsed = await rehearse(client, table, partitions);
  // A known obstacle also makes the rehearsal fail, with another text for the same reason.
  return [...known, ...(known.length === 0 ? rehearsed.impossible : []), ...rehearsed.differences];
}

const OBSTACLES = `
  with t as (select * from pg_class where oid = to_regclass($1)),
  -- A statement locks every partition and every index of it, also those that it does not read. PostgreSQL has room for
  -- twice max_locks_per_transaction locks for each connection; without room, statements fail ("out of shared memory").
  locks as (
    select sum(parts * (1 + (select count(*) from pg_index i where i.indrelid = c.oid)))::integer as held
    from unnest($4::text[]) name join pg_class c on c.oid = to_regclass(format('public.%I', name)), lateral (
      select case when c.relkind = 'r' and name = any ($6::text[]) then $5::integer
        else (select count(*) from pg_inherits h where h.inhparent = c.oid) end as parts) p
  ),
  -- Objects that are dropped with the table and that others may depend on.
  belongings as (
    select 'pg_class'::regclass as classid, oid as objid from t
    union all select 'pg_type'::regclass, oid from pg_type y where y.typrelid = (select oid from t)
      or y.typelem = (select reltype from t) and y.typcategory = 'A'
    union all select 'pg_class'::regclass, indexrelid from pg_index where indrelid = (select oid from t)
    union all select 'pg_constraint'::regclass, oid from pg_constraint where conrelid = (select oid from t)
    union all select 'pg_class'::regclass, d.objid from t join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid
      where d.classid = 'pg_class'::regclass and d.deptype = 'i'
  )
  select 'the login ' || current_user || ' does not own it: use that of ' || relowner::regrole as obstacle from t
    where relowner <> (select oid from pg_roles where rolname = current_user)
  union all
  select 'this server is a standby: use the primary' where pg_is_in_recovery()
  union all
  select 'the unique index ' || indexrelid::regclass || ' does not contain team_id' from t join pg_index i on i.indrelid = t.oid
    where indisunique and not exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = 'team_id' and a.attnum = any (i.indkey))
  union all
  select 'it has no primary key' from t where not exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary)
  union all
  select 'the index ' || indexrelid::regclass || ' is not valid: drop it' from t join pg_index i on i.indrelid = t.oid where not indisvalid
  union all
  select 'the foreign key ' || conname || ' of ' || conrelid::regclass from t join pg_constraint c on t.oid in (c.conrelid, c.confrelid)
    where contype = 'f'
  union all
  select 'the trigger ' || tgname || ' is disabled' from t join pg_trigger g on g.tgrelid = t.oid where not tgisinternal and tgenabled <> 'O'
  union all
  select 'it has heirs or partitions' from t where exists (select from pg_inherits h where t.oid in (h.inhparent, h.inhrelid))
  union all
  select 'the publication ' || pubname || ' would lose it' from t join pg_publication_tables p on p.schemaname = 'public' and p.tablename = t.relname
  union all
  -- Foreign keys are listed above. An object that cannot exist without the table, such as a policy on its columns, is dropped with it.
  select distinct pg_describe_object(d.classid, d.objid, 0) || ' depends on it' from belongings b
    join pg_depend d on d.refclassid = b.classid and d.refobjid = b.objid
    where d.deptype = 'n' and not exists (
        select from pg_depend own where own.classid = d.classid and own.objid = d.objid and own.deptype in ('a', 'i')
          and own.refclassid = 'pg_class'::regclass and own.refobjid = (select oid from t))
      and not exists (select from pg_constraint f where d.classid = 'pg_constraint'::regclass and f.oid = d.objid and f.contype = 'f')
  union all
  select 'the sequence ' || s.oid::regclass || ' belongs to one of its columns, which is no identity' from t
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid and d.classid = 'pg_class'::regclass and d.deptype = 'a'
    join pg_class s on s.oid = d.objid where s.relkind = 'S'
  union all
  select 'the trigger ' || tgname || ' has transition tables and acts for each row' from t join pg_trigger g on g.tgrelid = t.oid
    where tgtype & 1 = 1 and coalesce(tgnewtable, tgoldtable) is not null
  union all
  select format('max_locks_per_transaction is %s, and transactions would hold up to %s locks: set it to %s or more and restart PostgreSQL (standbys first)',
      current_setting('max_locks_per_transaction'), held, (held + 1) / 2)
    from t, locks where held > 2 * current_setting('max_locks_per_transaction')::integer
  union all
  select $2 || '.' || $3 || ' exists already' from t
    where to_regclass(format('%I.%I', $2, $3)) is not null and not exists (select from pirogue_partitions.conversions where parent = $3)`;
