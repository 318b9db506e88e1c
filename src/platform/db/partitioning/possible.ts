import type { DbClient } from '../client.ts';
import { obstaclesOf } from './obstacles.ts';
import { conversionsOf } from './progress.ts';
import { DEFAULT_PARTITIONS, type KeptTable } from './tables.ts';

/** A table cannot be partitioned as it is. */
export class CannotPartition extends Error {}

/** A table has, or is getting, another number of partitions than is asked for. */
export class OtherPartitions extends Error {}

/**
 * Checks that tables can be partitioned, all of them before the first is changed.
 * @returns those that are not partitioned yet
 * @throws CannotPartition, OtherPartitions
 */
export async function requirePossible(
  client: DbClient,
  tables: readonly KeptTable[],
  partitions: number | undefined,
): Promise<KeptTable[]> {
  const counts = await partitionsOf(client, tables);
  const conversions = await conversionsOf(client);
  const todo = tables.filter((table) => counts[table] === 0);
  const other = tables.map((table) => {
    const begun = conversions.find(({ parent }) => parent === table)?.partitions;
    const count = begun ?? counts[table] ?? 0;
    if (count === 0 || partitions === undefined || count === partitions) return '';
    return begun ? `partitioning of ${table} has begun with ${count} partitions` : `${table} has ${count} partitions already`;
  });
  const differing = other.filter((text) => text !== '');
  if (differing.length > 0) throw new OtherPartitions(`${differing.join('; ')}, not ${partitions}`);
  const obstacles: string[] = [];
  for (const table of todo.filter((one) => !conversions.some(({ parent }) => parent === one))) {
    const found = await obstaclesOf(client, table, partitions ?? DEFAULT_PARTITIONS, todo);
    if (found.length > 0) obstacles.push(`${table} cannot be partitioned: ${found.join('; ')}`);
  }
  if (obstacles.length > 0) throw new CannotPartition(obstacles.join('. '));
  return todo;
}

/** Returns the number of partitions of each table; 0: it is not partitioned. */
async function partitionsOf(client: DbClient, tables: readonly KeptTable[]): Promise<Partial<Record<KeptTable, number>>> {
  const { rows } = await client.query<{ table: KeptTable; count: number }>(
    `select t.name as table, count(h.inhrelid)::integer as count
     from unnest($1::text[]) t(name) left join pg_class c on c.oid = to_regclass(format('public.%I', t.name)) and c.relkind = 'p'
     left join pg_inherits h on h.inhparent = c.oid group by t.name`,
    [tables],
  );
  return Object.fromEntries(rows.map(({ table, count }) => [table, count]));
}
