import { recordCall } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import { type FieldErrors, invalid, notFound, Problem } from '../../kit/errors.ts';
import { isId, lowestIdAt } from '../../kit/ids.ts';
import { EVENT_TYPES, type EventType, subscriptionsOf } from '../events/catalogue.ts';
import type { WebhookDeps } from './deps.ts';
import { requeueRange } from './range-store.ts';
import { TEST_EVENT } from './service.ts';
import { lockEndpoint } from './store.ts';

/** Maximum events of one order. */
export const MAX_RESENT = 10_000;

/** What is sent again. Empty `type`: everything the endpoint subscribes to. Times are milliseconds since the epoch; NaN: not a time. */
export interface ResendOrder {
  type: string;
  from: number;
  to: number;
}

/**
 * Queues the events of a time range again for one endpoint, with the same event ids: once for each idempotency key. The workers
 * deliver them as they do new ones.
 * @returns in the body, the number of events that were queued
 * @throws Problem 404, 409 for an endpoint that is inactive or has a full backlog, 422
 */
export async function resendRange(
  deps: Pick<WebhookDeps, 'wake'>,
  call: Call<ResendOrder, Record<string, never>>,
): Promise<Reply> {
  const { team, store } = call.caller;
  const id = call.params.id ?? '';
  if (!isId('wh', store.environment, id)) throw notFound();
  const { type, from, to } = call.body;
  const reply = await store.db.transaction((tx) =>
    once(tx, call, 'resend a range of events', async () => {
      const endpoint = await lockEndpoint(tx, { team_id: team.id, id });
      if (!endpoint) throw notFound();
      if (!endpoint.active) throw new Problem(409, 'The endpoint is inactive: activate it first.');
      const types = typesOf(type, endpoint.events);
      checkTimes(from, to);
      const [first, end] = [from, to].map((at) => lowestIdAt('evt', store.environment, at)) as [string, string];
      const { events, is_full } = await requeueRange(tx, id, { team_id: team.id, types, from: first, to: end }, MAX_RESENT);
      if (is_full) throw new Problem(409, 'Too many deliveries wait for this endpoint: send again when they are delivered.');
      if (events > MAX_RESENT) throw invalid({ to: [`more than ${MAX_RESENT} events are in this time: choose a shorter one`] });
      await recordCall(tx, call, 'event.resend', id);
      return { code: 200, message: 'Events queued for delivery', body: { events } };
    }),
  );
  deps.wake.ring(store.environment);
  return reply;
}

/** Returns the types of events that an endpoint with these subscriptions can be sent again. */
export function resendableTypes(events: readonly string[]): EventType[] {
  return EVENT_TYPES.filter((type) => type !== TEST_EVENT && subscriptionsOf(type).some((one) => events.includes(one)));
}

/** @throws Problem 422 */
function checkTimes(from: number, to: number): void {
  const errors: FieldErrors = {};
  if (Number.isNaN(from)) errors.from = ['must be a date and time'];
  if (Number.isNaN(to)) errors.to = ['must be a date and time'];
  if (from >= to) errors.to = ['must be after from'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** Returns the types that are sent: those the endpoint subscribes to, or the chosen one of them. */
function typesOf(chosen: string, events: readonly string[]): string[] {
  const types = resendableTypes(events).filter((type) => chosen === '' || type === chosen);
  if (types.length === 0) throw invalid({ type: ['must be a type that the endpoint receives'] });
  return types;
}
