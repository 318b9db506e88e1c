import { Type } from 'typebox';
import { recordCall, recorded } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { eventReply } from '../events/schema.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import type { Environment } from '../../kit/environment.ts';
import { notFound } from '../../kit/errors.ts';
import { idPrefix, isId } from '../../kit/ids.ts';
import { Cursors, listMeta, pageOf, type PagingQuery } from '../../kit/paging.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import type { WebhookDeps } from './deps.ts';
import { presentAttempt, presentEndpoint } from './present.ts';
import {
  type ChangeEndpointBody,
  changeEndpointBody,
  createEndpointBody,
  deliveryReply,
  type EndpointRow,
  endpointReply,
  endpointsQuery,
  endpointWithSecretReply,
} from './schema.ts';
import {
  changeEndpoint,
  checkEndpoint,
  createEndpoint,
  type FreshEndpoint,
  getEndpoint,
  removeEndpoint,
  replaceEndpoint,
  rotateSecret,
  testEndpoint,
} from './service.ts';
import { countAttempts, countEndpoints, type EndpointRef, listAttempts, listEndpoints } from './store.ts';

const READ = { access: 'private', scope: 'webhook.read' } as const;
const WRITE = { access: 'private', scope: 'webhook.write' } as const;

const one = envelopeSchema({ webhook: endpointReply });
const withSecret = envelopeSchema({ webhook: endpointWithSecretReply });

/** The routes of webhook endpoints: list, register, retrieve, change, replace, delete, rotate the secret, list attempts, send a test. */
export function webhookRoutes(deps: WebhookDeps): Route[] {
  // The id of an attempt is created before its request, and its row is stored after the response.
  const totals = new ListTotals('whd', {
    ...{ keep_ms: deps.config.events_keep_ms, months_of: 'delivery_attempts' },
    seldom_ms: 20_000,
  });
  const check = (body: ChangeEndpointBody, environment: Environment) => checkEndpoint(deps, environment, body);
  return [
    route({
      ...READ,
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhook endpoints',
      description: 'Newest first. Secrets are never shown again.',
      query: endpointsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(endpointReply), meta: listMeta }) },
      handle: (call) => listed(deps, call),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/webhooks',
      summary: 'Register a webhook endpoint',
      description:
        'Events of the environment of your key are then POSTed to it. The response shows the signing `secret`, once. At ' +
        'most 16 endpoints.',
      idempotent: true,
      body: createEndpointBody,
      check,
      replies: { 201: withSecret },
      handle: (call) => {
        const { team, store } = call.caller;
        return store.db.transaction((tx) =>
          once(
            tx,
            call as Call,
            'POST /webhooks',
            async () => {
              const fresh = await createEndpoint(deps, tx, store, team, call.body, call.at);
              await recordCall(tx, call, 'webhook.create', fresh.row.id);
              return shown(call, 201, 'Webhook created', fresh);
            },
            withoutSecret,
          ),
        );
      },
    }),
    route({
      ...READ,
      method: 'GET',
      path: '/webhooks/:id',
      summary: 'Retrieve a webhook endpoint',
      replies: { 200: one },
      handle: async (call) => reply(call, 'Webhook retrieved', await getEndpoint(call.caller.store.db, refOf(call))),
    }),
    route({
      ...WRITE,
      method: 'PATCH',
      path: '/webhooks/:id',
      summary: 'Change a webhook endpoint',
      description:
        'Omitted fields stay unchanged. `active: true` also reactivates an endpoint that was deactivated because it failed for ' +
        'days.',
      body: changeEndpointBody,
      check,
      replies: { 200: one },
      handle: (call) =>
        call.caller.store.db.transaction((tx) =>
          once(tx, call as Call, 'PATCH /webhooks/:id', async () => {
            const verify = (before: EndpointRow) => call.verifySeen?.(presentEndpoint(call.caller.store.environment, before));
            const changed = changeEndpoint(tx, refOf(call), call.body, call.at, verify);
            return reply(call, 'Webhook updated', await recorded(tx, call, 'webhook.update', changed));
          }),
        ),
    }),
    route({
      ...WRITE,
      method: 'PUT',
      path: '/webhooks/:id',
      summary: 'Replace a webhook endpoint',
      description: 'Omitted fields are reset to their defaults. The secret stays.',
      body: createEndpointBody,
      check,
      replies: { 200: one },
      handle: (call) =>
        call.caller.store.db.transaction(async (tx) => {
          const body = { api_version: call.caller.team.api_version, ...call.body };
          const changed = replaceEndpoint(tx, refOf(call), body, call.at);
          return reply(call, 'Webhook updated', await recorded(tx, call, 'webhook.update', changed));
        }),
    }),
    route({
      ...WRITE,
      method: 'DELETE',
      path: '/webhooks/:id',
      summary: 'Delete a webhook endpoint',
      description: 'Its waiting deliveries are dropped.',
      replies: { 200: one },
      handle: (call) =>
        call.caller.store.db.transaction(async (tx) => {
          return reply(call, 'Webhook deleted', await recorded(tx, call, 'webhook.delete', removeEndpoint(tx, refOf(call))));
        }),
    }),
    route({
      // Not idempotent by key: a replayed response could not show the secret. The caller can rotate again instead.
      ...WRITE,
      method: 'POST',
      path: '/webhooks/:id/rotate-secret',
      summary: 'Rotate the signing secret',
      description:
        'The new secret takes effect at once, also for waiting retries. The response shows it, once; rotate again ' +
        'if it is lost.',
      operation_id: 'rotateWebhookSecret',
      replies: { 200: withSecret },
      handle: (call) =>
        call.caller.store.db.transaction(async (tx) => {
          const fresh = await rotateSecret(deps, tx, refOf(call), call.at);
          await recordCall(tx, call, 'webhook.rotate_secret', fresh.row.id);
          return shown(call, 200, 'Webhook secret rotated', fresh);
        }),
    }),
    route({
      ...READ,
      method: 'GET',
      path: '/webhooks/:id/deliveries',
      summary: 'List the delivery attempts of an endpoint',
      description: 'Every attempt with the response of the endpoint, newest first.',
      query: endpointsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(deliveryReply), meta: listMeta }) },
      handle: (call) => attempts(deps, totals, call),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/webhooks/:id/test',
      summary: 'Send a test event to an endpoint',
      description: 'A `webhook.test` event, delivered and signed like every other, to this endpoint only.',
      idempotent: true,
      problems: ['webhook_inactive'],
      replies: { 200: envelopeSchema({ event: eventReply }) },
      handle: (call) =>
        call.caller.store.db.transaction((tx) =>
          once(tx, call, 'POST /webhooks/:id/test', async () => {
            const event = await testEndpoint(tx, call.caller.store.environment, refOf(call), call.at);
            await recordCall(tx, call, 'webhook.test', refOf(call).id);
            return { code: 200, message: 'Test event queued', body: { event } };
          }),
        ),
    }),
  ];
}

type AnyCall = Call<unknown, unknown>;

/**
 * Reads the endpoint id from the path.
 * @throws Problem 404 for an invalid id, such as one of the other environment
 */
function refOf(call: AnyCall): EndpointRef {
  const { team, store } = call.caller;
  const id = call.params.id ?? '';
  if (!isId('wh', store.environment, id)) throw notFound();
  return { team_id: team.id, id };
}

function reply(call: AnyCall, message: string, row: EndpointRow): Reply {
  return { code: 200, message, body: { webhook: presentEndpoint(call.caller.store.environment, row) } };
}

function shown(call: AnyCall, code: number, message: string, { row, secret }: FreshEndpoint): Reply {
  return { code, message, body: { webhook: { ...presentEndpoint(call.caller.store.environment, row), secret } } };
}

function withoutSecret(answer: Reply): Reply {
  const { secret: _, ...webhook } = answer.body.webhook as { secret: string };
  return { ...answer, body: { webhook } };
}

async function listed(deps: WebhookDeps, call: Call<unknown, PagingQuery>): Promise<Reply> {
  const {
    team,
    store: { db, environment },
  } = call.caller;
  const cursors = new Cursors(deps.secrets, `webhooks:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const rows = await listEndpoints(db, team.id, position);
  const { items, meta } = await pageOf(cursors, position, rows, idPrefix('wh', environment), () => countEndpoints(db, team.id));
  return {
    code: 200,
    message: 'Webhooks retrieved',
    body: { items: items.map((row) => presentEndpoint(environment, row)), meta },
  };
}

async function attempts(deps: WebhookDeps, totals: ListTotals, call: Call<unknown, PagingQuery>): Promise<Reply> {
  const {
    store: { db, environment },
  } = call.caller;
  const ref = refOf(call);
  await getEndpoint(db, ref);
  const cursors = new Cursors(deps.secrets, `deliveries:${environment}:${ref.team_id}:${ref.id}`);
  const position = cursors.position(call.query);
  const rows = await listAttempts(db, ref, position);
  const { items, meta } = await pageOf(cursors, position, rows, idPrefix('whd', environment), () =>
    totals.of(`${ref.team_id} ${ref.id}`, call, (ids) => countAttempts(db, ref, ids)),
  );
  return { code: 200, message: 'Deliveries retrieved', body: { items: items.map(presentAttempt), meta } };
}
