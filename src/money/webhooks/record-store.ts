import type { Environment } from '../../kit/environment.ts';
import { fixed, part, sql, type Tx } from '../../kit/sql.ts';
import { EVENT_COLUMNS, type EventInput, eventInput, INSERT_EVENTS, type NewEvent } from '../events/record.ts';

const eventColumns = fixed(EVENT_COLUMNS);

/** Inserts the events, and one delivery for each row of `event_targets`. */
const INSERT = part`
  recorded_events as (${INSERT_EVENTS}),
  queued_deliveries as (
    insert into deliveries (team_id, endpoint_id, event_id)
    select t.team_id, t.endpoint_id, t.event_id from event_targets t order by t.event_id, t.endpoint_id
  )`;

/**
 * CTEs that record the rows of `event_input` and create one delivery per subscribed endpoint, in the same statement and so in
 * the transaction of the change. The endpoints are counted in the same snapshot that creates the deliveries, so no stale cache
 * can affect the count. An endpoint whose backlog is at its limit gets none (webhooks/sweeps.ts).
 */
export const RECORD = part`
  event_targets as materialized (
    select i.event_id, w.team_id, w.id as endpoint_id
    from event_input i join webhook_endpoints w
      on w.team_id = i.team_id and w.active and w.backlog_full_since is null and w.events && i.subscriptions
  ),
  ${INSERT}`;

/**
 * Records events in the transaction of their changes, all in one statement.
 * @param at milliseconds since the epoch
 */
export async function recordEvents(tx: Tx, environment: Environment, at: number, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const inputs = JSON.stringify(events.map((event) => eventInput(environment, at, event)));
  await tx.run(sql`
    with event_input as materialized (
      select * from json_to_recordset(${inputs}::json) as i(${eventColumns})
    ), ${RECORD}
    select 1`);
}

/** Records an event for a single endpoint and queues its delivery. Its sequence number continues that of the endpoint. */
export async function recordDirectEvent(tx: Tx, input: EventInput, endpoint_id: string): Promise<void> {
  await tx.run(sql`
    with event_input as materialized (
      select i.team_id, i.event_id, i.type, i.resource_id, i.packed, i.filled, i.created_at, coalesce((
        select max(sequence) from events e where e.team_id = i.team_id and e.resource_id = i.resource_id), 0) + 1 as sequence
      from json_to_recordset(${JSON.stringify([input])}::json) as i(${eventColumns})
    ),
    event_targets as materialized (select team_id, event_id, ${endpoint_id}::text as endpoint_id from event_input),
    ${INSERT}
    select 1`);
}
