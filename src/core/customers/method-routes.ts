import { Type } from 'typebox';
import { recorded } from '../../tenants/audit/record.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { idPrefix } from '../../kit/ids.ts';
import { Cursors, listMeta, pageOf, type PagingQuery } from '../../kit/paging.ts';
import type { CustomerDeps } from './deps.ts';
import { removeMethod } from './methods.ts';
import { countMethods, listMethods } from './methods-store.ts';
import { presentMethod } from './present.ts';
import { listMethodsQuery, paymentMethodReply } from './schema.ts';
import { getCustomer } from './service.ts';

/** Routes of a customer's saved payment methods. */
export function paymentMethodRoutes(deps: Pick<CustomerDeps, 'secrets'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/customers/:id/payment_methods',
      summary: 'List payment methods of a customer',
      description: 'Newest first. Numbers and card tokens are never shown.',
      access: 'private',
      scope: 'payment_method.read',
      problems: ['customer_not_found'],
      query: listMethodsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(paymentMethodReply), meta: listMeta }) },
      handle: (call) => listed(deps, call),
    }),
    route({
      method: 'DELETE',
      path: '/customers/:id/payment_methods/:method',
      summary: 'Delete a payment method',
      description: 'Also deletes its entry in the vault. The response shows it for the last time.',
      operation_id: 'deletePaymentMethod',
      access: 'private',
      scope: 'payment_method.write',
      problems: ['customer_not_found'],
      replies: { 200: envelopeSchema({ payment_method: paymentMethodReply }) },
      handle: async (call) => {
        const { team, store } = call.caller;
        const customer = await getCustomer(store.db, store.environment, { team_id: team.id, id: call.params.id as string });
        const row = await store.db.transaction((tx) =>
          recorded(
            tx,
            call,
            'payment_method.delete',
            removeMethod(tx, store.environment, customer, call.params.method as string),
          ),
        );
        return { code: 200, message: 'Payment method deleted', body: { payment_method: presentMethod(store.environment, row) } };
      },
    }),
  ];
}

async function listed({ secrets }: Pick<CustomerDeps, 'secrets'>, call: Call<unknown, PagingQuery>): Promise<Reply> {
  const {
    team,
    store: { db, environment },
  } = call.caller;
  const customer = await getCustomer(db, environment, { team_id: team.id, id: call.params.id as string });
  const cursors = new Cursors(secrets, `payment_methods:${environment}:${team.id}:${customer.id}`);
  const position = cursors.position(call.query);
  const rows = await listMethods(db, customer, position);
  const { items, meta } = await pageOf(cursors, position, rows, idPrefix('pm', environment), () => countMethods(db, customer));
  const shown = items.map((row) => presentMethod(environment, row));
  return { code: 200, message: 'Payment methods retrieved', body: { items: shown, meta } };
}
