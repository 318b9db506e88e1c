import { type Ids, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { must } from '../../kit/errors.ts';
import { BY_KEY, clause, type Fragment, fixed, type Queryable, sql, type Tx, part } from '../../kit/sql.ts';
import { countMoved, intervalOf, type Shifted, type TimeShift } from '../../platform/db/time-shift.ts';
import type { AttemptRow, EndpointRow } from './schema.ts';

const columns = fixed(`team_id, id, url, secret_sealed, events, description, active, metadata, api_version, failing_since,
  disabled_reason, backlog_full_since, created_at, updated_at`);

export interface EndpointRef {
  team_id: bigint;
  id: string;
}

/**
 * Serialises the counting and creation of a team's endpoints until the transaction ends, so that the limit holds under
 * concurrency.
 */
export async function lockEndpointList(tx: Tx, team_id: bigint): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('webhook_endpoints ' || ${team_id}::text, 0))`);
}

/** Counts the endpoints of a team. */
export async function countEndpoints(db: Queryable, team_id: bigint): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`select count(*) as total from webhook_endpoints where team_id = ${team_id}`);
  return Number(row?.total ?? 0n);
}

/** Inserts an endpoint. */
export async function insertEndpoint(tx: Tx, row: EndpointRow): Promise<void> {
  await tx.run(sql`
    insert into webhook_endpoints (team_id, id, url, secret_sealed, events, description, active, metadata, api_version,
      created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.url}, ${row.secret_sealed}, ${row.events}, ${row.description}, ${row.active},
      ${row.metadata === null ? null : JSON.stringify(row.metadata)}, ${row.api_version}, ${row.created_at}, ${row.updated_at})`);
}

/** Returns an endpoint with its encrypted secret; undefined when the team has no such endpoint. */
export function findEndpoint(db: Queryable, ref: EndpointRef): Promise<EndpointRow | undefined> {
  return db.maybe<EndpointRow>(sql`select ${columns} from webhook_endpoints where team_id = ${ref.team_id} and id = ${ref.id}`);
}

/** The body of a delivery as stored (packed), and where it goes. */
export type Sendable = Pick<EndpointRow, 'url' | 'secret_sealed' | 'api_version'> & { body: Buffer };

/**
 * Returns what a delivery sends now, and where it goes; undefined when its endpoint was deleted or deactivated, or its event is no longer
 * stored. An erasure changes bodies, so both are read at the same moment.
 */
export function findSendable(
  db: Queryable,
  { team_id, endpoint_id, event_id }: { team_id: bigint; endpoint_id: string; event_id: string },
): Promise<Sendable | undefined> {
  return db.maybe<Sendable>(sql`
    select e.url, e.secret_sealed, e.api_version, v.body
    from webhook_endpoints e join events v on v.team_id = e.team_id and v.id = ${event_id}
    where e.team_id = ${team_id} and e.id = ${endpoint_id} and e.active${BY_KEY}`);
}

/** Returns the endpoint and locks it until the transaction ends. */
export function lockEndpoint(tx: Tx, ref: EndpointRef): Promise<EndpointRow | undefined> {
  return tx.maybe<EndpointRow>(sql`
    select ${columns} from webhook_endpoints where team_id = ${ref.team_id} and id = ${ref.id} for update`);
}

/** Returns one page of endpoints, in the order of the list. */
export function listEndpoints(db: Queryable, team_id: bigint, position: Position): Promise<EndpointRow[]> {
  return db.all<EndpointRow>(sql`select ${columns} from webhook_endpoints where ${rowsOfPage(rowsOf(team_id), position)}`);
}

/** Updates all mutable columns. */
export async function updateEndpoint(tx: Tx, row: EndpointRow): Promise<void> {
  await tx.run(sql`
    update webhook_endpoints set url = ${row.url}, secret_sealed = ${row.secret_sealed}, events = ${row.events},
      description = ${row.description}, active = ${row.active}, api_version = ${row.api_version},
      metadata = ${row.metadata === null ? null : JSON.stringify(row.metadata)},
      failing_since = ${row.failing_since}, disabled_reason = ${row.disabled_reason},
      backlog_full_since = ${row.backlog_full_since}, updated_at = ${row.updated_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

/**
 * Deletes an endpoint.
 * @returns false when there is no such endpoint
 */
export async function deleteEndpoint(tx: Tx, ref: EndpointRef): Promise<boolean> {
  return (await tx.run(sql`delete from webhook_endpoints where team_id = ${ref.team_id} and id = ${ref.id}`)) === 1;
}

/** Deleting a million rows would exceed the transaction's deadline; the worker drops the remaining ones as they become due. */
const MAX_DROPPED = 50_000;

/**
 * Deletes the waiting deliveries of an endpoint that was deleted or deactivated. A claimed one is left to its worker, which records the
 * attempt. That of a dead worker is claimed by another when its lease ends, and deleted without being sent if the endpoint is not active.
 */
export async function dropDeliveries(tx: Tx, endpoint_id: string): Promise<void> {
  // The deletion itself compares the claim, which may be made while it waits for the row.
  await tx.run(sql`
    delete from deliveries where claim is null
      and id in (select id from deliveries where endpoint_id = ${endpoint_id} limit ${MAX_DROPPED})`);
}

/** Does the same for those endpoints that are inactive. Deliveries queued since a reactivation stay. */
export async function dropQueuesOfInactive(db: Queryable, endpoints: readonly EndpointRef[]): Promise<void> {
  await db.run(sql`
    delete from deliveries where claim is null and id in (
      select d.id from webhook_endpoints e join deliveries d on d.endpoint_id = e.id and d.team_id = e.team_id
      where e.id = any(${endpoints.map(({ id }) => id)}) and not e.active limit ${MAX_DROPPED})`);
}

const attemptsTo = ({ team_id, id }: EndpointRef) => rowsOf(team_id, [], clause`endpoint_id = ${id}`);

/** Returns one page of the delivery attempts to an endpoint, in the order of the list. */
export function listAttempts(db: Queryable, ref: EndpointRef, position: Position): Promise<AttemptRow[]> {
  const ids = (rows: Fragment) => clause`select id from delivery_attempts where ${rows}`;
  return db.all<AttemptRow>(sql`
    select id, endpoint_id, event_id, event_type, attempt, succeeded, response_status, response_body, error, duration_ms,
      next_attempt_at, created_at
    from delivery_attempts where ${rowsOfPage(attemptsTo(ref), position, ids)}`);
}

/** Counts the delivery attempts to an endpoint, in a range of ids. */
export async function countAttempts(db: Queryable, ref: EndpointRef, ids: Ids): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from delivery_attempts where ${rowsToCount(attemptsTo(ref), ids)}) counted`);
  return Number(row?.total ?? 0n);
}

/**
 * Moves deliveries that are not due yet, by endpoint to use the index. It uses the database's clock, as the sender does. The progress of
 * ranges that are being sent again can no longer be read, because it is computed from the times.
 */
export async function shiftDeliveries(tx: Tx, { team_id, by_ms }: TimeShift): Promise<Shifted> {
  const row = await tx.maybe<Shifted>(sql`
    with moved as (
      update deliveries set due_at = due_at - ${intervalOf(by_ms)}
      where team_id = ${team_id} and due_at > pirogue_now()
        and endpoint_id in (select id from webhook_endpoints where team_id = ${team_id})
      returning due_at
    ),
    forgotten as (
      update webhook_endpoints set resend_started_at = null where team_id = ${team_id} and resend_started_at is not null
    ) ${countMoved(by_ms, part`pirogue_now()`, part`due_at`)}`);
  return must(row, 'a count returns a row');
}
