import { part, type Queryable, sql } from '../../kit/sql.ts';

/** Position of a round over all teams: it continues after this team and endpoint. */
export interface Place {
  team_id: bigint;
  endpoint_id: string;
}

export interface Purged {
  rows: number;
  /** Last position examined; null when nothing remains after it. */
  last: Place | null;
}

interface PurgedRow {
  rows: number;
  looked_at: number;
  team_id: bigint | null;
  endpoint_id: string;
}

/** Maximum teams or endpoints examined per round; each costs one index step. */
const MAX_PLACES = 200;

export const BEGINNING: Place = { team_id: -1n, endpoint_id: '' };

/**
 * Deletes the oldest events, team by team. Ids sort by time, so the primary key finds them; an index on the time, which every
 * new event would pay for, is not needed. Events with a pending delivery are kept, regardless of their age.
 * @param before the lowest id that is kept
 */
export async function purgeEvents(db: Queryable, after: Place, before: string, limit: number): Promise<Purged> {
  const row = await db.maybe<PurgedRow>(sql`
    with recursive walk as (
      (select team_id, 1 as step from events where ${part`team_id > ${after.team_id}`} order by team_id limit 1)
      union all
      select n.team_id, walk.step + 1 from walk cross join lateral (
        select team_id from events where team_id > walk.team_id order by team_id limit 1) n
      where walk.step < ${MAX_PLACES}
    ),
    old as materialized (
      select e.team_id, e.id from walk cross join lateral (
        select team_id, id from events where team_id = walk.team_id and id < ${before}
          and not exists (select 1 from deliveries d where d.event_id = events.id and d.team_id = events.team_id)
        order by id limit ${limit} for update skip locked) e
      limit ${limit}
    ),
    gone as (delete from events e using old where e.team_id = old.team_id and e.id = old.id returning 1)
    select (select count(*)::integer from gone) as rows, (select count(*)::integer from walk) as looked_at,
      (select max(team_id) from walk) as team_id, '' as endpoint_id`);
  return purgedOf(row, limit, after);
}

/**
 * Deletes the oldest delivery attempts, endpoint by endpoint.
 * @param before the lowest id that is kept
 */
export async function purgeDeliveryAttempts(db: Queryable, after: Place, before: string, limit: number): Promise<Purged> {
  const row = await db.maybe<PurgedRow>(sql`
    with recursive walk as (
      (select team_id, endpoint_id, 1 as step from delivery_attempts
       where ${part`(team_id, endpoint_id) > (${after.team_id}, ${after.endpoint_id})`} order by team_id, endpoint_id limit 1)
      union all
      select n.team_id, n.endpoint_id, walk.step + 1 from walk cross join lateral (
        select team_id, endpoint_id from delivery_attempts
        where (team_id, endpoint_id) > (walk.team_id, walk.endpoint_id) order by team_id, endpoint_id limit 1) n
      where walk.step < ${MAX_PLACES}
    ),
    old as materialized (
      select a.team_id, a.endpoint_id, a.id from walk cross join lateral (
        select team_id, endpoint_id, id from delivery_attempts
        where team_id = walk.team_id and endpoint_id = walk.endpoint_id and id < ${before}
        order by id limit ${limit} for update skip locked) a
      limit ${limit}
    ),
    gone as (
      delete from delivery_attempts a using old
      where a.team_id = old.team_id and a.endpoint_id = old.endpoint_id and a.id = old.id returning 1
    ),
    last as (select team_id, endpoint_id from walk order by step desc limit 1)
    select (select count(*)::integer from gone) as rows, (select count(*)::integer from walk) as looked_at,
      (select team_id from last) as team_id, coalesce((select endpoint_id from last), '') as endpoint_id`);
  return purgedOf(row, limit, after);
}

/** A full batch may have left rows, so the next round starts at the same position. */
function purgedOf(row: PurgedRow | undefined, limit: number, after: Place): Purged {
  if (!row || row.team_id === null) return { rows: 0, last: null };
  if (row.rows === limit) return { rows: row.rows, last: after };
  const { team_id, endpoint_id } = row;
  return { rows: row.rows, last: row.looked_at < MAX_PLACES ? null : { team_id, endpoint_id } };
}

/**
 * Deletes stored responses. The key's row is kept, so that the key can never execute a request again.
 * @returns number of responses deleted
 */
export function forgetAnswers(db: Queryable, before: Date, limit: number): Promise<number> {
  return db.run(sql`
    update idempotency_keys set answer = null where (team_id, route, key) in (
      select team_id, route, key from idempotency_keys where answer is not null and ${part`created_at < ${before}`}
      order by created_at limit ${limit} for update skip locked)`);
}
