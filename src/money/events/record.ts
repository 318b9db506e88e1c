import { newId } from '../../kit/ids.ts';
import type { Environment } from '../../kit/environment.ts';
import { fixed, sql, type Tx } from '../../kit/sql.ts';
import { versions } from '../../tenants/versions/registry.ts';
import { type EventType, subscriptionsOf } from './catalogue.ts';
import { HOLE, MARK, packText } from '../../kit/packing.ts';

/** A change to publish as an event. */
export interface NewEvent {
  team_id: bigint;
  type: EventType;
  resource_id: string;
  /** Number of the event among those of this resource, from 1; the resource's row stores the count. */
  sequence: number;
  /** The resource as returned by GET. */
  data: object;
  /** A text within `data` that the statement replaces by the value it finds: its first occurrence becomes a placeholder. */
  unsure?: string;
}

/** A {@link NewEvent} as input of the SQL. */
export interface EventInput {
  team_id: string;
  event_id: string;
  type: EventType;
  subscriptions: string[];
  resource_id: string;
  sequence: number;
  /** The packed body in base64, with a placeholder for the number of endpoints, which only the statement can determine. */
  packed: string;
  /** `|` and the value for each further placeholder. */
  filled: string;
  created_at: string;
}

/**
 * Builds the input of {@link RECORD}.
 * @param at milliseconds since the epoch
 */
export function eventInput(environment: Environment, at: number, event: NewEvent): EventInput {
  const id = newId('evt', environment, at);
  const created = new Date(at).toISOString();
  const head = JSON.stringify({
    id,
    event: event.type,
    livemode: environment === 'live',
    created,
    api_version: versions.newest,
  });
  const rest = JSON.stringify({ request: { id: null, idempotency_key: newId('req', environment, at) }, data: event.data });
  const tail = event.unsure === undefined ? rest : rest.replace(event.unsure, HOLE);
  return {
    team_id: String(event.team_id),
    event_id: id,
    type: event.type,
    subscriptions: subscriptionsOf(event.type),
    resource_id: event.resource_id,
    sequence: event.sequence,
    packed: packText(`${head.slice(0, -1)},"pending_webhooks":${HOLE},${tail.slice(1)}`).toString('base64'),
    filled: event.unsure === undefined ? '' : `|${event.unsure}`,
    created_at: created,
  };
}

/** Columns of the CTE `event_input` that {@link RECORD} reads, for json_to_recordset. */
export const EVENT_COLUMNS = `team_id bigint, event_id text, type text, subscriptions text[], resource_id text,
  sequence integer, packed text, filled text, created_at timestamptz`;

/**
 * Returns SQL for the body of a row `i` of `event_input` (src/kit/packing.ts).
 * @param endpoints SQL for the number of endpoints
 */
export function packedBody(endpoints: string): string {
  return `convert_to('${MARK}|' || ${endpoints} || i.filled || chr(10), 'UTF8') || decode(i.packed, 'base64')`;
}

/**
 * CTEs that record the rows of `event_input` and create one delivery per subscribed endpoint, in the same statement and so in
 * the transaction of the change. The endpoints are counted in the same snapshot that creates the deliveries, so no stale cache
 * can affect the count. An endpoint whose backlog is at its limit gets none (webhooks/sweeps.ts).
 */
export const RECORD = fixed(`
  event_targets as materialized (
    select i.event_id, w.team_id, w.id as endpoint_id
    from event_input i join webhook_endpoints w
      on w.team_id = i.team_id and w.active and w.backlog_full_since is null and w.events && i.subscriptions
  ),
  recorded_events as (
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    select i.team_id, i.event_id, i.type, i.resource_id, i.sequence, n.endpoints,
      ${packedBody('n.endpoints')}, i.created_at
    from event_input i,
      lateral (select count(*)::integer as endpoints from event_targets t where t.event_id = i.event_id) n
  ),
  queued_deliveries as (
    insert into deliveries (team_id, endpoint_id, event_id)
    select t.team_id, t.endpoint_id, t.event_id from event_targets t order by t.event_id, t.endpoint_id
  )`);

/**
 * Records events in the transaction of their changes, all in one statement.
 * @param at milliseconds since the epoch
 */
export async function recordEvents(tx: Tx, environment: Environment, at: number, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const inputs = JSON.stringify(events.map((event) => eventInput(environment, at, event)));
  await tx.run(sql`
    with event_input as materialized (
      select * from json_to_recordset(${inputs}::json) as i(${fixed(EVENT_COLUMNS)})
    ), ${RECORD}
    select 1`);
}
