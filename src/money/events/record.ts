import { newId } from '../../kit/ids.ts';
import type { Environment } from '../../kit/environment.ts';
import { fixed } from '../../kit/sql.ts';
import { versions } from '../../tenants/versions/registry.ts';
import { type EventType, subscriptionsOf } from './catalogue.ts';
import { HOLE, packing, unpack } from '../../kit/packing.ts';

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
  /** The packed body, with a placeholder for the number of endpoints, which only the statement can determine. */
  packed: string;
  /** `|` and the value for each further placeholder. */
  filled: string;
  created_at: string;
}

/**
 * Builds the input of {@link INSERT_EVENTS}.
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
    packed: packing.packForStatement(`${head.slice(0, -1)},"pending_webhooks":${HOLE},${tail.slice(1)}`),
    filled: event.unsure === undefined ? '' : `|${event.unsure}`,
    created_at: created,
  };
}

/**
 * Returns the body of an event as it is sent.
 * @param endpoints the number of endpoints that receive it
 */
export function bodyOf(input: EventInput, endpoints: number): string {
  const filled = Buffer.from(`${input.packed[0]}|${endpoints}${input.filled}\n`);
  return unpack(Buffer.concat([filled, Buffer.from(input.packed.slice(1), 'base64')]));
}

/** Columns of the CTE `event_input` that {@link INSERT_EVENTS} reads, for json_to_recordset. */
export const EVENT_COLUMNS = `team_id bigint, event_id text, type text, subscriptions text[], resource_id text,
  sequence integer, packed text, filled text, created_at timestamptz`;

/**
 * SQL: inserts the events of the CTE `event_input`, in the statement and so in the transaction of the change. The CTE
 * `event_targets` has a row for each endpoint that receives an event; their number is part of the body (src/kit/packing.ts).
 */
export const INSERT_EVENTS = fixed(`
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    select i.team_id, i.event_id, i.type, i.resource_id, i.sequence, n.endpoints,
      convert_to(left(i.packed, 1) || '|' || n.endpoints || i.filled || chr(10), 'UTF8')
        || decode(substr(i.packed, 2), 'base64'), i.created_at
    from event_input i,
      lateral (select count(*)::integer as endpoints from event_targets t where t.event_id = i.event_id) n`);
