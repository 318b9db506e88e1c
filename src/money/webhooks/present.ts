import type { Environment } from '../../kit/environment.ts';
import type { AttemptRow, EndpointRow } from './schema.ts';

/** Builds the API representation of an endpoint, without its secret. */
export function presentEndpoint(environment: Environment, row: EndpointRow) {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    active: row.active,
    metadata: row.metadata,
    api_version: row.api_version,
    failing_since: row.failing_since?.toISOString() ?? null,
    disabled_reason: row.disabled_reason,
    backlog_full_since: row.backlog_full_since?.toISOString() ?? null,
    sandbox: environment === 'sandbox',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Builds the API representation of a delivery attempt. */
export function presentAttempt(row: AttemptRow) {
  return {
    id: row.id,
    webhook: row.endpoint_id,
    event_id: row.event_id,
    event: row.event_type,
    attempt: row.attempt,
    status: row.succeeded ? 'succeeded' : 'failed',
    response_status: row.response_status,
    response_body: row.response_body,
    error: row.error,
    duration_ms: row.duration_ms,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
