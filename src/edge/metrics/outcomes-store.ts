import { type Queryable, sql } from '../../kit/sql.ts';

/** Kinds of operations that may be open at a provider. */
export const AWAITED = ['payments', 'refunds', 'payouts'] as const;

export interface AwaitedOutcomes {
  kind: (typeof AWAITED)[number];
  count: number;
  /**
   * Age of the oldest in seconds: of a refund since its first submission, of an accepted charge since the end of its payment's window, of
   * others since their creation; 0 when there is none.
   */
  oldest_seconds: number;
}

/** Maximum polled rows that are read for each kind. */
const MAX_READ = 10_000;

/**
 * Counts submitted operations without a known outcome, and returns the age of the oldest. A charge that its provider has accepted may
 * wait for its payer, so it counts from the end of the payment's window. Rows with the latest poll are read first, because old ones are
 * polled least often. With more than {@link MAX_READ} rows the oldest may be missed.
 */
export function readAwaited(db: Queryable): Promise<AwaitedOutcomes[]> {
  return db.all<AwaitedOutcomes>(sql`
    with awaited (kind, since) as (
      (select 'payments', a.since from (
        select case status when 'unknown' then created_at when 'open' then (select case when p.expires_at < pirogue_now() then p.expires_at end
            from payments p where p.team_id = polled.team_id and p.id = polled.payment_id) end as since
          from (select team_id, payment_id, status, created_at from attempts
            where next_poll_at is not null order by next_poll_at desc limit ${MAX_READ}) polled) a
        where a.since is not null)
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
