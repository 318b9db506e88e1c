import { Type } from 'typebox';
import { recorded } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { notFound } from '../../kit/errors.ts';
import { idPrefix, isId } from '../../kit/ids.ts';
import { Cursors, listMeta, pageOf } from '../../kit/paging.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { WebhookDeps } from './deps.ts';
import { redeliver } from './service.ts';
import { type EventRow, type EventsQuery, eventReply, eventsQuery } from '../events/schema.ts';
import { countEvents, findEvent, listEvents } from '../events/store.ts';

/** The routes of events: list, retrieve, deliver again. */
export function eventRoutes(deps: WebhookDeps): Route[] {
  const totals = new ListTotals('evt', { keep_ms: deps.config.events_keep_ms, months_of: 'events' });
  return [
    route({
      method: 'GET',
      path: '/events',
      summary: 'List events',
      description: 'Newest first. Events are kept for 90 days.',
      access: 'private',
      scope: 'event.read',
      query: eventsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(eventReply), meta: listMeta }) },
      handle: (call) => listed(deps, totals, call),
    }),
    route({
      method: 'GET',
      path: '/events/:id',
      summary: 'Retrieve an event',
      description: 'The body exactly as it was delivered.',
      access: 'private',
      scope: 'event.read',
      replies: { 200: envelopeSchema({ event: eventReply }) },
      handle: async (call) => {
        const event = await found(call, call.caller.store.db);
        return { code: 200, message: 'Event retrieved', body: { event: recordOf(event) }, headers: sequences([event]) };
      },
    }),
    route({
      method: 'POST',
      path: '/events/:id/resend',
      summary: 'Deliver an event again',
      description: 'To every active endpoint that subscribes to its type, with the same event id and new delivery ids.',
      idempotent: true,
      access: 'private',
      scope: 'event.write',
      replies: {
        200: envelopeSchema({
          event: eventReply,
          deliveries: Type.Integer({ description: 'Number of endpoints it is delivered to.' }),
        }),
      },
      handle: (call) =>
        call.caller.store.db.transaction((tx) =>
          once(tx, call, 'POST /events/:id/resend', async () => {
            const event = await recorded(tx, call, 'event.resend', found(call, tx));
            return {
              code: 200,
              message: 'Event queued for delivery',
              body: { event: recordOf(event), deliveries: await redeliver(tx, event) },
            };
          }),
        ),
    }),
  ];
}

async function found(call: Call, db: Queryable): Promise<EventRow> {
  const { team, store } = call.caller;
  const id = call.params.id ?? '';
  const event = isId('evt', store.environment, id) ? await findEvent(db, team.id, id) : undefined;
  if (!event) throw notFound();
  return event;
}

/** Sequence header, as sent with deliveries; for a list, one number per item in order. */
function sequences(events: readonly EventRow[]): Record<string, string> {
  return { 'X-Service-Sequence': events.map(({ sequence }) => sequence).join(', ') };
}

function recordOf(row: EventRow): object {
  return JSON.parse(row.body);
}

async function listed(deps: WebhookDeps, totals: ListTotals, call: Call<unknown, EventsQuery>): Promise<Reply> {
  const {
    team,
    store: { db, environment },
  } = call.caller;
  const cursors = new Cursors(deps.secrets, `events:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const rows = await listEvents(db, environment, team.id, call.query, position);
  const { items, meta } = await pageOf(cursors, position, rows, idPrefix('evt', environment), () =>
    totals.of(`${team.id}`, call, (ids) => countEvents(db, environment, team.id, call.query, ids)),
  );
  return { code: 200, message: 'Events retrieved', body: { items: items.map(recordOf), meta }, headers: sequences(items) };
}
