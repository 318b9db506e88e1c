import { Type } from 'typebox';
import { recorded } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { listMeta } from '../../kit/paging.ts';
import type { Tx } from '../../kit/sql.ts';
import type { CustomerDeps } from './deps.ts';
import { customerLister } from './list.ts';
import { presentCustomer } from './present.ts';
import { customerBody, customerReply, type CustomerRow, listCustomersQuery } from './schema.ts';
import {
  changeCustomer,
  checkChange,
  checkWhole,
  createCustomer,
  type CustomerContext,
  getCustomer,
  replaceCustomer,
  setBlocked,
  withFreeAddress,
} from './service.ts';
import { type CustomerRef, customerSearcher } from './store.ts';

const READ = { access: 'private', scope: 'customer.read' } as const;
const WRITE = { access: 'private', scope: 'customer.write' } as const;

const one = envelopeSchema({ customer: customerReply });

type RouteDeps = Pick<CustomerDeps, 'secrets'>;

/** The routes of customers: list, create, retrieve, replace, change, block, unblock. */
export function customerRoutes(deps: RouteDeps): Route[] {
  const searcher = customerSearcher();
  return [
    route({
      ...READ,
      method: 'GET',
      path: '/customers',
      summary: 'List customers',
      description: 'Newest first. Erased customers are not listed.',
      query: listCustomersQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(customerReply), meta: listMeta }) },
      handle: customerLister(deps, searcher),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/customers',
      summary: 'Create a customer',
      description:
        'A payment is assigned to the customer with its e-mail address, else with its phone number; without a match, a customer is created.',
      idempotent: true,
      body: customerBody,
      check: checkWhole,
      replies: { 201: one },
      handle: (call) =>
        searcher.creating(
          call.caller,
          writing(call, (tx, context) =>
            once(tx, call as Call, 'POST /customers', async () => {
              const made = createCustomer(tx, context, call.caller.team.id, call.body);
              return reply(call, 201, 'Customer created', await recorded(tx, call, 'customer.create', made));
            }),
          ),
        ),
    }),
    route({
      ...READ,
      method: 'GET',
      path: '/customers/:id',
      summary: 'Retrieve a customer',
      description: 'An erased customer is shown without personal data, but for a tax id that the law requires to keep.',
      problems: ['customer_not_found'],
      replies: { 200: one },
      handle: async (call) => {
        const { db, environment } = call.caller.store;
        return reply(call, 200, 'Customer retrieved', await getCustomer(db, environment, refOf(call)));
      },
    }),
    route({
      ...WRITE,
      method: 'PUT',
      path: '/customers/:id',
      summary: 'Replace a customer',
      description: 'Omitted fields become null.',
      problems: ['customer_not_found'],
      body: customerBody,
      check: checkWhole,
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, context) => {
          const changed = replaceCustomer(tx, context, refOf(call), call.body);
          return reply(call, 200, 'Customer updated', await recorded(tx, call, 'customer.update', changed));
        }),
    }),
    route({
      ...WRITE,
      method: 'PATCH',
      path: '/customers/:id',
      summary: 'Change a customer',
      description: 'Omitted fields stay unchanged. ',
      problems: ['customer_not_found'],
      body: customerBody,
      check: checkChange,
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, context) => {
          const changed = changeCustomer(tx, context, refOf(call), call.body);
          return reply(call, 200, 'Customer updated', await recorded(tx, call, 'customer.update', changed));
        }),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/customers/:id/block',
      summary: 'Block a customer',
      description: 'New payments of the customer are rejected; existing payments continue.',
      problems: ['customer_not_found'],
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, context) => {
          const blocked = setBlocked(tx, context, refOf(call), true, seenBy(call));
          return reply(call, 200, 'Customer blocked', await recorded(tx, call, 'customer.block', blocked));
        }),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/customers/:id/unblock',
      summary: 'Unblock a customer',
      description: 'Payments of the customer are accepted again.',
      problems: ['customer_not_found'],
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, context) => {
          const free = setBlocked(tx, context, refOf(call), false, seenBy(call));
          return reply(call, 200, 'Customer unblocked', await recorded(tx, call, 'customer.unblock', free));
        }),
    }),
  ];
}

type AnyCall = Call<unknown, unknown>;

function writing(call: AnyCall, work: (tx: Tx, context: CustomerContext) => Promise<Reply>): Promise<Reply> {
  const { db, environment } = call.caller.store;
  return withFreeAddress(() => db.transaction((tx) => work(tx, { environment, at: call.at })));
}

function refOf(call: AnyCall): CustomerRef {
  return { team_id: call.caller.team.id, id: call.params.id as string };
}

/** Returns the check of a customer under its lock that came with the call. */
function seenBy(call: AnyCall): (before: CustomerRow) => void {
  return (before) => call.verifySeen?.(presentCustomer(call.caller.store.environment, before));
}

function reply(call: AnyCall, code: number, message: string, row: CustomerRow): Reply {
  return { code, message, body: { customer: presentCustomer(call.caller.store.environment, row) } };
}
