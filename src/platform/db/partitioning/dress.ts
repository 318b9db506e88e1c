import pg from 'pg';
import type { DbClient } from '../client.ts';
import { nameIn } from '../partitioned-indexes.ts';
import { type KeptTable, PARTITIONS_SCHEMA } from './tables.ts';

/**
 * Gives the partitioned copy the properties of the original that copying does not need: identity, policies, rights, triggers, statistics
 * targets and comments. Each is read from the original at this moment.
 */
export async function dressTarget(client: DbClient, table: KeptTable): Promise<void> {
  const target = nameIn(PARTITIONS_SCHEMA, table);
  for (const identity of await identitiesOf(client, table)) await client.query(identityOf(target, identity));
  const { rows } = await client.query<{ statement: string }>(STATEMENTS, [nameIn('public', table), target, PARTITIONS_SCHEMA]);
  for (const { statement } of rows) await client.query(statement);
}

interface Identity {
  column: string;
  generation: 'always' | 'by default';
  sequence: string;
  increment: string;
  options: string;
}

/** Returns the identity columns with their next numbers. At the switch no number is taken meanwhile, because the table is locked. */
async function identitiesOf(client: DbClient, table: KeptTable): Promise<(Identity & { next: string })[]> {
  const { rows } = await client.query<Identity>(IDENTITIES, [nameIn('public', table)]);
  const found: (Identity & { next: string })[] = [];
  for (const identity of rows) {
    const numbers = await client.query<{ next: string }>(
      `select (case when is_called then last_value + $1 else last_value end)::text as next from ${nameIn('public', identity.sequence)}`,
      [identity.increment],
    );
    found.push({ ...identity, next: numbers.rows[0]?.next ?? '1' });
  }
  return found;
}

const IDENTITIES = `
  select a.attname::text as column, case a.attidentity when 'a' then 'always' else 'by default' end as generation, s.relname::text as sequence,
    q.seqincrement::text as increment,
    format('increment by %s minvalue %s maxvalue %s cache %s %s', q.seqincrement, q.seqmin, q.seqmax, q.seqcache,
      case when q.seqcycle then 'cycle' else 'no cycle' end) as options
  from pg_attribute a join pg_depend d on d.classid = 'pg_class'::regclass and d.refobjid = a.attrelid and d.refobjsubid = a.attnum and d.deptype = 'i'
  join pg_class s on s.oid = d.objid join pg_sequence q on q.seqrelid = s.oid
  where a.attrelid = to_regclass($1) and a.attidentity <> ''`;

function identityOf(target: string, { column, generation, sequence, options, next }: Identity & { next: string }): string {
  return `alter table ${target} alter column ${pg.escapeIdentifier(column)}
    add generated ${generation} as identity (sequence name ${nameIn(PARTITIONS_SCHEMA, sequence)} ${options} start with ${next})`;
}

/** Statements on the copy ($2, in the schema $3) that repeat what the catalogue says of the original ($1). */
const STATEMENTS = `
  with t as (select * from pg_class where oid = to_regclass($1)),
  sequences as (
    select s.* from t join pg_depend d on d.classid = 'pg_class'::regclass and d.refobjid = t.oid and d.deptype = 'i'
    join pg_class s on s.oid = d.objid and s.relkind = 'S'
  ),
  statements as (
    select 1 as place, format('create policy %I on %s as %s for %s to %s%s%s', p.policyname, $2::text, p.permissive, p.cmd,
        (select string_agg(case role when 'public' then 'public' else quote_ident(role) end, ', ') from unnest(p.roles) role),
        ' using (' || p.qual || ')', ' with check (' || p.with_check || ')') as statement
      from t join pg_policies p on p.schemaname = 'public' and p.tablename = t.relname
      where not exists (select from pg_policy q where q.polrelid = to_regclass($2::text) and q.polname = p.policyname)
    union all
    select 2, format('grant %s on %s to %s%s', g.privilege, g.thing, case g.grantee when 0 then 'public' else g.grantee::regrole::text end,
        case when g.is_grantable then ' with grant option' else '' end)
      from t, lateral (
        select privilege_type as privilege, $2::text as thing, a.grantee, a.is_grantable from aclexplode(t.relacl) a
        union all
        select format('%s (%I)', privilege_type, c.attname), $2::text, a.grantee, a.is_grantable
          from pg_attribute c, lateral aclexplode(c.attacl) a where c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
        union all
        select privilege_type, format('sequence %I.%I', $3::text, s.relname), a.grantee, a.is_grantable from sequences s, lateral aclexplode(s.relacl) a) g
      where g.grantee <> t.relowner
    union all
    select 3, regexp_replace(pg_get_triggerdef(g.oid), ' ON [^ ]+ ', format(' ON %s ', $2::text))
      from t join pg_trigger g on g.tgrelid = t.oid where not tgisinternal and tgname <> 'pirogue_copied'
    union all
    select 4, format('alter table %s alter column %I set statistics %s', $2::text, a.attname, a.attstattarget)
      from t join pg_attribute a on a.attrelid = t.oid
      where a.attnum > 0 and not a.attisdropped and coalesce(a.attstattarget, -1) <> -1
    union all
    select 5, format('comment on %s is %L', c.thing, c.description) from t, lateral (
      select format('table %s', $2::text) as thing, obj_description(t.oid, 'pg_class') as description
      union all select format('sequence %I.%I', $3::text, s.relname), obj_description(s.oid, 'pg_class') from sequences s
      union all select format('index %I.%I', $3::text, x.relname), obj_description(x.oid, 'pg_class')
        from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = t.oid
      union all select format('constraint %I on %s', conname, $2::text), obj_description(n.oid, 'pg_constraint')
        from pg_constraint n where conrelid = t.oid and contype in ('c', 'p', 'u')
      union all select format('trigger %I on %s', tgname, $2::text), obj_description(g.oid, 'pg_trigger')
        from pg_trigger g where tgrelid = t.oid and not tgisinternal
      union all select format('policy %I on %s', polname, $2::text), obj_description(p.oid, 'pg_policy') from pg_policy p where polrelid = t.oid) c
      where c.description is not null
  )
  select statement from statements order by place, statement`;
