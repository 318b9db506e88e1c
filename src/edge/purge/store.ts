import type { Ageing, Expiry } from '../../kit/personal.ts';
import { identifier, listOf, part, type Queryable, sql } from '../../kit/sql.ts';

/** Position of a round over all teams: values of the columns that lead the primary key. The round continues after it. */
export type Place = Readonly<Record<string, unknown>>;

export interface Purged {
  rows: number;
  /** Last position examined; null when nothing remains after it. */
  last: Place | null;
}

type PurgedRow = { rows: number; looked_at: number } & Record<string, unknown>;

/** Maximum teams or endpoints examined per round; each costs one index step. */
const MAX_PLACES = 200;

/** Lowest values of the columns, by position. */
const LOWEST = [-1n, ''];

/** Returns the position before all rows of a table. */
export function beginning({ walk }: Ageing): Place {
  return Object.fromEntries(walk.map((column, i) => [column, LOWEST[i]]));
}

/**
 * Deletes the oldest rows of a table, team by team or endpoint by endpoint. Ids sort by time, so the primary key finds them; an
 * index on the time, which every new row would pay for, is not needed.
 * @param table its name and its retention, from the lists of personal data
 * @param before the lowest id that is kept
 */
export async function purgeOldest(
  db: Queryable,
  { name, ages }: { name: string; ages: Ageing },
  after: Place,
  before: string,
  limit: number,
): Promise<Purged> {
  const table = identifier(name);
  const keys = ages.walk.map(identifier);
  const key = listOf(keys);
  const walked = listOf(keys.map((column) => part`walk.${column}`));
  const start = listOf(ages.walk.map((column) => part`${after[column]}`));
  const here = keys.map((column) => part`o.${column} = walk.${column}`);
  const theirs = here.reduce((left, right) => part`${left} and ${right}`);
  const row = await db.maybe<PurgedRow>(sql`
    with recursive walk as (
      (select ${key}, 1 as step from ${table} where (${key}) > (${start}) order by ${key} limit 1)
      union all
      select ${listOf(keys.map((column) => part`n.${column}`))}, walk.step + 1 from walk cross join lateral (
        select ${key} from ${table} where (${key}) > (${walked}) order by ${key} limit 1) n
      where walk.step < ${MAX_PLACES}
    ),
    old as materialized (
      select found.* from walk cross join lateral (
        select ${key}, id from ${table} o where ${theirs} and id < ${before} and ${unreferred(ages)}
        order by id limit ${limit} for update skip locked) found
      limit ${limit}
    ),
    gone as (delete from ${table} t using old where ${listedIn(keys)} and t.id = old.id returning 1),
    last as (select ${key} from walk order by step desc limit 1)
    select (select count(*)::integer from gone) as rows, (select count(*)::integer from walk) as looked_at, last.*
    from last`);
  return purgedOf(row, ages, limit, after);
}

function listedIn(keys: readonly ReturnType<typeof identifier>[]) {
  return keys.map((column) => part`t.${column} = old.${column}`).reduce((left, right) => part`${left} and ${right}`);
}

function unreferred({ unless }: Ageing) {
  if (!unless) return part`true`;
  return part`not exists (select 1 from ${identifier(unless.table)} d where d.${identifier(unless.by)} = o.id and d.team_id = o.team_id)`;
}

/** A full batch may have left rows, so the next round starts at the same position. */
function purgedOf(row: PurgedRow | undefined, { walk }: Ageing, limit: number, after: Place): Purged {
  if (!row) return { rows: 0, last: null };
  if (row.rows === limit) return { rows: row.rows, last: after };
  const place = Object.fromEntries(walk.map((column) => [column, row[column]]));
  return { rows: row.rows, last: row.looked_at < MAX_PLACES ? null : place };
}

/**
 * Sets a column to null in the oldest rows. The rows are kept.
 * @returns number of rows
 */
export function expireOldest(
  db: Queryable,
  { name, expires }: { name: string; expires: Expiry },
  before: Date,
  limit: number,
): Promise<number> {
  const key = listOf(expires.key.map(identifier));
  const column = identifier(expires.column);
  const since = identifier(expires.since);
  return db.run(sql`
    update ${identifier(name)} set ${column} = null where (${key}) in (
      select ${key} from ${identifier(name)} where ${column} is not null and ${part`${since} < ${before}`}
      order by ${since} limit ${limit} for update skip locked)`);
}
