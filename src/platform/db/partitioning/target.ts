import pg from 'pg';
import type { DbClient } from '../client.ts';
import { askOf, nameIn, partitionedBuild } from '../partitioned-indexes.ts';
import { type Shape, shapeOf, useTablespace } from './shape.ts';
import { type KeptTable, PARTITIONS_SCHEMA } from './tables.ts';

/** Returns the qualified name of the partitioned table that will take the place of the original. */
export function targetOf(table: KeptTable): string {
  return nameIn(PARTITIONS_SCHEMA, table);
}

/** Trigger and function that repeat each change of the original in its copy. */
export const COPIER = 'pirogue_copied';

/** Returns the number of the advisory lock that deletions take shared and copying takes exclusively. */
export const deletionLock = (table: KeptTable) => `hashtextextended(${pg.escapeLiteral(targetOf(table))}, 0)`;

/** Returns names as SQL, separated by commas. */
export function namesOf(columns: readonly string[], prefix = ''): string {
  return columns.map((column) => `${prefix}${pg.escapeIdentifier(column)}`).join(', ');
}

/**
 * Makes the empty partitioned table with its keys, and a trigger that repeats each later change of the original in it. Creating the
 * trigger waits for the current writers of the original, and new writers wait meanwhile.
 */
export async function makeTarget(client: DbClient, table: KeptTable, partitions: number): Promise<void> {
  const shape = await shapeOf(client, table);
  await client.query('begin');
  await buildTarget(
    client,
    table,
    shape,
    Array.from({ length: partitions }, (_, n) => n),
  );
  await client.query('insert into pirogue_partitions.conversions (parent, partitions, step) values ($1, $2, $3)', [
    ...[table, partitions],
    'copy',
  ]);
  await client.query(copierOf(table, shape));
  await client.query(`revoke execute on function ${copierName(table)}() from public`);
  await client.query(
    `create trigger ${COPIER} after insert or update or delete on ${nameIn('public', table)} for each row execute function ${copierName(table)}()`,
  );
  await client.query('commit');
}

/**
 * Makes the partitioned table with its keys.
 * @param numbers the numbers in the names of its partitions, which share the rows in this order
 */
export async function buildTarget(client: DbClient, table: KeptTable, shape: Shape, numbers: readonly number[]): Promise<void> {
  const target = targetOf(table);
  await useTablespace(client, shape.tablespace);
  await client.query(
    `create table ${target} (like ${nameIn('public', table)} including all excluding indexes excluding identity) partition by hash (team_id)`,
  );
  await client.query(`select pirogue_protect($1::regclass)`, [target]);
  const options = shape.options.length > 0 ? `with (${shape.options.join(', ')})` : '';
  for (const [remainder, n] of numbers.entries()) {
    const partition = nameIn(PARTITIONS_SCHEMA, `${table}_${n}`);
    await client.query(
      `create table ${partition} partition of ${target} for values with (modulus ${numbers.length}, remainder ${remainder}) ${options}`,
    );
    await client.query(`select pirogue_protect($1::regclass)`, [partition]);
  }
  for (const { name, definition, tablespace } of shape.constraints) {
    await useTablespace(client, tablespace);
    await client.query(`alter table ${target} add constraint ${pg.escapeIdentifier(name)} ${definition}`);
  }
  for (const index of shape.indexes.filter(({ unique }) => unique)) await buildIndex(client, table, index);
}

/** Builds an index of an empty table. */
export async function buildIndex(client: DbClient, table: KeptTable, index: Shape['indexes'][number]): Promise<void> {
  await useTablespace(client, index.tablespace);
  const build = { ...index, schema: PARTITIONS_SCHEMA, table, concurrent: false };
  for (const { text } of await partitionedBuild(askOf(client), build)) await client.query(text);
}

/** Returns the qualified name of the trigger function of a table, as SQL. */
export const copierName = (table: KeptTable) => nameIn(PARTITIONS_SCHEMA, `${COPIER}_${table}`);

/**
 * Returns the function of the trigger. A row that copying has just inserted may be invisible to this transaction: writing it again waits
 * for copying to commit. A deletion would find no row to wait for, so it takes an advisory lock that copying also takes.
 *
 * The conflict clause names no index. With the primary key named, PostgreSQL looks for conflicts in that index alone (the arbiter, in its
 * documentation). A row that copying inserts after that check would violate another unique index, and the write of the service would
 * fail.
 */
function copierOf(table: KeptTable, { columns, key }: Shape): string {
  const keys = key.map(({ name }) => name);
  const others = columns.filter((column) => !keys.includes(column));
  return `create function ${copierName(table)}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $copy$
begin
  if tg_op = 'DELETE' or (tg_op = 'UPDATE' and (${namesOf(keys, 'old.')}) is distinct from (${namesOf(keys, 'new.')})) then
    perform pg_advisory_xact_lock_shared(${deletionLock(table)});
    delete from ${targetOf(table)} where (${namesOf(keys)}) = (${namesOf(keys, 'old.')});
    if tg_op = 'DELETE' then return null; end if;
  end if;
  insert into ${targetOf(table)} (${namesOf(columns)}) values (${namesOf(columns, 'new.')})
    on conflict do nothing;
  if found then return null; end if;
  update ${targetOf(table)} set (${namesOf(others)}) = row(${namesOf(others, 'new.')}) where (${namesOf(keys)}) = (${namesOf(keys, 'new.')});
  if not found then raise unique_violation using message = 'another row of the copy of ${table} has a value that must be unique'; end if;
  return null;
end $copy$`;
}

/** Removes the copy and its trigger. No row is lost, because the original always has all rows. */
export async function abandonTarget(client: DbClient, table: KeptTable): Promise<void> {
  await client.query('begin');
  await client.query(`drop trigger if exists ${COPIER} on ${nameIn('public', table)}`);
  await client.query(`drop function if exists ${copierName(table)}()`);
  await client.query(`drop table if exists ${targetOf(table)}`);
  await client.query('delete from pirogue_partitions.conversions where parent = $1', [table]);
  await client.query('commit');
}
