import { type Static, Type } from 'typebox';
import { EVENT_TYPES } from '../events/catalogue.ts';
import type { JsonObject } from '../../kit/json.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';

/** A row of `webhook_endpoints`. */
export interface EndpointRow {
  team_id: bigint;
  id: string;
  url: string;
  secret_sealed: string;
  events: string[];
  description: string | null;
  active: boolean;
  metadata: JsonObject | null;
  api_version: string;
  failing_since: Date | null;
  disabled_reason: string | null;
  /** Since when no deliveries are queued for it, because too many wait; null: they are. */
  backlog_full_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A row of `delivery_attempts`. */
export interface AttemptRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  attempt: number;
  succeeded: boolean;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number;
  next_attempt_at: Date | null;
  created_at: Date;
}

// ------------------------------------------------------------------------------------------------ bodies
const url = Type.String({
  format: 'web-url',
  maxLength: 2048,
  description: 'https, without user name or password, on a public host.',
});

/** A test event goes only to the endpoint it was requested for, so no endpoint can subscribe to it. */
const subscribable = EVENT_TYPES.filter((type) => type !== 'webhook.test');
const families = [...new Set(subscribable.map((type) => type.replace(/\..*/, '.*')))];

const events = Type.Array(Type.Enum(['*', ...families, ...subscribable]), {
  minItems: 1,
  maxItems: 100,
  description: 'Event types, `payment.*` for all types of a resource, `*` for everything.',
});
const optional = {
  description: Type.Optional(nullableText({ maxLength: 255 })),
  active: Type.Optional(Type.Boolean({ default: true })),
  api_version: Type.Optional(
    Type.String({
      maxLength: 32,
      description: "API version of its events; default: your team's.",
    }),
  ),
  metadata: Type.Optional(nullableObject({ maxProperties: 50, description: 'Your data: at most 50 keys and 16 KB.' })),
};

export const createEndpointBody = openObject({ url, events: Type.Optional(events), ...optional });

/** PATCH: absent fields stay unchanged. */
export const changeEndpointBody = openObject({ url: Type.Optional(url), events: Type.Optional(events), ...optional });

export type CreateEndpointBody = Static<typeof createEndpointBody>;
export type ChangeEndpointBody = Static<typeof changeEndpointBody>;

export const endpointsQuery = Type.Object(pagingQuery);

// ----------------------------------------------------------------------------------------------- replies
const text = Type.String();

const endpointFields = {
  id: text,
  url: text,
  events: Type.Array(text),
  description: nullableText(),
  active: Type.Boolean(),
  metadata: nullableObject(),
  api_version: Type.String({ description: 'API version of its events.' }),
  failing_since: nullableText({ description: 'Start of the current series of failures; null after a success.' }),
  disabled_reason: nullableText({ description: 'Reason of an automatic deactivation; else null.' }),
  backlog_full_since: nullableText({
    description: 'Since when no new events are queued for it, because too many deliveries wait; else null.',
  }),
  sandbox: Type.Boolean(),
  created_at: moment,
  updated_at: moment,
};

export const endpointReply = Type.Object(endpointFields);

export const endpointWithSecretReply = Type.Object({
  ...endpointFields,
  secret: Type.Optional(Type.String({ description: 'Signing secret, `whsec_…`. Shown only once.' })),
});

export const deliveryReply = Type.Object({
  id: Type.String({ description: 'The X-Service-Delivery-Id of this attempt.' }),
  webhook: text,
  event_id: text,
  event: Type.String({ description: 'Event type.' }),
  attempt: Type.Integer({ description: 'Number of the attempt; 1 is the immediate one.' }),
  status: Type.Enum(['succeeded', 'failed']),
  response_status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  response_body: nullableText({ description: 'First 4 kB of the response.' }),
  error: nullableText({ description: 'timeout, refused, dns, tls, blocked, broken or redirect, then details.' }),
  duration_ms: Type.Integer(),
  next_attempt_at: nullableText(),
  created_at: moment,
});
