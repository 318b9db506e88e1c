import { type Queryable, sql } from '../../kit/sql.ts';

/** What a provider may have, and has not yet ended. */
export const AWAITED = ['payments', 'refunds', 'payouts'] as const;

export interface AwaitedOutcomes {
  kind: (typeof AWAITED)[number];
  count: number;
  /** Age of the oldest in seconds: a refund since it was first submitted, others since they were made; 0 when there is none. */
  oldest_seconds: number;
}

/** How many rows that are polled are looked at for each kind. */
const MAX_READ = 10_000;

/**
 * Counts what has been submitted to a provider without an outcome that is known, and the age of the oldest. What is polled latest is read
 * first, because what has been open for long is polled least often; beyond so many rows the oldest may be missed.
 */
export function readAwaited(db: Queryable): Promise<AwaitedOutcomes[]> {
  return db.all<AwaitedOutcomes>(sql`
    with awaited (kind, since) as (
      (select 'payments', created_at from (
        select status, created_at from attempts where next_poll_at is not null order by next_poll_at desc limit ${MAX_READ}) a
        where status = 'unknown')
      union all
      (select 'refunds', coalesce(submitted_at, created_at) from (
        select status, submitted_at, created_at, return_id, legs from refunds where next_poll_at is not null order by next_poll_at desc limit ${MAX_READ}) r
        where status = 'processing' and return_id is null
          and exists (select from json_array_elements(legs) leg
            where leg->>'status' = 'sent' or (leg->>'status' = 'waiting' and leg->>'resent' = 'true')))
      union all
      (select 'payouts', created_at from (
        select status, dispatched_at, created_at from transfers where next_poll_at is not null order by next_poll_at desc limit ${MAX_READ}) t
        where status = 'processing' and dispatched_at is not null)
    )
    select k.name as kind, count(awaited.since)::integer as count,
      greatest(coalesce(extract(epoch from pirogue_now() - min(awaited.since)), 0), 0)::float8 as oldest_seconds
    from unnest(${[...AWAITED]}::text[]) as k (name) left join awaited on awaited.kind = k.name group by k.name`);
}
