import { clause, fixed, type Queryable, sql } from '../../kit/sql.ts';
import type { MailKind } from '../../tenants/outbox/schema.ts';
import { INSERT_MAILS } from '../../tenants/outbox/store.ts';
import type { EndpointRef } from './store.ts';

/** Range of one round: up to `endpoints` endpoints with deliveries, in the order of their ids, after `after`. */
export interface Walk {
  after: string;
  endpoints: number;
}

export interface Stopped {
  /** Endpoints for which no new deliveries are queued from now on. */
  stopped: EndpointRef[];
  /** Last endpoint covered; null when there are no more. */
  last: string | null;
}

const minuteOf = (moment: string) => `to_char((${moment}) at time zone 'UTC', 'YYYY-MM-DD HH24:MI')`;
/**
 * SQL: host of the column `url` only, because the rest may contain a secret. Reads the address as the URL standard does: in any case, and
 * with backslashes for slashes.
 */
export const HOST = fixed(String.raw`substring(url from '(?i)^https:[/\\]*([^/\\?#]+)')`);
const SINCE = fixed(minuteOf('since'));
/** An event gets its time before its transaction waits for locks, so one of the gap may be older than the gap: a statement waits up to 15 s. */
const GAP_SINCE = fixed(minuteOf(`since - interval '1 minute'`));
/** An event that is recorded while the statement runs is not queued yet, so the gap ends at least a minute later. Rounded up. */
const UNTIL = fixed(minuteOf(`pirogue_now() + interval '2 minutes'`));

/**
 * SQL: number of waiting deliveries of the endpoint `e`, up to a limit. They are read in the order of the index `deliveries_due`: without
 * an order, PostgreSQL may look up all deliveries of the endpoint before it counts up to the limit.
 */
const waitingUpTo = (limit: number) =>
  clause`select count(*) from (select 1 from deliveries d where d.endpoint_id = e.id order by d.due_at limit ${limit}) waiting`;

/**
 * Stops queueing for active endpoints with `max` waiting deliveries, and queues a mail to the owner of each. Later events are
 * not queued for them (record-store.ts); they stay readable and can be redelivered.
 */
export async function stopFullQueues(db: Queryable, { after, endpoints }: Walk, max: number): Promise<Stopped> {
  const rows = await db.all<{ looked_at: number; last: string | null; team_id: bigint | null; id: string | null }>(sql`
    with recursive walk as (
      (select endpoint_id, team_id, 1 as step from deliveries where endpoint_id > ${after} order by endpoint_id, due_at limit 1)
      union all
      select n.endpoint_id, n.team_id, walk.step + 1 from walk cross join lateral (
        select d.endpoint_id, d.team_id from deliveries d
        where d.endpoint_id > walk.endpoint_id order by d.endpoint_id, d.due_at limit 1) n
      where walk.step < ${endpoints}
    ),
    stopped as (
      update webhook_endpoints e set backlog_full_since = pirogue_now() from walk
      where e.team_id = walk.team_id and e.id = walk.endpoint_id and e.active and e.backlog_full_since is null
        and (${waitingUpTo(max)}) >= ${max}
      returning e.team_id, e.id, e.url, e.backlog_full_since as since
    ),
    mail_input as (
      select team_id, ${'endpoint_backlog_full' satisfies MailKind}::text as kind, null as recipient,
        json_build_object('webhook', id, 'host', ${HOST}, 'limit', ${max}::integer, 'since', ${SINCE}) as facts from stopped
    ),
    queued_mails as (${INSERT_MAILS}),
    seen as (select count(*)::integer as looked_at, max(endpoint_id) as last from walk)
    select seen.*, stopped.team_id, stopped.id from seen left join stopped on true`);
  const { looked_at = 0, last = null } = rows[0] ?? {};
  const stopped = rows.flatMap(({ team_id, id }) => (team_id !== null && id !== null ? [{ team_id, id }] : []));
  return { stopped, last: looked_at === endpoints ? last : null };
}

/** Resumes queueing for endpoints with fewer than `below` waiting deliveries, and queues a mail that names the gap. */
export function resumeQueues(db: Queryable, below: number, limit: number): Promise<EndpointRef[]> {
  return db.all<EndpointRef>(sql`
    with over as materialized (
      select team_id, id, backlog_full_since as since from webhook_endpoints e
      where backlog_full_since is not null
        and (${waitingUpTo(below)}) < ${below}
      order by id limit ${limit} for update skip locked
    ),
    resumed as (
      update webhook_endpoints e set backlog_full_since = null from over where e.team_id = over.team_id and e.id = over.id
      returning e.team_id, e.id, e.url, over.since
    ),
    mail_input as (
      select team_id, ${'endpoint_backlog_over' satisfies MailKind}::text as kind, null as recipient,
        json_build_object('webhook', id, 'host', ${HOST}, 'since', ${GAP_SINCE}, 'until', ${UNTIL}) as facts from resumed
    ),
    queued_mails as (${INSERT_MAILS})
    select team_id, id from resumed`);
}
