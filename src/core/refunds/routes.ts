import { Type } from 'typebox';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { notFound } from '../../kit/errors.ts';
import { idPrefix, isId } from '../../kit/ids.ts';
import { Cursors, listMeta, pageOf } from '../../kit/paging.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import { getPaymentRow } from '../payments/service.ts';
import type { RefundDeps } from './deps.ts';
import { presentRefund } from './present.ts';
import {
  type CreateRefundBody,
  createRefundBody,
  type ListRefundsQuery,
  listRefundsQuery,
  paymentRefundsQuery,
  refundShape,
} from './schema.ts';
import { sendParts } from './send.ts';
import { checkRefund, createRefund } from './service.ts';
import { countRefunds, findRefund, listRefunds } from './store.ts';

const list = envelopeSchema({ items: Type.Array(refundShape), meta: listMeta });

/** The routes of refunds: list, create, retrieve, list by payment. */
export function refundRoutes(deps: RefundDeps): Route[] {
  const totals = new ListTotals('rfd');
  return [
    route({
      method: 'GET',
      path: '/refunds',
      summary: 'List refunds',
      description: 'Newest first.',
      access: 'private',
      scope: 'refund.read',
      query: listRefundsQuery,
      replies: { 200: list },
      handle: (call) => page(deps, totals, call),
    }),
    route({
      method: 'POST',
      path: '/refunds',
      summary: 'Refund a payment',
      description:
        'Refunds a succeeded payment in full or in part. The refunds of a payment never exceed its amount. Fees are not ' +
        'returned. In the sandbox a refund is final before it can be read.',
      operation_id: 'createRefund',
      idempotent: true,
      problems: ['payment_not_found', 'payment_not_refundable', 'provider_unavailable'],
      access: 'private',
      scope: 'refund.write',
      body: createRefundBody,
      check: checkRefund,
      replies: { 201: envelopeSchema({ refund: refundShape }) },
      handle: (call) => create(deps, call),
    }),
    route({
      method: 'GET',
      path: '/refunds/:id',
      summary: 'Retrieve a refund',
      access: 'private',
      scope: 'refund.read',
      replies: { 200: envelopeSchema({ refund: refundShape }) },
      handle: (call) => retrieve(call),
    }),
    route({
      method: 'GET',
      path: '/payments/:id/refunds',
      summary: 'List the refunds of a payment',
      description: 'Newest first.',
      problems: ['payment_not_found'],
      access: 'private',
      scope: 'refund.read',
      query: paymentRefundsQuery,
      replies: { 200: list },
      handle: async (call) => {
        const payment = await getPaymentRow(call.caller.store, call.caller.team.id, call.params.id as string);
        return page(deps, totals, { ...call, query: { ...call.query, payment: payment.id } });
      },
    }),
  ];
}

async function create(deps: RefundDeps, call: Call<CreateRefundBody>): Promise<Reply> {
  const { store } = call.caller;
  const { reply, refund } = await createRefund(deps, call);
  if (!refund?.draws) return reply;
  // The refund is created, whether or not it can be sent now.
  const sent = sendParts(deps, store, refund).catch((err) =>
    deps.log.error({ err }, 'a refund could not be sent now; the worker goes on'),
  );
  // In the sandbox a refund is processed at once (docs/contract/sandbox.md): it ends before it can be read.
  if (store.environment === 'sandbox') await sent;
  return reply;
}

async function retrieve(call: Call): Promise<Reply> {
  const { team, store } = call.caller;
  const id = call.params.id as string;
  const row = isId('rfd', store.environment, id) ? await findRefund(store.db, team.id, id) : undefined;
  if (!row) throw notFound();
  return { code: 200, message: 'Refund retrieved', body: { refund: presentRefund(store.environment, row) } };
}

async function page(deps: RefundDeps, totals: ListTotals, call: Call<unknown, ListRefundsQuery>): Promise<Reply> {
  const { team, store } = call.caller;
  const { environment, db } = store;
  const cursors = new Cursors(deps.secrets, `refunds:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const rows = await listRefunds(db, environment, team.id, call.query, position);
  const { items, meta } = await pageOf(cursors, position, rows, idPrefix('rfd', environment), () =>
    totals.of(`${team.id}`, call, (ids) => countRefunds(db, environment, team.id, call.query, ids)),
  );
  const shown = items.map((row) => presentRefund(environment, row));
  return { code: 200, message: 'Refunds retrieved', body: { items: shown, meta } };
}
