import type { Environment } from '../../kit/environment.ts';
import { LOCK_NOT_AVAILABLE, pgCode, type Queryable, sql } from '../../kit/sql.ts';

/*
 * Tables that are partitioned by time and purged by dropping partitions (docs/decisions/0074-partitions.md). The rules of each are in
 * the database, in `pirogue_partitions.rules`. Functions of the owner make and drop partitions, because the service has no right to.
 */

/** The table is in use. The call can be repeated. */
export class PartitionsBusy extends Error {}

/**
 * Makes the partitions of the current period and the next two, where they are missing. Tables that are in use are left to a later call,
 * and so are all tables while another process makes or drops partitions.
 * @param at milliseconds since the epoch
 * @returns number of partitions made
 * @throws PartitionsBusy when the list of partitions cannot be read, because one of them is locked
 */
export async function makePartitions(db: Queryable, environment: Environment, at: number): Promise<number> {
  const row = await unlessLocked(() =>
    db.maybe<{ made: number }>(sql`select pirogue_make_partitions(${environment}, ${new Date(at)}) as made`),
  );
  return row?.made ?? 0;
}

/**
 * Drops the oldest partition of a table if it contains no rows from `keep_from` on, and none that is still needed.
 * @param keep_from milliseconds since the epoch
 * @returns its name; undefined when there is none, or while another process makes or drops partitions
 * @throws PartitionsBusy
 */
export async function dropPartition(
  db: Queryable,
  environment: Environment,
  table: string,
  keep_from: number,
): Promise<string | undefined> {
  const row = await unlessLocked(() =>
    db.maybe<{ dropped: string | null }>(
      sql`select pirogue_drop_partition(${table}, ${environment}, ${new Date(keep_from)}) as dropped`,
    ),
  );
  return row?.dropped ?? undefined;
}

async function unlessLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (pgCode(error) === LOCK_NOT_AVAILABLE) throw new PartitionsBusy('a table is in use', { cause: error });
    throw error;
  }
}

/**
 * Returns the upper bound of the partition without a lower one: rows from before the table was partitioned.
 * @returns undefined when there is none
 */
export async function firstPartitionEnd(db: Queryable, table: string): Promise<string | undefined> {
  const row = await db.maybe<{ upper: string }>(sql`
    select upper from pg_inherits i join pg_class c on c.oid = i.inhrelid,
      substring(pg_get_expr(c.relpartbound, c.oid) from ${`FROM \\(MINVALUE\\) TO \\('([^']*)'\\)`}::text) as upper
    where i.inhparent = ${table}::regclass and upper is not null`);
  return row?.upper;
}

/**
 * Returns whether rows of a table may be deleted before their whole period is old enough: those of the partition without a lower bound, which
 * go one by one, and those of the default partition, which is emptied when all of them are old. It reads the catalogue.
 */
export async function deletesWithinPeriods(db: Queryable, table: string): Promise<boolean> {
  const row = await db.maybe<{ single: boolean }>(sql`
    select coalesce(bool_or(bound like 'FOR VALUES FROM (MINVALUE)%' or (bound = 'DEFAULT' and pg_relation_size(c.oid) > 0)), false) as single
    from pg_inherits i join pg_class c on c.oid = i.inhrelid, pg_get_expr(c.relpartbound, 0) as bound
    where i.inhparent = ${table}::regclass`);
  return row?.single ?? false;
}

/**
 * Returns the environments whose ids bound the partitions of a database: one for a store, none before its first partitions. It reads
 * only the catalogue, which every login may read, so it works on the schema of an earlier release and under any role. It locks nothing
 * (the `0` of pg_get_expr), so a start does not wait for a partition that is being dropped.
 * @returns null for a database without the tables of a store
 */
export async function environmentsIn(db: Queryable): Promise<Environment[] | null> {
  const row = await db.maybe<{ is_store: boolean; found: Environment[] }>(sql`
    select exists (select from pg_class where relname = 'events' and relnamespace = 'public'::regnamespace) as is_store,
      array(select distinct case when upper like '%\\_test\\_%' then 'sandbox' else 'live' end
        from pg_partitioned_table t join pg_class p on p.oid = t.partrelid join pg_inherits i on i.inhparent = p.oid
          join pg_class c on c.oid = i.inhrelid,
          substring(pg_get_expr(c.relpartbound, 0) from ${`TO \\('([a-z]+_[^']*)'\\)`}::text) as upper
        where p.relnamespace = 'public'::regnamespace and upper is not null) as found`);
  return row?.is_store ? row.found : null;
}

/** Partitions of a table. */
export interface PartitionUse {
  table: string;
  /** Without the default partition. */
  partitions: number;
  /** Whether rows have come to the default partition since it was last emptied. */
  overflowing: boolean;
}

/** Returns the use of each partitioned table, from the catalogue only. */
export function partitionUse(db: Queryable): Promise<PartitionUse[]> {
  return db.all<PartitionUse>(sql`
    select p.relname as table, (count(*) filter (where bound <> 'DEFAULT'))::integer as partitions,
      coalesce(bool_or(bound = 'DEFAULT' and pg_relation_size(c.oid) > 0), false) as overflowing
    from pg_partitioned_table t join pg_class p on p.oid = t.partrelid join pg_inherits i on i.inhparent = p.oid
      join pg_class c on c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) as bound
    where p.relnamespace = 'public'::regnamespace group by p.relname order by p.relname`);
}
