import { type Fragment, part, type Queryable, sql } from '../../kit/sql.ts';

/**
 * Maximum difference between the order of ids and the order of times, in milliseconds. A journal carries the time at which its
 * transaction began, and an id assigned when it was written. Timeouts (15 s for a statement, 30 s for an idle transaction)
 * guarantee the limit.
 */
const SKEW_MS = 60_000;

/** Range of a team's journal ids: `from` inclusive, `to` exclusive; null is open. */
export interface IdRange {
  from: bigint | null;
  to: bigint | null;
}

/**
 * Returns an id range that contains every journal of a period and little else, so that a period is read without an index on
 * time. The range exceeds the period by up to the skew: the caller filters by time as well.
 * @param from inclusive
 * @param before exclusive
 */
export async function idsWithin(db: Queryable, team_id: bigint, from: Date | null, before: Date | null): Promise<IdRange> {
  return {
    from: from && (await firstIdSince(db, team_id, part`${new Date(from.getTime() - SKEW_MS)}::timestamptz`)),
    to: before && (await firstIdSince(db, team_id, part`${new Date(before.getTime() + SKEW_MS)}::timestamptz`)),
  };
}

/** Finds the first id since a moment by binary search: about forty lookups in the primary key, in one statement. */
async function firstIdSince(db: Queryable, team_id: bigint, moment: Fragment): Promise<bigint> {
  const row = await db.maybe<{ id: bigint }>(sql`
    with recursive search(low, high) as (
      select (select id from journals where team_id = ${team_id} order by id limit 1),
        (select id + 1 from journals where team_id = ${team_id} order by id desc limit 1)
      union all
      select case when earlier then middle + 1 else low end, case when earlier then high else middle end
      from search, lateral (select (low + high) / 2 as middle) half, lateral (
        select coalesce((select created_at < ${moment} from journals where team_id = ${team_id} and id >= middle order by id limit 1), false)
          as earlier) look
      where low < high
    )
    select low as id from search where low >= high`);
  return row?.id ?? 0n;
}
