import type { DbClient } from '../client.ts';
import { nameIn } from '../partitioned-indexes.ts';

/** A table as the catalogue describes it, as far as a copy is made from it. */
export interface Shape {
  /** Columns that are written: all but generated ones. */
  columns: string[];
  /** Columns of the primary key with their types. */
  key: { name: string; type: string }[];
  /** Primary key and unique constraints. */
  constraints: { name: string; definition: string }[];
  /** Indexes that are no constraints. */
  indexes: { name: string; unique: boolean; rest: string }[];
  triggers: string[];
  identity: { column: string; sequence: string }[];
  /** Statements that grant what the original grants. */
  grants: string[];
  /** `fillfactor=85`, … */
  options: string[];
}

/** Reads the shape of a table of the schema `public`. */
export async function shapeOf(client: DbClient, table: string): Promise<Shape> {
  const name = nameIn('public', table);
  const { rows } = await client.query<Shape>(
    `select
      array(select attname::text from pg_attribute a where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum) as columns,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by k.place)
        from pg_index i, unnest(i.indkey::smallint[]) with ordinality k(attnum, place) join pg_attribute a on a.attnum = k.attnum
        where i.indrelid = t.oid and i.indisprimary and a.attrelid = t.oid) as key,
      (select coalesce(json_agg(json_build_object('name', conname, 'definition', pg_get_constraintdef(oid)) order by contype, conname), '[]')
        from pg_constraint where conrelid = t.oid and contype in ('p', 'u')) as constraints,
      (select coalesce(json_agg(json_build_object('name', x.relname, 'unique', i.indisunique,
          'rest', substring(pg_get_indexdef(x.oid) from ' (USING .*)$')) order by x.relname), '[]')
        from pg_index i join pg_class x on x.oid = i.indexrelid
        where i.indrelid = t.oid and not exists (select from pg_constraint c where c.conindid = x.oid and c.contype in ('p', 'u'))) as indexes,
      array(select pg_get_triggerdef(oid) from pg_trigger where tgrelid = t.oid and not tgisinternal order by tgname) as triggers,
      (select coalesce(json_agg(json_build_object('column', attname, 'sequence', pg_get_serial_sequence($1, attname))), '[]')
        from pg_attribute where attrelid = t.oid and attidentity = 'a') as identity,
      array(select format('grant %s%s on %s to %I%s', g.privilege_type, coalesce('(' || quote_ident(g.attname) || ')', ''), $1, r.rolname,
          case when g.is_grantable then ' with grant option' else '' end)
        from (
          select null::name as attname, a.* from aclexplode(t.relacl) a
          union all select c.attname, a.* from pg_attribute c, lateral aclexplode(c.attacl) a where c.attrelid = t.oid and c.attnum > 0
        ) g join pg_roles r on r.oid = g.grantee where g.grantee <> t.relowner order by 1) as grants,
      coalesce(t.reloptions, '{}') as options
    from pg_class t where t.oid = to_regclass($1)`,
    [name],
  );
  return rows[0] as Shape;
}

/**
 * Describes everything of a table that statements, rights and migrations rely on, a line for each: columns, checks, indexes, triggers,
 * policies, rights, comments, settings. A table and its partitioned successor have the same lines.
 */
export async function describeTable(client: DbClient, table: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(DESCRIPTION, [nameIn('public', table)]);
  return rows.map(({ line }) => line);
}

const DESCRIPTION = `
  with t as (select * from pg_class where oid = to_regclass($1)),
  -- Settings of storage belong to the partitions.
  leaves as (
    select c.* from t join pg_inherits h on h.inhparent = t.oid join pg_class c on c.oid = h.inhrelid
    union all select * from t where relkind = 'r'
  )
  select concat_ws(' ', 'column', row_number() over (order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
      a.attgenerated, a.attstorage, a.attcompression, a.attcollation::regcollation,
      -- Only these can be set. PostgreSQL 15.20 of Debian keeps a number of its own here, which differs for each table.
      array(select o from unnest(a.attoptions) o where o like 'n_distinct%'), pg_get_expr(d.adbin, d.adrelid),
      to_jsonb(a) ->> 'attstattarget', col_description(t.oid, a.attnum)) as line
    from t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
  union all
  select concat_ws(' ', 'constraint', conname, pg_get_constraintdef(c.oid)) from t join pg_constraint c on c.conrelid = t.oid
    where contype in ('c', 'p', 'u', 'x', 'f')
  union all
  select concat_ws(' ', 'index', x.relname, i.indisunique, i.indisprimary, i.indisvalid, i.indisready, obj_description(x.oid, 'pg_class'),
      substring(pg_get_indexdef(x.oid) from ' USING .*$'))
    from t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid
  union all
  -- A condition that is parsed again gets other parentheses.
  select concat_ws(' ', 'trigger', tgenabled, translate(pg_get_triggerdef(g.oid), '()', '')) from t join pg_trigger g on g.tgrelid = t.oid where not tgisinternal
  union all
  select concat_ws(' ', 'policy', polname, polcmd, polpermissive, polroles::regrole[], pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    from t join pg_policy p on p.polrelid = t.oid
  union all
  select concat_ws(' ', 'right', g.attname, g.grantee::regrole, g.privilege_type, g.is_grantable) from t, lateral (
    select null::name as attname, a.* from aclexplode(coalesce(t.relacl, acldefault('r', t.relowner))) a
    union all select c.attname, a.* from pg_attribute c, lateral aclexplode(c.attacl) a where c.attrelid = t.oid and c.attnum > 0) g
  union all
  select concat_ws(' ', 'table', relowner::regrole, relrowsecurity, relforcerowsecurity, relreplident, obj_description(oid, 'pg_class')) from t
  union all
  select distinct concat_ws(' ', 'settings', reloptions, reltablespace, am.amname) from leaves join pg_am am on am.oid = relam
  union all
  select concat_ws(' ', 'statistics', stxname, stxkind, stxkeys) from t join pg_statistic_ext s on s.stxrelid = t.oid
  order by line`;
