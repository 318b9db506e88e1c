import { type Queryable, sql } from '../../kit/sql.ts';

/** Maximum depth reported for a queue: enough for an alert, and the count stays fast. */
export const MAX_COUNTED = 10_000;

export interface Queue {
  queue: string;
  depth: number;
  /** Time for which the oldest item has been due, in seconds; 0 when none is due. */
  late_seconds: number;
}

const MAX_ENDPOINTS = 500;

/**
 * Returns the due items per queue and the delay of the oldest. Each part walks an index of waiting items, up to {@link
 * MAX_COUNTED} rows, in its order. Without an order, PostgreSQL may read all due rows first, and the oldest may be missing. Deliveries are
 * walked per endpoint, because an unresponsive endpoint may have millions that are not due.
 */
export function dueWork(db: Queryable): Promise<Queue[]> {
  return db.all<Queue>(sql`
    with recursive walk as (
      (select endpoint_id, 1 as step from deliveries order by endpoint_id limit 1)
      union all
      select n.endpoint_id, walk.step + 1 from walk cross join lateral (
        select d.endpoint_id from deliveries d where d.endpoint_id > walk.endpoint_id order by d.endpoint_id limit 1) n
      where walk.step < ${MAX_ENDPOINTS}
    ),
    -- Endpoints with due deliveries. The one with the oldest is first, so that it is counted however many deliveries the others have.
    late as materialized (
      select walk.endpoint_id from walk cross join lateral (
        select due_at from deliveries where endpoint_id = walk.endpoint_id and due_at <= pirogue_now() order by due_at limit 1) d
      order by d.due_at
    ),
    due (queue, at) as (
      (select 'deliveries', d.due_at from late cross join lateral (
        select due_at from deliveries where endpoint_id = late.endpoint_id and due_at <= pirogue_now()
        order by due_at limit ${MAX_COUNTED}) d limit ${MAX_COUNTED})
      union all (select 'attempts', next_poll_at from attempts where next_poll_at <= pirogue_now() order by next_poll_at limit ${MAX_COUNTED})
      union all (select 'transfers', next_poll_at from transfers where next_poll_at <= pirogue_now() order by next_poll_at limit ${MAX_COUNTED})
      union all (select 'refunds', next_poll_at from refunds where next_poll_at <= pirogue_now() order by next_poll_at limit ${MAX_COUNTED})
      union all (select 'returns', next_step_at from returns where next_step_at <= pirogue_now() order by next_step_at limit ${MAX_COUNTED})
      union all (select 'releases', release_at from settlement_items where released_at is null and release_at <= pirogue_now()
        order by release_at limit ${MAX_COUNTED})
      union all (select 'mails', due_at from mails where due_at <= pirogue_now() order by due_at limit ${MAX_COUNTED})
    )
    select q.name as queue, count(due.at)::integer as depth,
      coalesce(extract(epoch from pirogue_now() - min(due.at)), 0)::float8 as late_seconds
    from unnest(array['deliveries', 'attempts', 'transfers', 'refunds', 'returns', 'releases', 'mails']) as q (name)
    left join due on due.queue = q.name group by q.name`);
}

export interface Books {
  /**
   * Sum of all balances per currency. It must be zero, because every posting debits one account by the amount it credits to
   * another.
   */
  drift: { currency: string; minor: string }[];
  /** Age of the oldest unsealed journal in seconds; 0 when all are sealed. */
  unsealed_seconds: number;
}

/**
 * Returns the checks of the ledger. Balances and their pending deltas are read in one snapshot. It reads every balance, so it
 * must be called rarely.
 */
export async function books(db: Queryable): Promise<Books> {
  const row = await db.maybe<Books>(sql`
    with sums as (
      select currency, sum(minor) as minor from (
        select currency, posted_minor as minor from balances union all select currency, amount_minor from balance_deltas) b
      group by currency
    ),
    head as (
      select g as team_group, coalesce(
        (select up_to_tx from ledger_group_seals where team_group = g order by n desc limit 1),
        (select up_to_tx from ledger_seals order by id desc limit 1), '0'::xid8) as tx
      from generate_series(0, 15) g
    )
    select (select coalesce(json_agg(json_build_object('currency', currency, 'minor', minor::text)), '[]') from sums) as drift,
      coalesce((select extract(epoch from pirogue_now() - min(oldest.created_at)) from head cross join lateral (
        select created_at from journals
        where ((team_id & 15), tx) >= (head.team_group::bigint, head.tx) and (team_id & 15) <= head.team_group
        order by (team_id & 15), tx, id limit 1
      ) oldest), 0)::float8 as unsealed_seconds`);
  return row ?? { drift: [], unsealed_seconds: 0 };
}
