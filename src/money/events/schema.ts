import { type Static, Type } from 'typebox';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableText } from '../../kit/schema.ts';
import { EVENT_TYPES } from './catalogue.ts';

/** A row of `events`. */
export interface EventRow {
  team_id: bigint;
  id: string;
  type: string;
  resource_id: string;
  /** Number of the event among those of the resource, from 1. */
  sequence: number;
  /** The exact bytes of every delivery. */
  body: string;
}

export const eventsQuery = Type.Object({
  ...pagingQuery,
  type: Type.Optional(Type.Enum([...EVENT_TYPES])),
  date_from: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive.' })),
  date_to: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive; not before date_from.' })),
});

export type EventsQuery = Static<typeof eventsQuery>;

/** The event record: the delivered body, parsed. */
export const eventReply = Type.Object({
  id: Type.String({ description: 'Deduplication key.' }),
  event: Type.String({ description: 'Event type.' }),
  livemode: Type.Boolean(),
  created: moment,
  api_version: Type.String(),
  pending_webhooks: Type.Integer({ description: 'Number of endpoints the event is delivered to.' }),
  request: Type.Object({ id: nullableText({ description: 'Kept for later; null today.' }), idempotency_key: nullableText() }),
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description: 'The full resource.' }),
});
