import { type EventType, subscriptionsOf } from '../events/catalogue.ts';
import { bodyOf, eventInput } from '../events/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Environment } from '../../kit/environment.ts';
import { type FieldErrors, invalid, notFound, Problem } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { JsonObject } from '../../kit/json.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { versions } from '../../tenants/versions/registry.ts';
import { requeue } from './deliveries-store.ts';
import { recordDirectEvent } from './record-store.ts';
import type { WebhookDeps } from './deps.ts';
import { presentEndpoint } from './present.ts';
import type { ChangeEndpointBody, CreateEndpointBody, EndpointRow } from './schema.ts';
import { newSecret, secretPlace } from './sign.ts';
import {
  countEndpoints,
  deleteEndpoint,
  dropDeliveries,
  type EndpointRef,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  lockEndpointList,
  updateEndpoint,
} from './store.ts';
import { guardOf, urlFault } from './url.ts';

/** Maximum number of endpoints per team and environment. */
export const MAX_ENDPOINTS = 16;
/**
 * Type of the event sent by POST /webhooks/{id}/test. No endpoint can subscribe to it, and no receiver can mistake it for a
 * payment event.
 */
export const TEST_EVENT = 'webhook.test' satisfies EventType;

/** An endpoint with its secret in plain text: only for the response that shows it. */
export interface FreshEndpoint {
  row: EndpointRow;
  secret: string;
}

/**
 * Creates an endpoint.
 * @param at milliseconds since the epoch
 * @throws Problem 422 above {@link MAX_ENDPOINTS}
 */
export async function createEndpoint(
  deps: WebhookDeps,
  tx: Tx,
  store: Store,
  team: Team,
  body: CreateEndpointBody,
  at: number,
): Promise<FreshEndpoint> {
  await lockEndpointList(tx, team.id);
  if ((await countEndpoints(tx, team.id)) >= MAX_ENDPOINTS) {
    throw invalid({ url: [`a team has at most ${MAX_ENDPOINTS} webhook endpoints in one environment: delete one first`] });
  }
  const secret = newSecret();
  const id = newId('wh', store.environment, at);
  const row: EndpointRow = {
    team_id: team.id,
    id,
    secret_sealed: deps.secrets.seal(secret, secretPlace(team.id, id)),
    ...fieldsOf(body),
    api_version: body.api_version ?? team.api_version,
    failing_since: null,
    disabled_reason: null,
    backlog_full_since: null,
    created_at: new Date(at),
    updated_at: new Date(at),
  };
  await insertEndpoint(tx, row);
  return { row, secret };
}

/**
 * Returns an endpoint.
 * @throws Problem 404
 */
export async function getEndpoint(db: Queryable, ref: EndpointRef): Promise<EndpointRow> {
  const row = await findEndpoint(db, ref);
  if (!row) throw notFound();
  return row;
}

/**
 * PATCH: absent fields stay unchanged.
 * @param verify throws to prevent the change of the endpoint as it is under its lock
 * @throws Problem 404, 422
 */
export function changeEndpoint(
  tx: Tx,
  ref: EndpointRef,
  body: ChangeEndpointBody,
  at: number,
  verify: (before: EndpointRow) => void = () => undefined,
) {
  return write(tx, ref, at, (before) => {
    verify(before);
    return { ...before, ...given(body) };
  });
}

/**
 * PUT: absent fields are reset to their defaults.
 * @throws Problem 404, 422
 */
export function replaceEndpoint(tx: Tx, ref: EndpointRef, body: CreateEndpointBody, at: number) {
  return write(tx, ref, at, (row) => ({
    ...row,
    ...fieldsOf(body),
    api_version: body.api_version ?? row.api_version,
  }));
}

async function write(tx: Tx, ref: EndpointRef, at: number, change: (row: EndpointRow) => EndpointRow): Promise<EndpointRow> {
  const before = await locked(tx, ref);
  const after = { ...change(before), updated_at: new Date(at) };
  // A new URL or a reactivation is a new start: earlier failures no longer count.
  if (after.url !== before.url || (after.active && !before.active)) after.failing_since = null;
  if (after.active) after.disabled_reason = null;
  // The queue of an inactive endpoint is dropped, so it is not full when the endpoint is activated again.
  else after.backlog_full_since = null;
  await updateEndpoint(tx, after);
  if (!after.active) await dropDeliveries(tx, ref.id);
  return after;
}

/**
 * Rotates the signing secret. The new secret applies from the next attempt, also to queued deliveries.
 * @throws Problem 404
 */
export async function rotateSecret(deps: WebhookDeps, tx: Tx, ref: EndpointRef, at: number): Promise<FreshEndpoint> {
  const secret = newSecret();
  const secret_sealed = deps.secrets.seal(secret, secretPlace(ref.team_id, ref.id));
  const row = { ...(await locked(tx, ref)), secret_sealed, updated_at: new Date(at) };
  await updateEndpoint(tx, row);
  return { row, secret };
}

/**
 * Deletes an endpoint. Nothing more is sent to it, including queued deliveries.
 * @throws Problem 404
 */
export async function removeEndpoint(tx: Tx, ref: EndpointRef): Promise<EndpointRow> {
  const row = await locked(tx, ref);
  await deleteEndpoint(tx, ref);
  await dropDeliveries(tx, ref.id);
  return row;
}

/**
 * Queues a test event for the endpoint.
 * @throws Problem 404; 400 when the endpoint is not active
 */
export async function testEndpoint(tx: Tx, environment: Environment, ref: EndpointRef, at: number): Promise<JsonObject> {
  const row = await locked(tx, ref);
  if (!row.active) throw new Problem(400, 'The webhook endpoint is not active.');
  const input = eventInput(environment, at, {
    // `recordDirectEvent` sets the sequence.
    team_id: ref.team_id,
    type: TEST_EVENT,
    resource_id: ref.id,
    sequence: 0,
    data: presentEndpoint(environment, row),
  });
  await recordDirectEvent(tx, input, ref.id);
  return JSON.parse(bodyOf(input, 1));
}

/**
 * Redelivers a recorded event to every active subscribed endpoint; a test event only to its own endpoint.
 * @returns number of deliveries queued
 */
export function redeliver(tx: Tx, event: { team_id: bigint; id: string; type: string; resource_id: string }): Promise<number> {
  return requeue(tx, event, event.type === TEST_EVENT ? [] : subscriptionsOf(event.type as EventType));
}

async function locked(tx: Tx, ref: EndpointRef): Promise<EndpointRow> {
  const row = await lockEndpoint(tx, ref);
  if (!row) throw notFound();
  return row;
}

/**
 * Validates what the schema cannot express. The body may not fit the schema.
 * @returns errors by field
 */
export function checkEndpoint(deps: WebhookDeps, environment: Environment, body: ChangeEndpointBody): FieldErrors {
  const { url, metadata, api_version } = body;
  const fault = typeof url === 'string' ? urlFault(url, guardOf(deps.config, environment)) : null;
  const isKnown = api_version === undefined || versions.has(api_version);
  return {
    ...(fault ? { url: [fault] } : {}),
    ...checkFreeObjects({ metadata }),
    ...(isKnown ? {} : { api_version: [`must be one of ${versions.all.join(', ')}`] }),
  };
}

function fieldsOf(body: CreateEndpointBody) {
  const { url, events, description, active, metadata } = body;
  return {
    url,
    events: [...new Set(events ?? ['*'])],
    description: description ?? null,
    active: active ?? true,
    metadata: (metadata ?? null) as JsonObject | null,
  };
}

/** Returns the fields that were sent; null is a value. */
function given(body: ChangeEndpointBody): Partial<EndpointRow> {
  const { url, events, description, active, metadata, api_version } = body;
  const fields = { url, events: events && [...new Set(events)], description, active, metadata, api_version };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
