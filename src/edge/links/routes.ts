import { Type } from 'typebox';
import { recorded } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { listMeta } from '../../kit/paging.ts';
import type { Tx } from '../../kit/sql.ts';
import { paymentLister } from '../../core/payments/list.ts';
import { listedPayment, listPaymentsQuery } from '../../core/payments/schema.ts';
import type { LinkDeps } from './deps.ts';
import { linkLister } from './list.ts';
import { presentLink } from './present.ts';
import { changeLinkBody, createLinkBody, linkReply, type LinkRow, listLinksQuery } from './schema.ts';
import { changeLink, createLink, getLink, type LinkContext } from './service.ts';
import { type LinkRef, linkSearcher } from './store.ts';

type RouteDeps = Pick<LinkDeps, 'config' | 'secrets'>;

const READ = { access: 'private', scope: 'link.read', liveOnly: true } as const;
const WRITE = { access: 'private', scope: 'link.write', liveOnly: true } as const;

const one = envelopeSchema({ link: linkReply });

/** Returns the operations of payment links. */
export function linkRoutes(deps: RouteDeps): Route[] {
  const payments = paymentLister(deps);
  const searcher = linkSearcher();
  const list = linkLister(deps, searcher);
  return [
    route({
      ...READ,
      method: 'GET',
      path: '/links',
      summary: 'List payment links',
      description: 'Newest first.',
      query: listLinksQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(linkReply), meta: listMeta }) },
      handle: list,
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/links',
      summary: 'Create a payment link',
      description:
        'Creates a link to share, in a message or as a printed code. The payer opens `url`, enters their details and the ' +
        'amount where `amount` is null, and is redirected to the hosted page of a new payment.',
      idempotent: true,
      body: createLinkBody,
      replies: { 201: one },
      handle: (call) =>
        searcher.creating(
          call.caller,
          writing(deps, call, (tx, context) =>
            once(tx, call as Call, 'POST /links', async () => {
              const by = { ...call.caller, request_id: call.request_id };
              const made = createLink(tx, context, by, call.body);
              return reply(deps, 201, 'Link created', await recorded(tx, call, 'link.create', made));
            }),
          ),
        ),
    }),
    route({
      ...READ,
      method: 'GET',
      path: '/links/:id',
      summary: 'Retrieve a payment link',
      problems: ['link_not_found'],
      replies: { 200: one },
      handle: async (call) => reply(deps, 200, 'Link retrieved', await getLink(call.caller.store.db, refOf(call))),
    }),
    route({
      ...WRITE,
      method: 'PATCH',
      path: '/links/:id',
      summary: 'Change a payment link',
      description:
        'Omitted fields stay unchanged. `active` deactivates and reactivates it; an expired link becomes active with a later ' +
        '`expires_at`, or none. Existing payments continue. A link cannot be deleted: deactivate it.',
      problems: ['link_not_found'],
      body: changeLinkBody,
      replies: { 200: one },
      handle: (call) =>
        writing(deps, call, (tx, context) =>
          once(tx, call as Call, 'PATCH /links/:id', async () => {
            const verify = (before: LinkRow) => call.verifySeen?.(presentLink(deps, before));
            const changed = changeLink(tx, context, refOf(call), call.body, verify);
            return reply(deps, 200, 'Link updated', await recorded(tx, call, 'link.update', changed));
          }),
        ),
    }),
    route({
      method: 'GET',
      path: '/links/:id/payments',
      summary: 'List payments of a payment link',
      description: 'Newest first, with the filters of GET /payments.',
      operation_id: 'listLinkPayments',
      problems: ['link_not_found'],
      access: 'private',
      scope: 'payment.read',
      liveOnly: true,
      query: listPaymentsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(listedPayment), meta: listMeta }) },
      handle: async (call) => payments(call, { link_id: (await getLink(call.caller.store.db, refOf(call))).id }),
    }),
  ];
}

type AnyCall = Call<unknown, unknown>;

function writing(deps: RouteDeps, call: AnyCall, work: (tx: Tx, context: LinkContext) => Promise<Reply>): Promise<Reply> {
  return call.caller.store.db.transaction((tx) => work(tx, { deps, at: call.at }));
}

function refOf(call: AnyCall): LinkRef {
  return { team_id: call.caller.team.id, id: call.params.id as string };
}

function reply(deps: RouteDeps, code: number, message: string, row: LinkRow): Reply {
  return { code, message, body: { link: presentLink(deps, row) } };
}
