import type { DbClient } from '../client.ts';
import { nameIn } from '../partitioned-indexes.ts';
import { KEPT_FOR_EVER, type KeptTable, PARTITIONS_SCHEMA } from './tables.ts';

/**
 * Returns what keeps a table from being partitioned, in words; empty when nothing does. What is not looked for here, such as a comment on an
 * index, is found before the tables are switched.
 * @param partitions that it would have
 */
export async function obstaclesOf(client: DbClient, table: KeptTable, partitions: number): Promise<string[]> {
  const { rows } = await client.query<{ obstacle: string }>(OBSTACLES, [
    ...[nameIn('public', table), PARTITIONS_SCHEMA, table],
    ...[KEPT_FOR_EVER, partitions],
  ]);
  return rows.map(({ obstacle }) => obstacle);
}

const OBSTACLES = `
  with t as (select * from pg_class where oid = to_regclass($1)),
  -- A statement locks every partition and every index of it, also those that it does not read. PostgreSQL has room for
  -- twice max_locks_per_transaction locks for each connection; without room, statements fail ("out of shared memory").
  locks as (
    select sum(parts * (1 + (select count(*) from pg_index i where i.indrelid = c.oid)))::integer as held
    from unnest($4::text[]) name join pg_class c on c.oid = to_regclass(format('public.%I', name)), lateral (
      select case when c.oid = to_regclass($1) then $5::integer else (select count(*) from pg_inherits h where h.inhparent = c.oid) end as parts) p
  )
  select 'the login ' || current_user || ' does not own it: use that of ' || relowner::regrole as obstacle from t
    where relowner <> (select oid from pg_roles where rolname = current_user)
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
  select pg_describe_object(d.classid, d.objid, 0) || ' depends on it' from t join pg_depend d
      on (d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid) or (d.refclassid = 'pg_type'::regclass and d.refobjid = t.reltype)
    where d.deptype = 'n' and d.classid in ('pg_proc'::regclass, 'pg_rewrite'::regclass, 'pg_class'::regclass)
  union all
  select format('max_locks_per_transaction is %s, and transactions would hold up to %s locks: set it to %s or more and restart PostgreSQL (standbys first)',
      current_setting('max_locks_per_transaction'), held, (held + 1) / 2)
    from t, locks where held > 2 * current_setting('max_locks_per_transaction')::integer
  union all
  select $2 || '.' || $3 || ' exists already' from t
    where to_regclass(format('%I.%I', $2, $3)) is not null and not exists (select from pirogue_partitions.conversions where parent = $3)`;
