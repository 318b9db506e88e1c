import { type Queryable, sql, type Tx } from '../../kit/sql.ts';

/** Events of a team: `from` and `to` are ids, `from` inclusive and `to` exclusive. */
export interface EventRange {
  team_id: bigint;
  types: readonly string[];
  from: string;
  to: string;
}

/**
 * Queues the events of a range again for one endpoint, all or none. Deliveries that wait are replaced, those in progress are left to
 * finish. Each falls due a millisecond after the one before it, in the order of their recording. Those of one resource stay in their
 * sequence: the clocks of the processes that recorded them may differ. The endpoint's row stores when and how many, for {@link resendOf}.
 * @param max maximum number of events
 * @returns number of events in the range, up to `max` + 1: then, and when its backlog is full, nothing was queued
 */
export async function requeueRange(
  tx: Tx,
  endpoint_id: string,
  { team_id, types, from, to }: EventRange,
  max: number,
): Promise<{ events: number; is_full: boolean }> {
  const row = await tx.maybe<{ events: number; is_full: boolean }>(sql`
    with picked as materialized (
      select e.id, e.created_at, e.resource_id, e.sequence from unnest(${[...types]}::text[]) as t (type) cross join lateral (
        select id, created_at, resource_id, sequence from events
        where team_id = ${team_id} and type = t.type and id >= ${from} and id < ${to} order by id limit ${max + 1}) e
      limit ${max + 1}
    ),
    fits as materialized (
      select count(*)::integer as events, exists (
        select from webhook_endpoints w where w.team_id = ${team_id} and w.id = ${endpoint_id} and w.backlog_full_since is not null
      ) as is_full from picked
    ),
    -- Each is looked up by its event, whatever the statistics say: by endpoint, all of its waiting deliveries could be read.
    waiting as materialized (
      select w.id from fits f join picked p on f.events <= ${max} and not f.is_full cross join lateral (
        select d.id from deliveries d where d.event_id = p.id and d.team_id is not distinct from ${team_id}
          and d.endpoint_id is not distinct from ${endpoint_id} and d.claim is null
        offset 0 for update) w
    ),
    replaced as (
      delete from deliveries d using waiting w where d.id = w.id and d.claim is null
    ),
    ordered as materialized (
      select id, resource_id, sequence, max(created_at) over (partition by resource_id order by sequence) as recorded_at from picked
    ),
    queued as (
      insert into deliveries (team_id, endpoint_id, event_id, due_at)
      select ${team_id}::bigint, ${endpoint_id}::text, p.id,
        pirogue_now() + row_number() over (order by p.recorded_at, p.resource_id, p.sequence) * interval '1 millisecond'
      from ordered p, fits f where f.events <= ${max} and not f.is_full
    ),
    remembered as (
      update webhook_endpoints set resend_started_at = pirogue_now(), resend_events = f.events
      from fits f where team_id = ${team_id} and id = ${endpoint_id} and f.events between 1 and ${max} and not f.is_full
    )
    select events, is_full from fits`);
  return row ?? { events: 0, is_full: false };
}

/** The last range of events that was sent to an endpoint again. */
export interface Resend {
  /** Number of events that were queued. */
  events: number;
  /** How many of them were sent at least once; those that failed are tried again like any other. */
  sent: number;
}

/**
 * Returns the last range that was sent to an endpoint again in the last day. Deliveries are sent in the order in which they fall due. The
 * due time of the first one without an attempt therefore gives the number of those before it, without counting them.
 */
export function resendOf(db: Queryable, team_id: bigint, endpoint_id: string): Promise<Resend | undefined> {
  return db.maybe<Resend>(sql`
    select e.resend_events as events,
      case when w.due_at is null then e.resend_events
        else ceil(extract(epoch from w.due_at - e.resend_started_at) * 1000)::integer - 1 end as sent
    from webhook_endpoints e left join lateral (
      select d.due_at from deliveries d where d.endpoint_id = e.id and d.due_at > e.resend_started_at
        and d.due_at <= e.resend_started_at + e.resend_events * interval '1 millisecond' and d.tries = 0
      order by d.due_at limit 1) w on true
    where e.team_id = ${team_id} and e.id = ${endpoint_id} and e.resend_started_at > pirogue_now() - interval '1 day'`);
}
