import { type Fragment, part, type Queryable, sql } from '../kit/sql.ts';

/**
 * By how much the order of ids and that of moments may differ: a journal bears the moment at which its transaction
 * began and an id given when it was written. Deadlines (15 s for a statement, 30 s for an idle transaction) keep it so.
 */
const SKEW_MS = 60_000;

/** Ids of a team's journals: `from` inclusive, `to` exclusive; null is open. */
export interface IdRange {
  from: bigint | null;
  to: bigint | null;
}

/**
 * A range of ids that holds every journal of a period and little else, so that a period is walked without an index on
 * moments. What lies outside by less than the skew is for the caller's own condition.
 * @param from inclusive
 * @param before exclusive
 */
export async function idsWithin(db: Queryable, team_id: bigint, from: Date | null, before: Date | null): Promise<IdRange> {
  return {
    from: from && (await firstIdSince(db, team_id, part`${new Date(from.getTime() - SKEW_MS)}::timestamptz`)),
    to: before && (await firstIdSince(db, team_id, part`${new Date(before.getTime() + SKEW_MS)}::timestamptz`)),
  };
}

/** No journal with a smaller id can still be under way: what is seen of them stays so. */
export function settledBelow(db: Queryable, team_id: bigint): Promise<bigint> {
  return firstIdSince(db, team_id, part`pirogue_now() - make_interval(secs => ${(2 * SKEW_MS) / 1000})`);
}

/** Halves the range of ids until one is left: some forty looks into the primary key, in one statement. */
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
