import type { DbClient } from '../client.ts';
import { nameIn } from '../partitioned-indexes.ts';
import { type KeptTable, PARTITIONS_SCHEMA } from './tables.ts';

/** Description of a table from the catalogue, as far as a copy needs it. */
export interface Shape {
  /** Columns that are written: all but generated ones. */
  columns: string[];
  /** Columns of the primary key with their types. */
  key: { name: string; type: string }[];
  /** Primary key and unique constraints. */
  constraints: { name: string; definition: string; tablespace: string }[];
  /** Indexes that do not belong to a constraint. */
  indexes: { name: string; unique: boolean; rest: string; tablespace: string }[];
  /** `fillfactor=85`, `toast.autovacuum_enabled=false`, … */
  options: string[];
  /** Tablespace of its rows. Empty: that of the database. */
  tablespace: string;
}

/** Reads the shape of a table of the schema `public`. */
export async function shapeOf(client: DbClient, table: KeptTable): Promise<Shape> {
  const name = nameIn('public', table);
  const { rows } = await client.query<Shape>(
    `select
      array(select attname::text from pg_attribute a where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum) as columns,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by k.place)
        from pg_index i, unnest(i.indkey::smallint[]) with ordinality k(attnum, place) join pg_attribute a on a.attnum = k.attnum
        where i.indrelid = t.oid and i.indisprimary and a.attrelid = t.oid) as key,
      (select coalesce(json_agg(json_build_object('name', conname, 'definition', pg_get_constraintdef(c.oid),
          'tablespace', coalesce(spcname, '')) order by contype, conname), '[]')
        from pg_constraint c join pg_class x on x.oid = c.conindid left join pg_tablespace s on s.oid = x.reltablespace
        where conrelid = t.oid and contype in ('p', 'u')) as constraints,
      (select coalesce(json_agg(json_build_object('name', x.relname, 'unique', i.indisunique,
          'rest', substring(pg_get_indexdef(x.oid) from ' (USING .*)$'), 'tablespace', coalesce(spcname, '')) order by x.relname), '[]')
        from pg_index i join pg_class x on x.oid = i.indexrelid left join pg_tablespace s on s.oid = x.reltablespace
        where i.indrelid = t.oid and not exists (select from pg_constraint c where c.conindid = x.oid and c.contype in ('p', 'u'))) as indexes,
      coalesce(t.reloptions, '{}') || array(select 'toast.' || o from pg_class toast, unnest(toast.reloptions) o where toast.oid = t.reltoastrelid)
        as options,
      coalesce((select spcname::text from pg_tablespace s where s.oid = t.reltablespace), '') as tablespace
    from pg_class t where t.oid = to_regclass($1)`,
    [name],
  );
  return rows[0] as Shape;
}

/** Makes tables and indexes in a tablespace from now on, whatever the defaults of the login are. */
export async function useTablespace(client: DbClient, tablespace: string): Promise<void> {
  await client.query(`select set_config('default_tablespace', $1, false)`, [tablespace]);
}

/**
 * Compares a table with its partitioned copy in everything that statements, rights, operators and migrations rely on.
 * @returns what differs, in words; empty when nothing does
 */
export async function differencesOf(client: DbClient, table: KeptTable): Promise<string[]> {
  const describe = async (name: string) =>
    (await client.query<{ line: string }>(DESCRIPTION, [name])).rows.map(({ line }) => line);
  const [before, after] = [await describe(nameIn('public', table)), await describe(nameIn(PARTITIONS_SCHEMA, table))];
  const { rows: leaning } = await client.query<{ name: string }>(LEANING, [
    nameIn('public', table),
    nameIn(PARTITIONS_SCHEMA, table),
  ]);
  return [
    ...leaning.map(({ name }) => `${name} would depend on the original, which is dropped`),
    ...before.filter((line) => !after.includes(line)).map((line) => `it would lose "${line}"`),
    ...after.filter((line) => !before.includes(line)).map((line) => `it would get "${line}"`),
  ];
}

/** Objects of the copy ($2) that depend on the original ($1), such as a policy that reads its own table: its text is the same on both. */
const LEANING = `
  select distinct 'the ' || pg_describe_object(own.classid, own.objid, 0) as name
  from pg_depend own join pg_depend d on d.classid = own.classid and d.objid = own.objid
  where own.refclassid = 'pg_class'::regclass and own.refobjid = to_regclass($2) and own.deptype in ('a', 'i')
    and (d.refclassid, d.refobjid) in (
      select 'pg_class'::regclass, oid from pg_class where oid = to_regclass($1)
      union all select 'pg_type'::regclass, reltype from pg_class where oid = to_regclass($1))`;

const DESCRIPTION = `
  with t as (select * from pg_class where oid = to_regclass($1)),
  -- Settings of storage belong to the partitions.
  leaves as (
    select c.* from t join pg_inherits h on h.inhparent = t.oid join pg_class c on c.oid = h.inhrelid
    union all select * from t where relkind = 'r'
  )
  select concat_ws(' ', 'column', row_number() over (order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
      a.attgenerated, a.attstorage, a.attcompression, a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid),
      col_description(t.oid, a.attnum)) as line
    from t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
  union all
  select concat_ws(' ', 'statistics target of', case when t.relkind in ('i', 'I') then 'the index ' || t.relname end, 'column',
      case when t.relkind in ('i', 'I') then a.attnum::text else a.attname end, to_jsonb(a) ->> 'attstattarget')
    from (select * from t union all select x.* from t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid) t
    join pg_attribute a on a.attrelid = t.oid where a.attnum > 0 and not a.attisdropped and coalesce(to_jsonb(a) ->> 'attstattarget', '-1') <> '-1'
  union all
  -- Only these options can be set. PostgreSQL 15.20 of Debian adds a number here that differs for each table.
  select concat_ws(' ', 'setting of column', a.attname, o) from t join pg_attribute a on a.attrelid = t.oid, unnest(a.attoptions) o
    where a.attnum > 0 and not a.attisdropped and o like 'n_distinct%'
  union all
  -- A check of new rows only (NOT VALID) is validated before the rows are copied.
  select concat_ws(' ', 'constraint', conname, replace(pg_get_constraintdef(c.oid), ' NOT VALID', ''), obj_description(c.oid, 'pg_constraint'))
    from t join pg_constraint c on c.conrelid = t.oid where contype in ('c', 'p', 'u', 'x', 'f')
  union all
  select concat_ws(' ', 'index', x.relname, i.indisunique, i.indisprimary, i.indisvalid, i.indisready, obj_description(x.oid, 'pg_class'),
      substring(pg_get_indexdef(x.oid) from ' USING .*$'), 'tablespace ' || s.spcname, case when i.indisclustered then 'clustered' end,
      case when i.indisreplident then 'replica identity' end)
    from t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid left join pg_tablespace s on s.oid = x.reltablespace
  union all
  -- Parsing a condition again changes its parentheses.
  select concat_ws(' ', 'trigger', tgenabled, translate(regexp_replace(pg_get_triggerdef(g.oid), ' ON [^ ]+ ', ' ON '), '()', ''),
      obj_description(g.oid, 'pg_trigger'))
    from t join pg_trigger g on g.tgrelid = t.oid where not tgisinternal and tgname <> 'pirogue_copied'
  union all
  select concat_ws(' ', 'policy', polname, polcmd, polpermissive, array(select role::regrole::text from unnest(polroles) role order by 1), pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid),
      obj_description(p.oid, 'pg_policy'))
    from t join pg_policy p on p.polrelid = t.oid
  union all
  select concat_ws(' ', 'rule', rulename, ev_type) from t join pg_rewrite r on r.ev_class = t.oid
  union all
  select concat_ws(' ', 'right', g.name, case g.grantee when 0 then 'public' else g.grantee::regrole::text end, g.privilege_type, g.is_grantable)
    from t, lateral (
      select null::name as name, a.* from aclexplode(coalesce(t.relacl, acldefault('r', t.relowner))) a
      -- PostgreSQL 15 keeps the privileges of a dropped column.
      union all select c.attname, a.* from pg_attribute c, lateral aclexplode(c.attacl) a
        where c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
      union all select s.relname, a.* from pg_class s, pg_depend d, lateral aclexplode(coalesce(s.relacl, acldefault('s', s.relowner))) a
        where d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refobjid = t.oid and d.deptype in ('i', 'a') and s.relkind = 'S') g
  union all
  select concat_ws(' ', 'sequence', s.relname, q.seqincrement, q.seqmin, q.seqmax, q.seqcache, q.seqcycle, obj_description(s.oid, 'pg_class'))
    from t join pg_depend d on d.refobjid = t.oid and d.classid = 'pg_class'::regclass join pg_class s on s.oid = d.objid
    join pg_sequence q on q.seqrelid = s.oid
  union all
  select concat_ws(' ', 'comment', obj_description(oid, 'pg_class')) from t
  union all
  select said from t, lateral (values ('owner ' || relowner::regrole), (case when relrowsecurity then 'row-level security' end),
    (case when relforcerowsecurity then 'row-level security forced on its owner' end), (concat('replica identity ', relreplident))) said(said)
    where said is not null
  union all
  select distinct concat_ws(' ', 'storage', leaves.relpersistence, leaves.reloptions, toast.reloptions, 'tablespace ' || s.spcname, am.amname)
    from leaves join pg_am am on am.oid = leaves.relam left join pg_class toast on toast.oid = leaves.reltoastrelid
    left join pg_tablespace s on s.oid = leaves.reltablespace
  union all
  select concat_ws(' ', 'extended statistics', stxname, stxkind, stxkeys) from t join pg_statistic_ext s on s.stxrelid = t.oid
  union all
  select concat_ws(' ', 'security label', l.provider, l.label) from t join pg_seclabel l on l.objoid = t.oid
  order by line`;
